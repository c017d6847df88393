//! Why the iterations of a step failed: crashes, and agents that forkhestra stopped.

use std::io;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{OutcomeClass, RunEnd, StopReason, Verdict};
use forkhestra_core::explain::StopReasonEntry;
use forkhestra_core::history::{IterationRecord, RunHistory};
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::{HumanDuration, Limit};
use forkhestra_core::plan::{AgentKind, PlanStep};
use forkhestra_store::RunDir;
use forkhestra_store::output_log::OutputLog;
use typeset::text::visible_lines;

use crate::logs::StreamLog;
use crate::report::run::reason;
use crate::report::text::iteration;

/// Maximum number of lines shown of an agent.
const MAX_LINES: usize = 2;

/// Bytes at the end of a stream that are searched for these lines.
const TAIL_BYTES: usize = 4096;

/// Why the iterations of a run's last step failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IterationFailures {
    /// `2 of 2 iterations crashed (exit 1)`.
    pub(super) heading: String,
    /// The last lines of the agent that failed last, if known.
    pub(super) output: Vec<String>,
    /// Whether the agent of the step runs once, so that the end of the step has the same cause.
    pub(super) runs_once: bool,
    /// The iteration that failed last.
    unit: UnitId,
    /// Whether standard output of the agent is a JSON stream.
    prints_json: bool,
}

impl IterationFailures {
    /// The failures of the current step of a run that is not complete. None if the last iteration
    /// and at least half of all iterations did not fail.
    pub(super) fn of(history: &RunHistory) -> Option<Self> {
        if history.state.end == Some(RunEnd::Complete) {
            return None;
        }
        let number = history.current_step()?;
        let (step, records) = (history.state.plan.step(number)?, history.steps.get(number - 1)?);
        let over = records.iterations.iter().filter(|record| record.report.has_outcome());
        let over: Vec<&IterationRecord> = over.collect();
        // A resume or `forkhestra set` may have changed the limits since earlier iterations.
        let limits_are_known = history.resumed == 0 && !history.limits_changed;
        let causes: Vec<Option<String>> =
            over.iter().map(|record| cause(record, step, limits_are_known)).collect();
        let failed = causes.iter().flatten().count();
        let last_failed = causes.last().is_some_and(Option::is_some);
        if !last_failed && failed * 2 <= over.len() {
            return None;
        }
        let (last, _) = over.iter().zip(&causes).rfind(|(_, cause)| cause.is_some())?;
        let reported = last.report.stream_summary.as_ref().map(|reported| &reported.outcome);
        let reported = reported.filter(|outcome| outcome.class != OutcomeClass::Finished);
        let message = reported.and_then(|outcome| outcome.message.as_deref()).unwrap_or_default();
        let runs_once = step.iterations.is_none();
        Some(Self {
            heading: heading(&causes, runs_once),
            output: last_lines(message, |_| true),
            runs_once,
            unit: last.unit,
            prints_json: matches!(step.agent.kind, AgentKind::Direct(_)),
        })
    }

    /// Reads the last lines of the agent, unless its stream has an error message. For an agent that
    /// prints JSON only standard error is read: its stream contains tool results, which must not
    /// get into a notification. An unreadable log is skipped, because the cause is known without
    /// it.
    pub(super) fn read_output(&mut self, run: &RunDir) {
        if !self.output.is_empty() {
            return;
        }
        let is_text = |line: &str| !(self.prints_json && line.trim_start().starts_with('{'));
        let lines = |stream| {
            let tail =
                last_whole_lines(&StreamLog::of(run, self.unit, stream).log).unwrap_or_default();
            last_lines(&String::from_utf8_lossy(&tail), is_text)
        };
        let errors = lines(OutputStream::Stderr);
        let is_enough = self.prints_json || !errors.is_empty();
        self.output = if is_enough { errors } else { lines(OutputStream::Stdout) };
    }
}

/// The end of a log, from the beginning of a line.
fn last_whole_lines(log: &OutputLog) -> io::Result<Vec<u8>> {
    let mut tail = log.read_tail(TAIL_BYTES)?;
    if (tail.len() as u64) < log.kept()?.end() {
        let line_end = tail.iter().position(|byte| *byte == b'\n');
        tail.drain(..line_end.map_or(tail.len(), |place| place + 1));
    }
    Ok(tail)
}

/// The last non-blank lines of a text, safe to print.
fn last_lines(text: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let lines = visible_lines(text).into_iter();
    let lines: Vec<String> =
        lines.filter(|line| !line.trim().is_empty() && is_wanted(line)).collect();
    lines[lines.len().saturating_sub(MAX_LINES)..].to_vec()
}

