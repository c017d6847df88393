//! One point: kills a command there, and checks what is left.

use std::fs;

use super::prove_tasks::TaskReference;
use super::task_command::Kind;
use super::task_listing::{TaskListing, number_of};
use super::task_project::TaskProject;
use crate::crash::proof::crash_trial::{CrashTrial, TrialFailure};
use crate::crash::proof::point::Point;
use devkit::error::Result;

/// Kills a command at a point, and checks what is left.
pub(super) fn run(reference: &TaskReference<'_>, point: Point) -> Result<CrashTrial> {
    let place = reference.before.copy()?;
    let seen = place.watched(reference.program, reference.deed.arguments, Some(point))?;
    if !seen.is_killed {
        return Ok(CrashTrial::NotReached);
    }
    let program = reference.program;
    let mut problems = match reference.deed.kind {
        Kind::Single => half_done(reference, &place),
        Kind::Resumed => resumed(reference, &place)?,
    };
    // The next command must work.
    let output = place.run(program, &["create", "Next", "--label=next", "--plain"])?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    match number_of(&printed) {
        Some(number) if number > reference.old.highest() => {}
        _ => problems
            .push(format!("the next task is {printed}{}", String::from_utf8_lossy(&output.stderr))),
    }
    if let Err(problem) = TaskListing::of(program, &place) {
        problems.push(format!("after the next task: {problem}"));
    }
    problems.extend(leftovers(&place));
    if problems.is_empty() {
        return Ok(CrashTrial::Survived);
    }
    Ok(CrashTrial::Failed(TrialFailure {
        what: "killed at",
        problems,
        kept_directory: place.keep(),
    }))
}

/// Tasks that are neither old nor new.
fn half_done(reference: &TaskReference<'_>, project: &TaskProject) -> Vec<String> {
    match TaskListing::of(reference.program, project) {
        Err(problem) => vec![problem],
        Ok(found) => found.complaints(&reference.old, &reference.new),
    }
}

/// Tasks that are wrong after the same command has run again, or inconsistent before that.
fn resumed(reference: &TaskReference<'_>, project: &TaskProject) -> Result<Vec<String>> {
    let program = reference.program;
    let torn = match TaskListing::of(program, project) {
        Err(problem) => vec![problem],
        Ok(found) => found.complaints_of_parts(&reference.old, &reference.new),
    };
    if !torn.is_empty() {
        return Ok(torn);
    }
    project.run(program, reference.deed.arguments)?;
    let found = TaskListing::of(program, project).and_then(|found| found.without_numbers());
    Ok(match (found, reference.new.without_numbers()) {
        (Ok(found), Ok(new)) => found.complaints(&new, &new),
        (found, new) => found.err().into_iter().chain(new.err()).collect(),
    })
}

/// Unexpected files in the directory.
fn leftovers(project: &TaskProject) -> Vec<String> {
    let entries = fs::read_dir(project.tasks()).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let strange =
        names.filter(|name| !name.ends_with(".md") && name != "config.json" && name != "archive");
    strange.map(|name| format!("`{name}` is left")).collect()
}
