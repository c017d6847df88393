//! Texts about the results of iterations.

use super::end_facts::EndFacts;
use super::outcome_entry::OutcomeEntry;
use crate::check::CheckSpec;
use crate::event::{
    AgentOutcome, CheckReport, IterationReport, MarkerMatch, OutcomeClass, Verdict,
};
use crate::text;

/// A longer name or command is cut.
const MAX_WIDTH: usize = 80;

/// The outcome that an agent reported, with its own message.
pub fn outcome(outcome: &AgentOutcome) -> String {
    let what = OutcomeEntry::of(outcome, &EndFacts::UNKNOWN).brief;
    match &outcome.message {
        Some(message) => format!("{what}: {message}"),
        None => what.to_owned(),
    }
}

/// Why an agent stopped before it finished, if it did. `max_turns` is its limit of turns, if there
/// is one.
pub fn stopped(report: &IterationReport, max_turns: Option<u32>) -> Option<String> {
    let reported = &report.stream_summary.as_ref()?.outcome;
    Some(match reported.class {
        OutcomeClass::Finished => return None,
        OutcomeClass::TurnLimit => {
            let turns = max_turns.map(|turns| format!(" (maxTurns {turns})")).unwrap_or_default();
            format!("its turns are used up{turns}")
        }
        OutcomeClass::Budget => "what it may spend is spent".to_owned(),
        OutcomeClass::ContextTooLong => "its context is full".to_owned(),
        _ => outcome(reported),
    })
}

/// Which completion marker was missing, or why it would not have counted. None if the agent's
/// output is not parsed.
pub fn missing_marker(report: &IterationReport) -> Option<String> {
    let reported = &report.stream_summary.as_ref()?.outcome;
    match (&report.verdict, reported.class) {
        (Verdict::Incomplete, OutcomeClass::Finished) => Some("no completion marker".to_owned()),
        (Verdict::Complete(_), _) | (_, OutcomeClass::Finished) => None,
        _ => Some(outcome(reported)),
    }
}

/// Where a marker was matched.
pub fn match_position(marker_match: &MarkerMatch) -> String {
    let MarkerMatch { marker, line, message, .. } = marker_match;
    let message = message.map(|message| format!(" of message {message}")).unwrap_or_default();
    format!("marker `{marker}` in line {line}{message}")
}

/// The name of a check in messages. A command is its own name.
pub fn check_name(name: &str) -> String {
    match CheckSpec::parse(name) {
        Ok(CheckSpec::Command(command)) => shortened(&command),
        _ => shortened(name),
    }
}

/// The names of the checks that passed, and of those that failed.
pub fn check_names(checks: &[CheckReport]) -> [Vec<String>; 2] {
    let (passed, failed): (Vec<&CheckReport>, Vec<&CheckReport>) =
        checks.iter().partition(|check| check.passed());
    [passed, failed].map(|checks| checks.iter().map(|check| check_name(&check.name)).collect())
}

/// The number and names of failed checks; none if all passed.
pub fn failed_checks(checks: &[CheckReport]) -> Option<String> {
    let [_, failed] = check_names(checks);
    let what = match failed.len() {
        0 => return None,
        1 => "1 check failed".to_owned(),
        number => format!("{number} checks failed"),
    };
    Some(format!("{what} ({})", failed.join(", ")))
}

/// A name or a command, cut to a readable length.
pub fn shortened(text: &str) -> String {
    text::cut(text, MAX_WIDTH)
}