/// How an iteration failed; none if it did not, or if the end of its step explains it.
fn cause(record: &IterationRecord, step: &PlanStep, limits_are_known: bool) -> Option<String> {
    let report = &record.report;
    let limits = &step.limits;
    let stopped = |why: String| Some(format!("stopped by forkhestra: {why}"));
    let limit = |limit: &Limit<HumanDuration>| match limit {
        Limit::At(limit) if limits_are_known => limit.to_string(),
        _ => "too long".to_owned(),
    };
    match &report.verdict {
        // The refused rounds tell why it did not accept them.
        Verdict::Crashed if iteration::is_refusal(step, record) => None,
        Verdict::Crashed => {
            let end = report.end.as_ref().map(|end| format!(" ({})", reason::agent_end(end)));
            Some(format!("crashed{}", end.unwrap_or_default()))
        }
        Verdict::AgentStopped(StopReason::Idle) => {
            let is_understood = matches!(step.agent.kind, AgentKind::Direct(_));
            let what = if is_understood { "progress" } else { "output" };
            stopped(format!("no {what} for {}", limit(&limits.idle_timeout.value)))
        }
        Verdict::AgentStopped(StopReason::Timeout) => {
            let limit = limit(&limits.timeout.value);
            let longer = if limit == "too long" { "took" } else { "longer than" };
            stopped(format!("{longer} {limit}"))
        }
        Verdict::AgentStopped(StopReason::Futile) => {
            let reported =
                report.stream_summary.as_ref().map(|reported| reason::outcome(&reported.outcome));
            stopped(
                reported
                    .unwrap_or_else(|| StopReasonEntry::of(StopReason::Futile).brief.to_owned()),
            )
        }
        _ => None,
    }
}

/// Number of failed iterations by cause, most frequent first.
fn heading(causes: &[Option<String>], runs_once: bool) -> String {
    let mut counted: Vec<(usize, &str)> = Vec::new();
    for cause in causes.iter().flatten() {
        match counted.iter_mut().find(|(_, known)| known == cause) {
            Some((number, _)) => *number += 1,
            None => counted.push((1, cause)),
        }
    }
    counted.sort_by(|(one, _), (other, _)| other.cmp(one));
    let all = causes.len();
    match counted.as_slice() {
        [(_, cause)] if runs_once => format!("The agent {cause}"),
        [(number, cause)] => format!("{number} of {all} iterations {cause}"),
        several => {
            let failed: usize = several.iter().map(|(number, _)| number).sum();
            let parts: Vec<String> =
                several.iter().map(|(number, cause)| format!("{number} {cause}")).collect();
            format!("{failed} of {all} iterations failed: {}", parts.join("; "))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::report::run_report::lines::OutputRows;

    #[test]
    fn a_line_that_begins_before_the_tail_is_left_out() {
        let directory = tempfile::tempdir().expect("there is room");
        let path = directory.path().join("stdout");
        let long = "x".repeat(TAIL_BYTES);
        for (printed, expected) in [
            ("", ""),
            ("one\ntwo", "one\ntwo"),
            (long.as_str(), long.as_str()),
            (&format!("{long}y"), ""),
            (&format!("{long}\nlast\n"), "last\n"),
        ] {
            fs::write(&path, printed).expect("the place is ours");
            let read = last_whole_lines(&OutputLog::open(path.clone())).expect("it can be read");
            assert!(read == expected.as_bytes(), "{}", String::from_utf8_lossy(&read));
        }
    }

    #[test]
    fn the_heading_counts_the_causes_of_failed_iterations() {
        let some = |text: &str| Some(text.to_owned());
        for (causes, runs_once, expected) in [
            (vec![some("crashed (exit 1)")], true, "The agent crashed (exit 1)"),
            (vec![some("crashed (exit 1)")], false, "1 of 1 iterations crashed (exit 1)"),
            (vec![None, some("crashed"), some("crashed")], false, "2 of 3 iterations crashed"),
            (
                vec![some("stopped"), some("crashed"), some("crashed")],
                false,
                "3 of 3 iterations failed: 2 crashed; 1 stopped",
            ),
        ] {
            assert_eq!(heading(&causes, runs_once), expected);
        }
    }

    #[test]
    fn the_last_lines_with_text_are_shown() {
        let text = "one\n\ntwo\n{\"json\":1}\nthree\n \n";
        assert_eq!(last_lines(text, |_| true), ["{\"json\":1}", "three"]);
        assert_eq!(last_lines(text, |line| !line.starts_with('{')), ["two", "three"]);
        assert!(last_lines("", |_| true).is_empty());
    }

    #[test]
    fn a_long_line_keeps_its_start_and_its_end() {
        let rows = |line: &str, rows| {
            let failures = IterationFailures {
                heading: "The agent crashed (exit 70)".to_owned(),
                output: vec![line.to_owned()],
                runs_once: true,
                unit: UnitId { step: 1, iteration: 1, attempt: 1 },
                prints_json: false,
            };
            failures.section(80, rows).lines
        };
        assert_eq!(rows("  at  main", OutputRows::Two), ["  |   at  main"]);
        let file = format!("/home/me/{}.git/refs/heads/main.lock", "directory/".repeat(8));
        let two = rows(&format!("error: {file} exists"), OutputRows::Two);
        let text: String = two.iter().filter_map(|row| row.strip_prefix("  | ")).collect();
        assert_eq!(text, format!("error: {file} exists"));
        let far = format!("error:{}/var/log/agent.log", " ".repeat(300));
        let [first, last] = &rows(&far, OutputRows::Two)[..] else { panic!("not two rows") };
        assert!(first.starts_with("  | error: ") && last.ends_with("  /var/log/agent.log"));
        assert!(last.starts_with("  | …"), "{last}");
        let one = rows(&far, OutputRows::One);
        assert!(one.len() == 1 && one[0].ends_with('…'), "{one:?}");
        assert!(two.iter().chain([first, last]).all(|row| row.chars().count() <= 80), "{two:#?}");
    }
}
