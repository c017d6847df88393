//! Words and signs of the screens.

use std::time::Duration;

use forkhestra_core::cost::{Cost, Spend};
use forkhestra_core::event::{ClaimRefusal, ProcessEnd, StepEnd, Verdict};
use forkhestra_core::explain::{EndEntry, EndFacts};
use forkhestra_core::history::{ExecutionStatus, IterationRecord};
use forkhestra_core::machine::RunState;
use ratatui::style::Style;

use super::screen_row::clean;
use crate::app::local_clock::LocalClock;
use crate::run_source::StatusOverride;
use crate::theme::{ACCENT, BAD, GOOD, PLAIN, WARNING};

/// A duration with limited precision: `850ms`, `3s`, `1m 15s`, `2h 03m`, `3d 4h`.
pub(crate) fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0, 0) if duration.subsec_millis() > 0 => format!("{}ms", duration.subsec_millis()),
        (0, 0, 0, seconds) => format!("{seconds}s"),
        (0, 0, minutes, seconds) => format!("{minutes}m {seconds:02}s"),
        (0, hours, minutes, _) => format!("{hours}h {minutes:02}m"),
        (days, hours, _, _) => format!("{days}d {hours}h"),
    }
}

/// A duration without fractions, for a running clock.
pub(crate) fn clock(duration: Duration) -> String {
    duration_text(Duration::from_secs(duration.as_secs()))
}

/// An estimated duration: `40s`, `12m`, `2h 10m`.
pub(crate) fn rough_duration_text(duration: Duration) -> String {
    let minutes = duration.as_secs().div_ceil(60);
    match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
        _ if duration.as_secs() < 60 => clock(duration),
        (0, 0, minutes) => format!("{minutes}m"),
        (0, hours, minutes) => format!("{hours}h {minutes:02}m"),
        (days, hours, _) => format!("{days}d {hours}h"),
    }
}

/// A duration in a single unit: `3s`, `15m`, `2h`, `3d`.
pub(crate) fn age(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match (seconds / 86_400, seconds / 3600, seconds / 60) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, minutes) => format!("{minutes}m"),
        (0, hours, _) => format!("{hours}h"),
        (days, _, _) => format!("{days}d"),
    }
}

/// A cost in few columns.
pub(crate) fn cost(spend: &Spend) -> String {
    match spend.cost() {
        Cost::Known(dollars) => dollars.to_string(),
        Cost::AtLeast(dollars) => format!("{dollars}+"),
        Cost::Unknown => "$?".to_owned(),
    }
}

/// A number of tokens in few columns: `950`, `12k`, `3.4M`.
pub(crate) fn tokens(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}.{}M", number / 1_000_000, number / 100_000 % 10),
    }
}

/// The sign of a step or run.
pub(crate) const fn status(status: ExecutionStatus) -> (&'static str, Style) {
    match status {
        ExecutionStatus::Pending => ("○", PLAIN),
        ExecutionStatus::Running => ("●", ACCENT),
        ExecutionStatus::Complete => ("✓", GOOD),
        ExecutionStatus::Failed => ("✗", BAD),
        ExecutionStatus::Stagnated
        | ExecutionStatus::MaxIterations
        | ExecutionStatus::MaxRounds
        | ExecutionStatus::NotAccepted
        | ExecutionStatus::Denied
        | ExecutionStatus::Limited => ("▲", WARNING),
        ExecutionStatus::Interrupted => ("■", WARNING),
        ExecutionStatus::Skipped | ExecutionStatus::NotNeeded => ("»", PLAIN),
    }
}

/// The sign, style and word of a run: its status, unless it is overridden.
pub(crate) fn run_status(
    status_override: Option<StatusOverride>,
    of: ExecutionStatus,
) -> (&'static str, Style, String) {
    let (sign, style, word) = match status_override {
        Some(StatusOverride::Paused) => ("‖", WARNING, "paused"),
        Some(StatusOverride::Stopping) => ("◐", WARNING, "stopping"),
        Some(StatusOverride::Asking(_)) => ("?", WARNING, "asking"),
        Some(StatusOverride::Waiting) => ("◐", WARNING, "waiting"),
        Some(StatusOverride::Stopped) => ("■", WARNING, "stopped"),
        Some(StatusOverride::Incomplete) => ("▲", WARNING, "incomplete"),
        Some(StatusOverride::Unknown(why)) => ("✗", BAD, why),
        None => {
            let (sign, style) = status(of);
            (sign, style, of.as_str())
        }
    };
    (sign, style, plain_word(word))
}

