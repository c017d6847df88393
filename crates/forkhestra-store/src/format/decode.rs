//! From lines to events.

use std::time::Duration;

use forkhestra_core::event::{
    self, Event, EventKind, Fingerprint, HookReport, IterationReport, Message, TaskChanges,
};
use forkhestra_core::id::{NotARunId, RunId};
use forkhestra_core::time::{NotATimestamp, Timestamp};

use super::events::{AgentFinished, Body, HookFinished, IterationFinished};
use super::line::Header;
use super::version::Version;

/// What stands in a line.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all lines are known, and none is kept like this"
)]
pub enum Decoded {
    /// An event.
    Known(Event),
    /// An event of a newer version of the format.
    Unknown(UnknownEvent),
}

/// An event of a newer version of the format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownEvent {
    /// Its name.
    pub name: String,
    /// When it happened.
    pub at: Timestamp,
    /// The whole line.
    pub raw: String,
}

/// Why a line cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// It is not JSON: it was damaged, or cut off.
    #[error("is not JSON: {}", within_line(.0))]
    NotJson(serde_json::Error),
    /// It is not even text.
    #[error("is not UTF-8")]
    NotText,
    /// It is JSON but not an event.
    #[error("is not an event: {}", within_line(.0))]
    NotAnEvent(serde_json::Error),
    /// Its time is none.
    #[error("has a time that {0}")]
    BadTime(NotATimestamp),
    /// The run's id is none.
    #[error("has an id that {0}")]
    BadRunId(NotARunId),
    /// A hook is over that is none.
    #[error("names a hook that does not exist")]
    NotAHook,
    /// It was written by a newer version, and we would misunderstand it.
    #[error("is written in format {found}, but this program reads it up to {}.x", Version::CURRENT.major)]
    NewerFormat {
        /// The version.
        found: Version,
    },
}

/// What is wrong, and where in the line: which line that is, others say.
fn within_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

impl DecodeError {
    /// Whether this is what is left of a line that was not written to its end.
    pub const fn is_damage(&self) -> bool {
        matches!(self, Self::NotJson(_) | Self::NotText)
    }
}

/// Reads a line. A line break at its end may be there or not.
pub fn decode(line: &str) -> Result<Decoded, DecodeError> {
    decode_line(line).map(|line| line.decoded)
}

/// A line with what belongs to the file rather than to the event.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) seq: u64,
    pub(crate) format: Option<Version>,
    pub(crate) decoded: Decoded,
}

/// Reads a line.
pub(crate) fn decode_line(line: &str) -> Result<Line, DecodeError> {
    let header: Header<'_> = serde_json::from_str(line)?;
    if let Some(found) = header.format.filter(|version| !version.is_readable()) {
        return Err(DecodeError::NewerFormat { found });
    }
    let at = Timestamp::parse(&header.at).map_err(DecodeError::BadTime)?;
    let decoded = match Body::read(&header.event, line) {
        Some(body) => Decoded::Known(Event {
            at,
            elapsed: Duration::from_millis(header.elapsed_ms),
            kind: kind(body?)?,
        }),
        None => {
            let raw = line.trim_end_matches('\n').to_owned();
            Decoded::Unknown(UnknownEvent { name: header.event.into_owned(), at, raw })
        }
    };
    Ok(Line { seq: header.seq, format: header.format, decoded })
}

impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        if error.is_data() { Self::NotAnEvent(error) } else { Self::NotJson(error) }
    }
}

