//! One point: a deed is killed there, and what is left is judged.

use std::fs;

use super::prove_tasks::TaskReference;
use super::task_command::Kind;
use super::task_listing::{TaskListing, number_of};
use super::task_project::TaskProject;
use crate::crash::proof::crash_trial::{CrashTrial, TrialFailure};
use crate::crash::proof::point::Point;
use devkit::error::Result;

/// Kills a deed at a point, and looks at what is left.
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
    // Whoever comes next must be able to go on.
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
    Ok(CrashTrial::Failed(TrialFailure { what: "killed at", problems, world: place.keep() }))
}

/// What is neither as it was nor as it was to become.
fn half_done(reference: &TaskReference<'_>, place: &TaskProject) -> Vec<String> {
    match TaskListing::of(reference.program, place) {
        Err(problem) => vec![problem],
        Ok(found) => found.complaints(&reference.old, &reference.new),
    }
}

/// What is not as it was to become when the same command is given again, or strange until then.
fn resumed(reference: &TaskReference<'_>, place: &TaskProject) -> Result<Vec<String>> {
    let program = reference.program;
    let torn = match TaskListing::of(program, place) {
        Err(problem) => vec![problem],
        Ok(found) => found.complaints_of_parts(&reference.old, &reference.new),
    };
    if !torn.is_empty() {
        return Ok(torn);
    }
    place.run(program, reference.deed.arguments)?;
    let found = TaskListing::of(program, place).and_then(|found| found.without_numbers());
    Ok(match (found, reference.new.without_numbers()) {
        (Ok(found), Ok(new)) => found.complaints(&new, &new),
        (found, new) => found.err().into_iter().chain(new.err()).collect(),
    })
}

/// What is in the directory and should not be.
fn leftovers(place: &TaskProject) -> Vec<String> {
    let entries = fs::read_dir(place.tasks()).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let strange =
        names.filter(|name| !name.ends_with(".md") && name != "config.json" && name != "archive");
    strange.map(|name| format!("`{name}` is left")).collect()
}
