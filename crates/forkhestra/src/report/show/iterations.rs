//! Every try of every step.

use forkhestra_core::event::{
    AgentEnd, Completion, IterationReport, OutcomeClass, OutputSummary, Verdict,
};
use forkhestra_core::history::{AtWork, IterationRecord, Liveness, StepHistory};
use forkhestra_core::id::UnitId;
use forkhestra_core::words;
use typeset::style::{BAD, DIM, GOING_ON, GOOD, WARNING, paint};
use typeset::table::{Cell, indented};
use typeset::text::visible;

use super::{Extent, Subject};
use crate::byte_size::ByteSize;
use crate::report::run::{reason, spoken};
use crate::report::{checks, spent};

/// The tries of all steps that have begun.
pub(super) fn render(subject: &Subject<'_>, extent: Extent) -> String {
    let history = subject.history();
    let steps = history.state.plan.steps.iter().zip(&history.steps);
    let shown = steps.filter_map(|(plan, step)| {
        let tries = tries(subject, plan.number, step, extent)?;
        Some(format!("Iterations of step {}, {}:\n{tries}", plan.number, visible(&plan.agent.name)))
    });
    shown.collect::<Vec<_>>().join("\n")
}

fn tries(
    subject: &Subject<'_>,
    number: usize,
    step: &StepHistory,
    extent: Extent,
) -> Option<String> {
    let left_out = extent.left_out(step.iterations.len());
    let shown = &step.iterations[left_out..];
    let are_kept = shown.iter().any(|record| record.report.sight.snapshot.is_some());
    let mut rows: Vec<Vec<Cell>> = shown.iter().map(|record| over(record, are_kept)).collect();
    let unchecked = subject.history().state.steps[number - 1].unchecked.as_deref();
    rows.extend(step.at_work.as_ref().map(|work| match unchecked {
        Some((unit, report)) if *unit == work.unit => not_checked(subject, *unit, report),
        _ => at_work(subject, work),
    }));
    if rows.is_empty() {
        return None;
    }
    let tries = indented(&rows, "  ");
    Some(match left_out {
        0 => tries,
        earlier => {
            let earlier = words::count(earlier, "earlier one");
            format!("  {}\n{tries}", paint(DIM, &format!("… {earlier}; `--all` shows them")))
        }
    })
}

/// A try that is over: number, verdict, reason, time, output, which work tree is kept of it if any is,
/// and what it spent if that is known.
fn over(record: &IterationRecord, are_kept: bool) -> Vec<Cell> {
    let report = &record.report;
    let style = match &report.verdict {
        Verdict::Complete(_) => GOOD,
        Verdict::Incomplete => DIM,
        Verdict::Crashed | Verdict::Blocked => BAD,
        Verdict::Refused(_) | Verdict::Ended(_) | Verdict::Postponed | Verdict::Interrupted => {
            WARNING
        }
    };
    let mut cells = vec![
        Cell::new(number(record.unit)),
        Cell::painted(record.verdict(), style),
        Cell::new(why(record)),
        Cell::new(spoken(report.duration)),
        Cell::new(output(report.output)),
    ];
    if are_kept {
        let kept = report.sight.snapshot.as_ref();
        let kept = kept.map(|kept| format!("work tree {}", kept.number));
        cells.push(Cell::painted(kept.unwrap_or_default(), DIM));
    }
    let spend = report.spend.and_then(spent::known);
    cells.extend(spend.into_iter().flat_map(spent::cells).map(Cell::new));
    cells
}

/// A try that was not seen to end.
fn at_work(subject: &Subject<'_>, work: &AtWork) -> Vec<Cell> {
    let process = work.pid.map(|pid| format!("process {pid}")).unwrap_or_default();
    let number = Cell::new(number(work.unit));
    match subject.liveness {
        Liveness::Alive => {
            let time = spoken(subject.now.saturating_since(work.started));
            vec![number, Cell::painted("running", GOING_ON), Cell::new(process), Cell::new(time)]
        }
        Liveness::Gone => {
            vec![number, Cell::painted("cut off", WARNING), Cell::new("nobody saw it end")]
        }
    }
}