fn kind(body: Body) -> Result<EventKind, DecodeError> {
    Ok(match body {
        Body::RunStarted(event) => EventKind::RunStarted {
            run: run_id(&event.run)?,
            plan: event.plan,
            program: event.program,
        },
        Body::RunResumed(event) => EventKind::RunResumed {
            run: run_id(&event.run)?,
            changes: event.changes,
            moved_to: event.working_directory,
            program: event.program,
        },
        Body::StepStarted(event) => {
            EventKind::StepStarted { step: event.step, sight: event.sight.into() }
        }
        Body::IterationStarted(event) => EventKind::IterationStarted { unit: event.unit.into() },
        Body::AgentStarted(event) => {
            let prompt = event.prompt.map(Fingerprint);
            EventKind::AgentStarted { unit: event.unit.into(), pid: event.pid, prompt }
        }
        Body::CompletionRequested(event) => {
            EventKind::CompletionRequested { unit: event.unit.into(), by: event.by.into() }
        }
        Body::Spent(event) => {
            EventKind::Spent { unit: event.unit.into(), spend: event.spend.into() }
        }
        Body::AgentEnding(event) => {
            EventKind::AgentEnding { unit: event.unit.into(), why: event.why.into() }
        }
        Body::IterationFinished(event) => {
            EventKind::IterationFinished { unit: event.unit.into(), report: event.into() }
        }
        Body::AgentFinished(AgentFinished(event)) => {
            EventKind::AgentFinished { unit: event.unit.into(), report: event.into() }
        }
        Body::TasksChanged(event) => EventKind::TasksChanged {
            unit: event.unit.into(),
            changes: TaskChanges {
                changes: event.changes.into_iter().map(Into::into).collect(),
                counts: event.counts.into(),
                open: event.open.into_iter().map(Into::into).collect(),
            },
        },
        Body::ErrandStarted(event) => {
            EventKind::ErrandStarted { errand: event.errand.into(), pid: event.pid }
        }
        Body::CheckFinished(event) => {
            EventKind::CheckFinished { unit: event.unit.into(), report: event.check.into() }
        }
        Body::HookFinished(event) => EventKind::HookFinished { report: hook_report(event)? },
        Body::Surveyed(event) => EventKind::Surveyed { step: event.step, work: event.work.into() },
        Body::BackingOff(event) => EventKind::BackingOff {
            step: event.step,
            crashes: event.crashes,
            delay: Duration::from_millis(event.delay_ms),
        },
        Body::Waiting(event) => {
            let (why, until) = (event.why.into(), event.until.0);
            EventKind::Waiting { step: event.step, why, until }
        }
        Body::StepFinished(event) => {
            EventKind::StepFinished { step: event.step, end: event.end.into() }
        }
        Body::StopRequested(_) => EventKind::StopRequested,
        Body::SkipRequested(event) => EventKind::SkipRequested { step: event.step },
        Body::MessageQueued(event) => {
            EventKind::MessageQueued { message: Message { number: event.number, text: event.text } }
        }
        Body::MessagesGiven(event) => {
            EventKind::MessagesGiven { unit: event.unit.into(), messages: event.messages }
        }
        Body::LimitsChanged(event) => EventKind::LimitsChanged { changes: event.changes },
        Body::Cancelled(event) => EventKind::Cancelled { by: event.by.into() },
        Body::Paused(_) => EventKind::Paused,
        Body::Continued(_) => EventKind::Continued,
        Body::MachineSlept(event) => {
            EventKind::MachineSlept { duration: Duration::from_millis(event.duration_ms) }
        }
        Body::Warning(event) => EventKind::Warning { message: event.message },
        Body::RunFinished(event) => EventKind::RunFinished { end: event.end.into() },
    })
}

fn run_id(text: &str) -> Result<RunId, DecodeError> {
    RunId::parse(text).map_err(DecodeError::BadRunId)
}

fn hook_report(event: HookFinished) -> Result<HookReport, DecodeError> {
    let event::Errand::Hook { moment, number } = event.hook.into() else {
        return Err(DecodeError::NotAHook);
    };
    let duration = Duration::from_millis(event.duration_ms);
    Ok(HookReport { moment, number, failure: event.failure, duration })
}

impl From<IterationFinished> for IterationReport {
    fn from(event: IterationFinished) -> Self {
        Self {
            verdict: event.verdict.into(),
            end: event.end.map(Into::into),
            duration: Duration::from_millis(event.duration_ms),
            sight: event.sight.into(),
            output: event.output.into(),
            heard: event.heard.map(Into::into),
            spend: event.spend.map(Into::into),
            checks: event.checks.into_iter().map(Into::into).collect(),
        }
    }
}
