//! Prints one line for each event.

use forkhestra_core::event::{CheckReport, Event, EventKind, HookMoment, HookReport};
use forkhestra_core::machine::RunState;
use forkhestra_engine::{EventSink, SinkError};

use crate::print_line;

/// Prints events as they happen.
pub(crate) struct ProbeReporter;

impl EventSink for ProbeReporter {
    fn record_event(&mut self, event: &Event) -> Result<(), SinkError> {
        event_line(&event.kind)
            .map_or(Ok(()), |line| print_line(&line))
            .map_err(|_| SinkError::OutputClosed)
    }
}

/// Prints the iterations that are still unchecked.
pub(crate) fn print_state(state: &RunState) -> std::io::Result<()> {
    for unchecked in state.steps.iter().filter_map(|step| step.unchecked.as_ref()) {
        print_line(&format!("unchecked {}", unchecked.0))?;
    }
    Ok(())
}

fn event_line(kind: &EventKind) -> Option<String> {
    Some(match kind {
        EventKind::RunStarted { run, .. } => format!("run {run}"),
        EventKind::RunResumed { run, .. } => format!("resumed {run}"),
        EventKind::IterationStarted { unit, .. } => format!("iteration {unit}"),
        EventKind::AgentStarted { pid, .. } => format!("agent {pid}"),
        EventKind::AgentFinished { unit, .. } => format!("agent of {unit} is gone"),
        EventKind::AuxJobStarted { aux_job, pid } => format!("{aux_job} is {pid}"),
        EventKind::CheckFinished { report, .. } => check_line(report),
        EventKind::HookFinished { report } => hook_line(report),
        EventKind::IterationFinished { unit, report } => {
            format!("{unit} {} with {} checks", report.verdict.as_str(), report.checks.len())
        }
        EventKind::StepFinished { end, .. } => format!("step {}", end.as_str()),
        EventKind::Cancelled { by } => format!("cancelled by {}", by.as_str()),
        EventKind::Paused => "paused".to_owned(),
        EventKind::Continued => "continued".to_owned(),
        EventKind::Warning { message } => format!("warning: {message}"),
        EventKind::RunFinished { end } => format!("end {}", end.exit_code()),
        _ => return None,
    })
}

fn check_line(report: &CheckReport) -> String {
    let CheckReport { name, outcome, message, tail, .. } = report;
    let message = message.as_deref().unwrap_or_default();
    let tail = tail.as_deref().unwrap_or_default();
    format!("{name} {}: {message} | {} | {tail:?}", outcome.as_str(), tail.len())
}

fn hook_line(report: &HookReport) -> String {
    let HookReport { moment: HookMoment { point, unit }, number, failure, .. } = report;
    let unit = unit.map_or_else(|| "nobody".to_owned(), |unit| unit.to_string());
    let end = failure.as_deref().unwrap_or("well");
    format!("{point} {number} of {unit} ended: {end}")
}
