//! Checks the exit code and the last output of a session.

use std::os::unix::process::ExitStatusExt;

use rustix::process::Signal;
use serde_json::Value;

use crate::chaos::script::disturbance::DisturbanceTarget;
use crate::chaos::script::round_script::PrintFormat;

use super::SessionCheck;

pub(super) fn complaints(look: &SessionCheck<'_>, end: Option<&Value>) -> Vec<String> {
    let Some(status) = look.life.status else { return Vec::new() };
    let is_true = match (status.code(), status.signal()) {
        (Some(code), _) => is_code_true(look, end, code),
        (None, Some(signal)) => is_death_true(look, signal),
        (None, None) => false,
    };
    if !is_true {
        let end = end.map_or_else(|| "no end".to_owned(), Value::to_string);
        return vec![format!(
            "the program ended with {status}, and the journal has {end}; it said:\n{}",
            look.life.stderr
        )];
    }
    words(look, end, status.code()).into_iter().collect()
}

fn is_code_true(look: &SessionCheck<'_>, end: Option<&Value>, code: i32) -> bool {
    let facts = &look.life.facts;
    if facts.was_killed(DisturbanceTarget::Runner) && code == 137 {
        return true;
    }
    let Some(end) = end else {
        let cut_short = facts.count_of_requests() > 1 && [130, 143, 129].contains(&code);
        return cut_short || (look.was_complete && look.new.is_empty() && code == 0);
    };
    code == match end["kind"].as_str().unwrap_or_default() {
        "complete" => 0,
        "incomplete" => 1,
        _ => match end["by"].as_str().unwrap_or_default() {
            "interrupt" | "stop" | "stop_now" => 130,
            "terminate" => 143,
            "hangup" => 129,
            "output_closed" => 141,
            "guard_lost" => 137,
            _ => return false,
        },
    }
}

/// Only `SIGKILL` ends the guard, unless there was nothing to guard yet.
fn is_death_true(look: &SessionCheck<'_>, signal: i32) -> bool {
    let facts = &look.life.facts;
    if signal == Signal::KILL.as_raw() {
        return facts.was_killed(DisturbanceTarget::Guard);
    }
    let was_sent = facts.sent.iter().any(|(recipient, sent, _)| {
        *recipient == DisturbanceTarget::Guard && sent.as_raw() == signal
    });
    was_sent && look.new.is_empty()
}

fn words(look: &SessionCheck<'_>, end: Option<&Value>, code: Option<i32>) -> Option<String> {
    let facts = &look.life.facts;
    let was_runner_killed = facts.was_killed(DisturbanceTarget::Runner);
    if code == Some(137) && was_runner_killed && facts.closed.is_none() {
        return words_of_guard(look);
    }
    // The output may be incomplete after a second request, or if it was not read when the runner
    // was gone.
    let is_cut = facts.count_of_requests() > 1
        || was_runner_killed
        || (facts.was_killed(DisturbanceTarget::Guard) && facts.left_unread);
    let end = end.filter(|_| !is_cut)?;
    match (look.plan.format, facts.closed) {
        (PrintFormat::Json, None) => result(look, end),
        (PrintFormat::Json, Some(_)) => None,
        (_, None) => verdict(look, end, &look.life.stdout),
        // If the run did not notice the closed output, its last lines may be lost.
        (_, Some(_)) if !look.new.iter().any(|event| event["by"] == "output_closed") => None,
        (_, Some(_)) if look.life.stdout.contains(first_words(look, end)) => None,
        (_, Some(_)) => verdict(look, end, &look.life.stderr),
    }
}

/// The message of the guard after its runner was killed.
fn words_of_guard(look: &SessionCheck<'_>) -> Option<String> {
    let stderr = &look.life.stderr;
    let run = look.journal.run().unwrap_or_default();
    let is_said = stderr.contains("error: the runner was killed by signal 9")
        && (run.is_empty() || stderr.contains(&format!("forkhestra resume {run}")));
    (!is_said).then(|| format!("nothing says that the runner was killed:\n{stderr}"))
}

/// The last line of JSON output.
fn result(look: &SessionCheck<'_>, end: &Value) -> Option<String> {
    let stdout = &look.life.stdout;
    let last: Option<Value> = serde_json::from_str(stdout.lines().last().unwrap_or_default()).ok();
    let is_said = last.is_some_and(|last| last["end"] == *end);
    (!is_said).then(|| format!("the last line is not the result:\n{}", tail(stdout)))
}

/// The last lines of human output.
fn verdict(look: &SessionCheck<'_>, end: &Value, text: &str) -> Option<String> {
    let run = look.journal.run().unwrap_or_default();
    let verdict = first_words(look, end);
    let is_said = text.lines().last().unwrap_or_default().starts_with(verdict);
    let can_go_on =
        end["kind"] == "complete" || text.contains(&format!("To resume: forkhestra resume {run}"));
    (!is_said || !can_go_on).then(|| format!("the last words should be {verdict}:\n{}", tail(text)))
}

fn first_words(look: &SessionCheck<'_>, end: &Value) -> &'static str {
    match end["kind"].as_str().unwrap_or_default() {
        "complete" if look.journal.loops().contains(&true) => "[forkhestra] Chain complete (",
        "complete" => "[forkhestra] Chain complete (",
        "incomplete" => "[forkhestra] Chain incomplete (",
        _ if end["by"] == "stop" || end["by"] == "stop_now" => "[forkhestra] Chain stopped (",
        _ => "[forkhestra] Chain interrupted (",
    }
}

/// The end of a text.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(8)..].join("\n")
}