/// An identifier of the file formats as plain words.
pub(crate) fn plain_word(word: &str) -> String {
    word.replace('_', " ")
}

/// The sign of a verdict.
pub(crate) const fn verdict(verdict: &Verdict) -> (&'static str, Style) {
    match verdict {
        Verdict::Complete(_) => ("✓", GOOD),
        Verdict::Incomplete => ("·", PLAIN),
        Verdict::Refused(_) => ("▲", WARNING),
        Verdict::Crashed | Verdict::Blocked => ("✗", BAD),
        Verdict::AgentStopped(_) => ("■", WARNING),
        Verdict::Postponed => ("◐", WARNING),
        Verdict::Interrupted => ("↻", PLAIN),
    }
}

/// The result of an iteration in a few words; empty if it is ordinary.
pub(crate) fn outcome_note(record: &IterationRecord) -> String {
    let report = &record.report;
    let outcome =
        report.stream_summary.as_ref().map(|outcome| plain_word(outcome.outcome.class.as_str()));
    match &report.verdict {
        Verdict::Complete(_) | Verdict::Incomplete => String::new(),
        Verdict::Crashed => match &report.end {
            Some(ProcessEnd::NotStarted { .. }) => "not started".to_owned(),
            Some(ProcessEnd::Signaled(signal)) => format!("signal {signal}"),
            Some(end) => clean(&end.to_string()),
            None => "crashed".to_owned(),
        },
        Verdict::Refused(ClaimRefusal::ChecksFailed) => {
            let failing = report.checks.iter().find(|check| !check.passed());
            failing.map_or_else(|| "a check".to_owned(), |check| clean(&check.name))
        }
        Verdict::Refused(why) => plain_word(why.as_str()),
        Verdict::AgentStopped(why) => plain_word(why.as_str()),
        Verdict::Postponed | Verdict::Blocked => outcome.unwrap_or_else(|| "not served".to_owned()),
        Verdict::Interrupted => "cut off".to_owned(),
    }
}

/// The result of an iteration in a sentence.
pub(crate) fn outcome(record: &IterationRecord) -> String {
    let word = record.report.verdict.label();
    let note = outcome_note(record);
    let by = record.completion().map(|by| plain_word(by.as_str()));
    let why = by.or((!note.is_empty() && note != word).then_some(note));
    let end = record.report.end.as_ref().map(|end| clean(&end.to_string()));
    let end = end.filter(|end| why.as_ref() != Some(end));
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    let end = end.map(|end| format!(" ({end})")).unwrap_or_default();
    format!("{word}{why}{end}")
}

/// How a step of a run ended.
pub(crate) fn step_end(
    state: &RunState,
    step: usize,
    end: &StepEnd,
    local: LocalClock<'_>,
) -> String {
    let time_text = |at| local.time(at);
    let entry = EndEntry::of(end, &EndFacts::of(state, step, &time_text));
    // The short code leaves more room for the resume command.
    if entry.cause.is_some() { clean(&entry.brief) } else { plain_word(entry.code) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_human_readable() {
        for (milliseconds, expected) in [
            (0, "0s"),
            (850, "850ms"),
            (59_999, "59s"),
            (75_900, "1m 15s"),
            (7_399_000, "2h 03m"),
            (100 * 3_600_000, "4d 4h"),
        ] {
            assert_eq!(duration_text(Duration::from_millis(milliseconds)), expected);
        }
        assert_eq!(age(Duration::from_secs(7_399)), "2h");
        assert_eq!(
            [40, 61, 7_399].map(|n| rough_duration_text(Duration::from_secs(n))),
            ["40s", "2m", "2h 04m"]
        );
        assert_eq!(clock(Duration::from_millis(850)), "0s");
    }

    #[test]
    fn numbers_of_tokens_are_short() {
        let numbers = [950, 12_345, 999_999, 3_456_789];
        assert_eq!(numbers.map(tokens), ["950", "12k", "999k", "3.4M"]);
    }
}