/// A try whose agent is gone, but whose work has not been checked.
fn not_checked(subject: &Subject<'_>, unit: UnitId, report: &IterationReport) -> Vec<Cell> {
    let end = report.end.as_ref().map(reason::agent_end).unwrap_or_default();
    let (word, style, why) = match subject.liveness {
        Liveness::Alive => ("checking", GOING_ON, end),
        Liveness::Gone => ("not checked", WARNING, format!("{end}, checked when the run goes on")),
    };
    let time = spoken(report.duration);
    vec![
        Cell::new(number(unit)),
        Cell::painted(word, style),
        Cell::new(why),
        Cell::new(time),
        Cell::new(output(report.output)),
    ]
}

fn number(unit: UnitId) -> String {
    match unit.attempt {
        1 => unit.iteration.to_string(),
        attempt => format!("{} (try {attempt})", unit.iteration),
    }
}

fn why(record: &IterationRecord) -> String {
    let end = record.report.end.as_ref();
    let ended = || end.map(reason::agent_end).unwrap_or_default();
    match &record.report.verdict {
        Verdict::Complete(Completion::Marker(sighting)) => {
            let failed = end.filter(|end| !end.is_success()).map(reason::agent_end);
            let failed = failed.map(|end| format!(", {end}")).unwrap_or_default();
            format!("{}{failed}", reason::sighting(sighting))
        }
        Verdict::Complete(Completion::File) => "the done file appeared or changed".to_owned(),
        Verdict::Complete(Completion::ExitCode | Completion::Tasks) => ended(),
        Verdict::Incomplete if was_stopped(record) => {
            let why = reason::looked_for(&record.report).unwrap_or_default();
            format!("ended by us: {why}")
        }
        Verdict::Incomplete | Verdict::Crashed => {
            let failure = checks::failure(&record.report.checks);
            let said = end.map(reason::agent_end).into_iter();
            let said = said.chain(reason::looked_for(&record.report)).chain(failure);
            said.collect::<Vec<_>>().join(", ")
        }
        Verdict::Refused(why) => {
            format!("not believed: {}", reason::refusal(*why, Some(&record.report)))
        }
        Verdict::Postponed | Verdict::Blocked => {
            let heard = record.report.heard.as_ref();
            heard.map_or_else(ended, |heard| reason::outcome(&heard.outcome))
        }
        Verdict::Ended(why) => format!("ended by us: {}", reason::ending_in_brief(*why)),
        Verdict::Interrupted => match end {
            None => "cut off with the run".to_owned(),
            Some(AgentEnd::NotStarted { .. } | AgentEnd::Exited(_) | AgentEnd::Signaled(_)) => {
                ended()
            }
        },
    }
}

/// Whether an agent that said why it stops did not end by itself after that.
fn was_stopped(record: &IterationRecord) -> bool {
    let heard = record.report.heard.as_ref();
    let has_stopped = heard.is_some_and(|heard| heard.outcome.class != OutcomeClass::Finished);
    let was_ended = match record.report.end {
        Some(AgentEnd::Signaled(_)) => true,
        // Some say with their exit code that a signal ended them.
        Some(AgentEnd::Exited(code)) => code > 128,
        Some(AgentEnd::NotStarted { .. }) | None => false,
    };
    has_stopped && was_ended
}

fn output(printed: OutputSummary) -> String {
    match (printed.stdout, printed.stderr) {
        (0, 0) => "no output".to_owned(),
        (stdout, 0) => ByteSize(stdout).to_string(),
        (stdout, stderr) => format!("{}, {} on stderr", ByteSize(stdout), ByteSize(stderr)),
    }
}
