//! All attempts of all steps.

use forkhestra_core::event::{
    CompletionSignal, IterationReport, OutcomeClass, OutputSummary, ProcessEnd, Verdict,
};
use forkhestra_core::explain::StopReasonEntry;
use forkhestra_core::history::{IterationRecord, Liveness, StepHistory, UnfinishedAgent};
use forkhestra_core::id::{LaneNumber, UnitId};
use forkhestra_core::plan::PlanStep;
use typeset::style::{ACTIVE, BAD, DIM, GOOD, WARNING};
use typeset::table::{GAP, TableCell, indented, widths};
use typeset::text::{shortened, visible};

use super::{ShowDetail, ShownRunFacts, ending};
use crate::cli::byte_size::ByteSize;
use crate::report::run::{reason, short_duration};
use crate::report::text::{checks, iteration, spend};

/// The attempts of all steps that have started.
pub(super) fn render(subject: &ShownRunFacts<'_>, detail: ShowDetail) -> String {
    let history = subject.history();
    let steps = history.state.plan.steps.iter().zip(&history.steps);
    let shown = steps.filter_map(|(plan, step)| {
        let tries = attempts_table(subject, plan.number, step, detail)?;
        Some(format!("Iterations of step {}, {}:\n{tries}", plan.number, visible(&plan.agent.name)))
    });
    shown.collect::<Vec<_>>().join("\n")
}

fn attempts_table(
    subject: &ShownRunFacts<'_>,
    number: usize,
    step: &StepHistory,
    detail: ShowDetail,
) -> Option<String> {
    let left_out = detail.left_out(step.iterations.len());
    let shown = &step.iterations[left_out..];
    let are_kept = shown.iter().any(|record| record.report.observation.snapshot.is_some());
    let plan = subject.history().state.plan.step(number);
    let all =
        |width| shown.iter().map(|record| finished_row(plan, record, are_kept, width)).collect();
    let mut rows: Vec<Vec<TableCell>> = fitting(subject.columns, all);
    rows.extend(step.unfinished_agents.iter().map(|work| {
        match subject.history().unchecked_report(work) {
            Some(report) => unchecked_row(subject, work, report),
            None => unfinished_row(subject, work),
        }
    }));
    if rows.is_empty() {
        return None;
    }
    Some(ending::earlier(left_out) + &indented(&rows, "  "))
}

/// Width of the row of an attempt.
#[derive(Debug, Clone, Copy)]
struct RowWidth {
    /// Maximum width of the reason.
    reason: usize,
    /// Whether output size and work tree are left out.
    is_narrow: bool,
}

/// The widest rows that fit.
fn fitting(
    columns: Option<usize>,
    rows: impl Fn(RowWidth) -> Vec<Vec<TableCell>>,
) -> Vec<Vec<TableCell>> {
    let whole = rows(RowWidth { reason: usize::MAX, is_narrow: false });
    let Some(columns) = columns else { return whole };
    let fits = |rows: &[Vec<TableCell>]| {
        let widths = widths(rows);
        let gaps = GAP.len() * widths.len();
        widths.iter().sum::<usize>() + gaps <= columns
    };
    let reasons = [60, 50, 40, 30, 24, 18, 12];
    let narrow = reasons.iter().map(|reason| RowWidth { reason: *reason, is_narrow: true });
    let narrower = [RowWidth { reason: 30, is_narrow: false }].into_iter().chain(narrow);
    let mut found = whole;
    for width in narrower {
        if fits(&found) {
            break;
        }
        found = rows(width);
    }
    found
}

/// A finished attempt: number, verdict, reason, time, output, stored work tree if any, and spend if
/// known.
fn finished_row(
    step: Option<&PlanStep>,
    record: &IterationRecord,
    are_kept: bool,
    width: RowWidth,
) -> Vec<TableCell> {
    let report = &record.report;
    let style = match &report.verdict {
        _ if step.is_some_and(|step| iteration::is_refusal(step, record)) => WARNING,
        Verdict::Complete(_) => GOOD,
        Verdict::Incomplete => DIM,
        Verdict::Crashed | Verdict::Blocked => BAD,
        Verdict::Refused(_)
        | Verdict::AgentStopped(_)
        | Verdict::Postponed
        | Verdict::Interrupted => WARNING,
    };
    let mut cells = vec![
        TableCell::new(number(record.unit, record.lane)),
        TableCell::painted(iteration::verdict(step, record), style),
        TableCell::new(shortened(&why(record), width.reason)),
        TableCell::new(short_duration(report.duration)),
    ];
    if !width.is_narrow {
        cells.push(TableCell::new(output(report.output)));
    }
    if are_kept && !width.is_narrow {
        let kept = report.observation.snapshot.as_ref();
        let kept = kept.map(|kept| format!("work tree {}", kept.number));
        cells.push(TableCell::painted(kept.unwrap_or_default(), DIM));
    }
    let spend = report.spend.and_then(spend::known);
    cells.extend(spend.into_iter().flat_map(spend::cells).map(TableCell::new));
    cells
}

