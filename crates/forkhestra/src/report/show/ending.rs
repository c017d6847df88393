//! Last sections of `show`: warnings, hooks, files, and the next command.

use forkhestra_core::event::{AuxJob, HookReport};
use forkhestra_core::explain::{self, Remedy};
use forkhestra_core::history::{ExecutionStatus, Liveness};
use forkhestra_core::text::{self, shell_word};
use forkhestra_engine::RewindRecords;
use forkhestra_store::view::FilesView;
use typeset::style::{DIM, paint};
use typeset::table::{TableCell, indented};
use typeset::text::visible;

use super::{ShowDetail, ShownRunFacts, facts_table};
use crate::cli::command_error::in_full;
use crate::past_runs::pending_message;
use crate::report::run::reason;
use crate::report::snapshot_list::rewind_text;
use crate::report::text::flow::questions;
use crate::report::text::local_time::{second_in_zone, to_the_second};

/// The warnings of the run.
pub(super) fn warnings(subject: &ShownRunFacts<'_>, detail: ShowDetail) -> String {
    let warnings = &subject.history().warnings;
    if warnings.is_empty() {
        return String::new();
    }
    let left_out = detail.left_out(warnings.len());
    let rows = warnings[left_out..].iter().map(|(at, message)| {
        vec![TableCell::painted(to_the_second(*at), DIM), TableCell::new(visible(message))]
    });
    let rows: Vec<Vec<TableCell>> = rows.collect();
    format!("Warnings:\n{}{}", earlier(left_out), indented(&rows, "  "))
}

/// Failed hooks with their failure and the file of their output.
pub(super) fn failed_hooks(subject: &ShownRunFacts<'_>, detail: ShowDetail) -> String {
    let failed = &subject.history().failed_hooks;
    if failed.is_empty() {
        return String::new();
    }
    let left_out = detail.left_out(failed.len());
    let rows = failed[left_out..].iter().map(|report| {
        let HookReport { moment, number, failure, .. } = report;
        let aux_job = AuxJob::Hook { moment: *moment, number: *number };
        let output = subject.run.output_of_aux_job(aux_job);
        // A hook that printed nothing, or whose output was removed, has no file.
        let output = if output.exists() { output.display().to_string() } else { String::new() };
        vec![
            TableCell::new(moment.point.to_string()),
            TableCell::new(visible(failure.as_deref().unwrap_or_default())),
            TableCell::new(visible(&output)),
        ]
    });
    let rows: Vec<Vec<TableCell>> = rows.collect();
    format!("Failed hooks:\n{}{}", earlier(left_out), indented(&rows, "  "))
}

/// Line for entries that are left out.
pub(super) fn earlier(left_out: usize) -> String {
    match left_out {
        0 => String::new(),
        earlier => {
            let earlier = text::count(earlier, "earlier one");
            format!("  {}\n", paint(DIM, &format!("… {earlier}; `--all` shows them")))
        }
    }
}

/// Paths of the run's files.
pub(super) fn files(subject: &ShownRunFacts<'_>) -> String {
    let files = FilesView::of(subject.run, subject.history());
    let mut rows = vec![("run", files.directory), ("journal", files.journal)];
    rows.extend(files.output.map(|output| ("output", output)));
    rows.extend(files.console.map(|console| ("console", console)));
    let rows = rows.into_iter().map(|(key, path)| (key, visible(&path))).collect();
    format!("Files:\n{}", facts_table(rows))
}

/// References of the stored work trees and commands that use them.
pub(super) fn work_trees(subject: &ShownRunFacts<'_>) -> String {
    let state = &subject.history().state;
    let run = &state.run;
    let first = explain::reference(run, 0);
    let kept = match state.snapshots {
        0 => return String::new(),
        1 => first.clone(),
        number => format!("{first} to {}", explain::reference(run, number - 1)),
    };
    let mut rows = vec![("kept as", kept)];
    if state.snapshots > 1 {
        rows.push(("to compare", format!("forkhestra diff {run}")));
    }
    rows.push(("to go back", format!("forkhestra rewind {run} --to N (`--list` lists them)")));
    rows.push(("one file", format!("git restore --source={first} -- PATH")));
    rows.extend(backup(subject));
    rows.extend(rewinds(subject));
    format!("Work trees:\n{}", facts_table(rows))
}

/// The rewinds to snapshots of the run.
fn rewinds(subject: &ShownRunFacts<'_>) -> Vec<(&'static str, String)> {
    match RewindRecords::of(&subject.run.kept()).list() {
        Ok(records) => records.iter().map(|record| ("rewound", rewind_text(record))).collect(),
        Err(error) => vec![("rewound", format!("the records cannot be read: {error}"))],
    }
}

/// The command that restores a file if its refs are gone. Snapshots without anything new have no
/// copy.
fn backup(subject: &ShownRunFacts<'_>) -> Option<(&'static str, String)> {
    let state = &subject.history().state;
    let directory = subject.run.kept().join("snapshots.git");
    let references = (0..state.snapshots).map(|number| explain::reference(&state.run, number));
    let reference = { references }.find(|reference| directory.join(reference).exists())?;
    let place = shell_word(&directory.to_string_lossy());
    Some(("from the copy", format!("git --git-dir={place} show {reference}:PATH > PATH")))
}

/// Messages queued for the run since it ended.
fn waiting_messages(subject: &ShownRunFacts<'_>) -> Option<String> {
    match pending_message::pending_count(subject.run, &subject.history().state) {
        Ok(0) => None,
        Ok(1) => Some("1 message waits for resume".to_owned()),
        Ok(number) => Some(format!("{number} messages wait for resume")),
        Err(error) => Some(format!("Messages for resume cannot be read: {}", in_full(&error))),
    }
}

/// The commands that answer the question of an active run.
fn answers(subject: &ShownRunFacts<'_>) -> String {
    let asked = subject.history().asked_now(subject.liveness);
    let commands = asked.map(|asked| questions::answer_commands(&subject.commands, asked.number));
    let hint = commands.is_some().then(|| questions::COMMENT_HINT.to_owned());
    let lines = commands.into_iter().flatten().chain(hint).chain(answer_on_timeout(subject));
    lines.map(|line| format!("{line}\n")).collect()
}

/// What happens to the open question without an answer in time.
fn answer_on_timeout(subject: &ShownRunFacts<'_>) -> Option<String> {
    let history = subject.history();
    questions::deadline(&history.state.plan, history.open_question()?, subject.now)
}

/// What can be done next.
pub(super) fn next_steps(subject: &ShownRunFacts<'_>) -> String {
    let status = subject.history().status(subject.liveness);
    match (subject.liveness, &subject.owner) {
        (Liveness::Alive, Some(owner)) => {
            let since = second_in_zone(owner.since);
            format!("It is active: process {}, since {since}\n", owner.pid) + &answers(subject)
        }
        (Liveness::Alive, None) => "It is active\n".to_owned() + &answers(subject),
        (Liveness::Gone, _) if status == ExecutionStatus::Complete => {
            "It is complete; nothing is left to do\n".to_owned()
        }
        (Liveness::Gone, _) => {
            let remedy = reason::remedy(&subject.history().state);
            let ways = Remedy::ways_on(remedy.as_ref(), Some(&subject.resume_command));
            let state = &subject.history().state;
            let answer = questions::answer_command(state, &subject.commands);
            let deadline = answer.as_ref().and_then(|_| answer_on_timeout(subject));
            let answer = answer.into_iter().chain(deadline);
            let ways = waiting_messages(subject).into_iter().chain(answer).chain(ways);
            ways.map(|way| format!("{way}\n")).collect()
        }
    }
}
