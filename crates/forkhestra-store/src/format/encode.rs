//! From events to lines.

use std::time::Duration;

use forkhestra_core::event::{self, Event, EventKind, HookReport, IterationReport};

use super::events::{
    AgentEnding, AgentFinished, AgentStarted, BackingOff, Body, Cancelled, CheckFinished,
    CompletionRequested, Continued, ErrandStarted, HookFinished, IterationFinished,
    IterationStarted, LimitsChanged, MachineSlept, MessageQueued, MessagesGiven, Paused,
    RunFinished, RunResumed, RunStarted, SkipRequested, Spent, StepFinished, StepStarted,
    StopRequested, Surveyed, TasksChanged, Waiting, Warning,
};
use super::heard::Moment;
use super::line::WrittenLine;
use super::report::Unit;
use super::version::Version;

/// Writes an event as a line, without the line break.
///
/// The number of the line is the caller's to count, from zero.
pub fn encode(event: &Event, seq: u64) -> String {
    let mut line = Vec::new();
    encode_into(&mut line, event, seq);
    String::from_utf8(line).expect("JSON is UTF-8")
}

/// Appends a line to a buffer, without the line break.
pub(crate) fn encode_into(buffer: &mut Vec<u8>, event: &Event, seq: u64) {
    let body = Body::from(&event.kind);
    let tells_version = matches!(body, Body::RunStarted(_) | Body::RunResumed(_));
    let line = WrittenLine {
        seq,
        at: event.at.to_string(),
        elapsed_ms: milliseconds(event.elapsed),
        event: body.name(),
        format: tells_version.then_some(Version::CURRENT),
        body,
    };
    serde_json::to_writer(buffer, &line).expect("names are strings, and memory takes everything");
}

/// What is below a millisecond is dropped.
fn milliseconds(duration: Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
}

impl From<&EventKind> for Body {
    fn from(kind: &EventKind) -> Self {
        match kind {
            EventKind::RunStarted { run, plan, program } => Self::RunStarted(RunStarted {
                run: run.to_string(),
                program: program.clone(),
                plan: plan.clone(),
            }),
            EventKind::RunResumed { run, changes, moved_to, program } => {
                Self::RunResumed(RunResumed {
                    run: run.to_string(),
                    program: program.clone(),
                    changes: changes.clone(),
                    working_directory: moved_to.clone(),
                })
            }
            EventKind::StepStarted { step, sight } => {
                Self::StepStarted(StepStarted { step: *step, sight: sight.into() })
            }
            EventKind::IterationStarted { unit } => {
                Self::IterationStarted(IterationStarted { unit: (*unit).into() })
            }
            EventKind::AgentStarted { unit, pid, prompt } => {
                let prompt = prompt.as_ref().map(|prompt| prompt.0.clone());
                Self::AgentStarted(AgentStarted { unit: (*unit).into(), pid: *pid, prompt })
            }
            EventKind::CompletionRequested { unit, by } => {
                let unit = (*unit).into();
                Self::CompletionRequested(CompletionRequested { unit, by: by.into() })
            }
            EventKind::Spent { unit, spend } => {
                Self::Spent(Spent { unit: (*unit).into(), spend: (*spend).into() })
            }
            EventKind::AgentEnding { unit, why } => {
                Self::AgentEnding(AgentEnding { unit: (*unit).into(), why: (*why).into() })
            }
            EventKind::IterationFinished { unit, report } => {
                Self::IterationFinished(IterationFinished::new((*unit).into(), report))
            }
            EventKind::AgentFinished { unit, report } => {
                let finished = IterationFinished::new((*unit).into(), report);
                Self::AgentFinished(AgentFinished(finished))
            }
            EventKind::TasksChanged { unit, changes } => Self::TasksChanged(TasksChanged {
                unit: (*unit).into(),
                changes: changes.changes.iter().map(Into::into).collect(),
                counts: changes.counts.into(),
                open: changes.open.iter().map(Into::into).collect(),
            }),
            EventKind::ErrandStarted { errand, pid } => {
                Self::ErrandStarted(ErrandStarted { errand: errand.into(), pid: *pid })
            }
            EventKind::CheckFinished { unit, report } => {
                Self::CheckFinished(CheckFinished { unit: (*unit).into(), check: report.into() })
            }
            EventKind::HookFinished { report } => {
                let HookReport { moment, number, failure, duration } = report;
                let hook = event::Errand::Hook { moment: *moment, number: *number };
                Self::HookFinished(HookFinished {
                    hook: (&hook).into(),
                    failure: failure.clone(),
                    duration_ms: milliseconds(*duration),
                })
            }
            EventKind::Surveyed { step, work } => {
                Self::Surveyed(Surveyed { step: *step, work: work.into() })
            }
            EventKind::BackingOff { step, crashes, delay } => Self::BackingOff(BackingOff {
                step: *step,
                crashes: *crashes,
                delay_ms: milliseconds(*delay),
            }),
            EventKind::Waiting { step, why, until } => {
                let (why, until) = ((*why).into(), Moment(*until));
                Self::Waiting(Waiting { step: *step, why, until })
            }
            EventKind::StepFinished { step, end } => Self::StepFinished(StepFinished {
                step: *step,
                reason: end.word().to_owned(),
                end: end.into(),
            }),
            EventKind::StopRequested => Self::StopRequested(StopRequested {}),
            EventKind::SkipRequested { step } => Self::SkipRequested(SkipRequested { step: *step }),
            EventKind::MessageQueued { message } => Self::MessageQueued(MessageQueued {
                number: message.number,
                text: message.text.clone(),
            }),
            EventKind::MessagesGiven { unit, messages } => Self::MessagesGiven(MessagesGiven {
                unit: (*unit).into(),
                messages: messages.clone(),
            }),
            EventKind::LimitsChanged { changes } => {
                Self::LimitsChanged(LimitsChanged { changes: changes.clone() })
            }
            EventKind::Cancelled { by } => Self::Cancelled(Cancelled { by: (*by).into() }),
            EventKind::Paused => Self::Paused(Paused {}),
            EventKind::Continued => Self::Continued(Continued {}),
            EventKind::MachineSlept { duration } => {
                Self::MachineSlept(MachineSlept { duration_ms: milliseconds(*duration) })
            }
            EventKind::Warning { message } => Self::Warning(Warning { message: message.clone() }),
            EventKind::RunFinished { end } => Self::RunFinished(RunFinished { end: end.into() }),
        }
    }
}

impl IterationFinished {
    fn new(unit: Unit, report: &IterationReport) -> Self {
        let IterationReport { verdict, end, duration, sight, output, heard, spend, checks } =
            report;
        Self {
            unit,
            verdict: verdict.into(),
            end: end.as_ref().map(Into::into),
            duration_ms: milliseconds(*duration),
            sight: sight.into(),
            output: (*output).into(),
            heard: heard.as_ref().map(Into::into),
            spend: spend.map(Into::into),
            checks: checks.iter().map(Into::into).collect(),
        }
    }
}