/// An attempt whose end is not recorded.
fn unfinished_row(subject: &ShownRunFacts<'_>, work: &UnfinishedAgent) -> Vec<TableCell> {
    let process = work.pid.map(|pid| format!("process {pid}")).unwrap_or_default();
    let number = TableCell::new(number(work.unit, work.lane));
    match subject.liveness {
        Liveness::Alive => {
            let time = short_duration(subject.now.saturating_since(work.started));
            vec![
                number,
                TableCell::painted("running", ACTIVE),
                TableCell::new(process),
                TableCell::new(time),
            ]
        }
        Liveness::Gone => {
            vec![
                number,
                TableCell::painted("cut off", WARNING),
                TableCell::new("its end was not recorded"),
            ]
        }
    }
}

/// An attempt whose agent has finished but whose work has not been checked.
fn unchecked_row(
    subject: &ShownRunFacts<'_>,
    work: &UnfinishedAgent,
    report: &IterationReport,
) -> Vec<TableCell> {
    let end = report.end.as_ref().map(reason::agent_end).unwrap_or_default();
    let (word, style, why) = match subject.liveness {
        Liveness::Alive => ("checking", ACTIVE, end),
        Liveness::Gone => {
            ("not checked", WARNING, format!("{end}, checked when the run is resumed"))
        }
    };
    let time = short_duration(report.duration);
    vec![
        TableCell::new(number(work.unit, work.lane)),
        TableCell::painted(word, style),
        TableCell::new(why),
        TableCell::new(time),
        TableCell::new(output(report.output)),
    ]
}

fn number(unit: UnitId, lane: Option<LaneNumber>) -> String {
    let lane = lane.map(|lane| format!(" (lane {lane})")).unwrap_or_default();
    match unit.attempt {
        1 => format!("{}{lane}", unit.iteration),
        attempt => format!("{} (attempt {attempt}){lane}", unit.iteration),
    }
}

/// The reason for the verdict, and the tasks that the iteration worked on.
fn why(record: &IterationRecord) -> String {
    let reason = reason_of(record);
    match iteration::tasks(record) {
        Some(tasks) if reason.is_empty() => tasks,
        Some(tasks) if reason != tasks => format!("{reason}; {tasks}"),
        _ => reason,
    }
}

pub(super) fn reason_of(record: &IterationRecord) -> String {
    let end = record.report.end.as_ref();
    let ended = || end.map(reason::agent_end).unwrap_or_default();
    match &record.report.verdict {
        Verdict::Complete(CompletionSignal::Marker(marker_match)) => {
            let failed = end.filter(|end| !end.is_success()).map(reason::agent_end);
            let failed = failed.map(|end| format!(", {end}")).unwrap_or_default();
            format!("{}{failed}", reason::match_position(marker_match))
        }
        Verdict::Complete(CompletionSignal::File) => "the done file appeared or changed".to_owned(),
        Verdict::Complete(
            CompletionSignal::ExitCode | CompletionSignal::Tasks | CompletionSignal::Approved,
        ) => ended(),
        Verdict::Incomplete if was_stopped(record) => {
            let why = reason::missing_marker(&record.report).unwrap_or_default();
            format!("stopped by forkhestra: {why}")
        }
        Verdict::Incomplete | Verdict::Crashed => {
            let failure = checks::failure(&record.report.checks);
            if let (Verdict::Incomplete, Some(tasks), None) =
                (&record.report.verdict, iteration::tasks(record), &failure)
            {
                return tasks;
            }
            let parts = end.map(reason::agent_end).into_iter();
            let parts = parts.chain(reason::missing_marker(&record.report)).chain(failure);
            parts.collect::<Vec<_>>().join(", ")
        }
        Verdict::Refused(why) => reason::refusal(*why, Some(&record.report)),
        Verdict::Postponed | Verdict::Blocked => {
            let stream_summary = record.report.stream_summary.as_ref();
            stream_summary
                .map_or_else(ended, |stream_summary| reason::outcome(&stream_summary.outcome))
        }
        Verdict::AgentStopped(why) => {
            format!("stopped by forkhestra: {}", StopReasonEntry::of(*why).brief)
        }
        Verdict::Interrupted => match end {
            None => "cut off with the run".to_owned(),
            Some(
                ProcessEnd::NotStarted { .. } | ProcessEnd::Exited(_) | ProcessEnd::Signaled(_),
            ) => ended(),
        },
    }
}

/// Whether an agent that reported why it stops was terminated afterwards.
fn was_stopped(record: &IterationRecord) -> bool {
    let stream_summary = record.report.stream_summary.as_ref();
    let has_stopped = stream_summary
        .is_some_and(|stream_summary| stream_summary.outcome.class != OutcomeClass::Finished);
    let was_ended = match record.report.end {
        Some(ProcessEnd::Signaled(_)) => true,
        // Some programs report termination by a signal with an exit code above 128.
        Some(ProcessEnd::Exited(code)) => code > 128,
        Some(ProcessEnd::NotStarted { .. }) | None => false,
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
