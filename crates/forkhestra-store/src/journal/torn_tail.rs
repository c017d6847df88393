//! Tells a journal end torn by a power failure from other damage.

use std::str;

use forkhestra_core::event::{AuxJob, DurabilityTracker, Event, EventKind, Verdict};
use forkhestra_core::id::UnitId;
use memchr::memrchr;

use crate::format::{DecodeError, Line, decode_line};

/// The end of a journal from the first damaged line on.
pub(crate) struct TornTail<'a> {
    /// The context from the lines before it.
    pub(crate) before: TailContext,
    /// The damaged line.
    pub(crate) damaged: &'a [u8],
    /// Everything after it.
    pub(crate) rest: &'a [u8],
}

/// The part of the state that is needed to judge the lines after it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TailContext {
    safety: DurabilityTracker,
    pending: PendingIteration,
}

impl TailContext {
    /// Adds an event to the context.
    pub(crate) fn apply(&mut self, kind: &EventKind) {
        self.safety.must_be_durable(kind);
        self.pending.apply(kind);
    }
}

impl TornTail<'_> {
    /// Whether a power failure left this end: lines that were not yet synced.
    ///
    /// Unsynced lines reach the disk in any order. Missing ones read as zeros, which no line
    /// contains. But the writer syncs an event that must be durable, and everything before it,
    /// before it writes the next line. So if such an event is followed by another line, or must
    /// have been among the damaged lines, the damage has another cause.
    pub(crate) fn is_unsynced(&self) -> bool {
        let Some(last_zero) = memrchr(0, self.damaged) else { return self.rest.is_empty() };
        // The zeros may cover a line break, and a line may follow them.
        let hidden = &self.damaged[last_zero + 1..];
        let rest = self.rest.split_inclusive(|byte| *byte == b'\n');
        let pieces: Vec<&[u8]> = [hidden].into_iter().chain(rest).collect();
        let lines = |pieces: &[&[u8]]| -> Vec<Line> {
            pieces.iter().flat_map(|piece| decoded(piece)).collect()
        };
        // The last line has no successor.
        let followed = &pieces[..pieces.len() - 1];
        !self.has_saved_line(&lines(followed)) && !self.has_lost_durable_event(&lines(&pieces))
    }

    /// Whether one of these lines is an event that was synced before the next line was written, as
    /// far as is known.
    fn has_saved_line(&self, lines: &[Line]) -> bool {
        let mut safety = self.before.safety;
        let mut is_durable = |event: &Event| safety.must_be_durable(&event.kind);
        lines.iter().any(|line| line.event.as_ref().is_none_or(&mut is_durable))
    }

    /// Whether the lines after the damage imply that an outcome or the start of an iteration was in
    /// it. Both are synced before the next line is written.
    fn has_lost_durable_event(&self, behind: &[Line]) -> bool {
        let mut pending = self.before.pending;
        behind.iter().any(|line| {
            let Some(event) = &line.event else { return false };
            let is_loss = pending.implies_loss(&event.kind);
            pending.apply(&event.kind);
            is_loss
        })
    }
}

/// The durable part of an iteration that is not finished.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum PendingIteration {
    #[default]
    Nothing,
    /// The start of its agent.
    AtWork(UnitId),
    /// The end of its agent. Observations and checks after it are not durable, since they can be
    /// repeated.
    Unchecked(UnitId),
}

impl PendingIteration {
    /// Whether this event cannot be the next one.
    fn implies_loss(self, kind: &EventKind) -> bool {
        match kind {
            // The interruption of an agent is recorded when the run is resumed.
            EventKind::IterationFinished { report, .. }
                if report.verdict == Verdict::Interrupted =>
            {
                false
            }
            EventKind::IterationFinished { unit, report } if report.checks.is_empty() => {
                !matches!(self, Self::AtWork(of) | Self::Unchecked(of) if of == *unit)
            }
            // A calibration before the first iteration.
            EventKind::AuxJobStarted {
                aux_job: AuxJob::Check { unit, .. } | AuxJob::Setup { unit },
                ..
            } if unit.is_before_first() => matches!(self, Self::AtWork(_)),
            EventKind::IterationFinished { unit, .. }
            | EventKind::CheckFinished { unit, .. }
            | EventKind::TasksChanged { unit, .. }
            | EventKind::AuxJobStarted {
                aux_job: AuxJob::Check { unit, .. } | AuxJob::Setup { unit },
                ..
            } => self != Self::Unchecked(*unit),
            EventKind::AgentFinished { unit, .. } => self != Self::AtWork(*unit),
            EventKind::IterationStarted { .. }
            | EventKind::StepStarted { .. }
            | EventKind::StepFinished { .. }
            | EventKind::RunFinished { .. } => matches!(self, Self::AtWork(_)),
            _ => false,
        }
    }

    fn apply(&mut self, kind: &EventKind) {
        match kind {
            EventKind::IterationStarted { unit, .. } => *self = Self::AtWork(*unit),
            EventKind::AgentFinished { unit, .. } => *self = Self::Unchecked(*unit),
            EventKind::IterationFinished { .. } => *self = Self::Nothing,
            // A unit without checks is still to be checked.
            EventKind::RunResumed { .. } if matches!(self, Self::AtWork(_)) => {
                *self = Self::Nothing;
            }
            _ => {}
        }
    }
}

/// Decodes a line of a journal.
pub(crate) fn decoded(line: &[u8]) -> Result<Line, DecodeError> {
    decode_line(str::from_utf8(line).map_err(|_| DecodeError::NotText)?)
}
