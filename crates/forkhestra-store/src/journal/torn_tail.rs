//! Telling what a power failure left of the end of a journal from damage.

use std::str;

use forkhestra_core::event::{AuxJob, DurabilityTracker, EventKind, Verdict};
use forkhestra_core::id::UnitId;
use memchr::memrchr;

use crate::format::{DecodeError, Decoded, Line, decode_line};

/// The end of a journal from the first damaged line on.
pub(crate) struct TornTail<'a> {
    /// What is known of what stands in front of it.
    pub(crate) before: TailContext,
    /// The damaged line.
    pub(crate) damaged: &'a [u8],
    /// Everything behind it.
    pub(crate) rest: &'a [u8],
}

/// What has to be known of events to judge what stands behind them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TailContext {
    safety: DurabilityTracker,
    pending: PendingIteration,
}

impl TailContext {
    /// Goes on with an event.
    pub(crate) fn apply(&mut self, kind: &EventKind) {
        self.safety.must_be_durable(kind);
        self.pending.follow(kind);
    }
}

impl TornTail<'_> {
    /// Whether this is what a power failure left of lines that were still on their way to the disk.
    ///
    /// They may get there in any order, and what does not is read as zeros, which no line has. But
    /// nobody goes on behind an event that must be durable before it is safe, with all that is in
    /// front of it. So if such an event is followed by anything, or must have been where the damage
    /// is, this is damage of another kind.
    pub(crate) fn is_unsynced(&self) -> bool {
        let Some(last_zero) = memrchr(0, self.damaged) else { return self.rest.is_empty() };
        // The zeros may have taken a line break, and hide a line behind them.
        let hidden = &self.damaged[last_zero + 1..];
        let rest = self.rest.split_inclusive(|byte| *byte == b'\n');
        let pieces: Vec<&[u8]> = [hidden].into_iter().chain(rest).collect();
        let lines = |pieces: &[&[u8]]| -> Vec<Line> {
            pieces.iter().flat_map(|piece| decoded(piece)).collect()
        };
        // Nothing follows the last one.
        let followed = &pieces[..pieces.len() - 1];
        !self.is_something_saved(&lines(followed))
            && !self.is_something_durable_lost(&lines(&pieces))
    }

    /// Whether one of these lines is one behind which nobody wrote before it was safe, as far as can be
    /// known.
    fn is_something_saved(&self, lines: &[Line]) -> bool {
        let mut safety = self.before.safety;
        lines.iter().any(|line| match &line.decoded {
            Decoded::Known(event) => safety.must_be_durable(&event.kind),
            Decoded::Unknown(_) => true,
        })
    }

    /// Whether what is behind the damage tells that an outcome, or the beginning of an iteration, was
    /// there: either was safe before anything else was written.
    fn is_something_durable_lost(&self, behind: &[Line]) -> bool {
        let mut pending = self.before.pending;
        behind.iter().any(|line| {
            let Decoded::Known(event) = &line.decoded else { return false };
            let is_told = pending.tells_of_a_loss(&event.kind);
            pending.follow(&event.kind);
            is_told
        })
    }
}

/// What is safe of the last iteration, of which there is more to come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum PendingIteration {
    #[default]
    Nothing,
    /// That its agent is about to be started.
    AtWork(UnitId),
    /// That its agent is gone. What comes of it is not waited for: one can look and check again.
    Unchecked(UnitId),
}

impl PendingIteration {
    /// Whether this cannot have come next.
    fn tells_of_a_loss(self, kind: &EventKind) -> bool {
        match kind {
            // That an agent was cut off is told when the run goes on.
            EventKind::IterationFinished { report, .. }
                if report.verdict == Verdict::Interrupted =>
            {
                false
            }
            EventKind::IterationFinished { unit, report } if report.checks.is_empty() => {
                !matches!(self, Self::AtWork(of) | Self::Unchecked(of) if of == *unit)
            }
            EventKind::IterationFinished { unit, .. }
            | EventKind::CheckFinished { unit, .. }
            | EventKind::TasksChanged { unit, .. }
            | EventKind::ErrandStarted {
                errand: AuxJob::Check { unit, .. } | AuxJob::Setup { unit },
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

    fn follow(&mut self, kind: &EventKind) {
        match kind {
            EventKind::IterationStarted { unit } => *self = Self::AtWork(*unit),
            EventKind::AgentFinished { unit, .. } => *self = Self::Unchecked(*unit),
            EventKind::IterationFinished { .. } => *self = Self::Nothing,
            // What is not checked still is to be.
            EventKind::RunResumed { .. } if matches!(self, Self::AtWork(_)) => {
                *self = Self::Nothing;
            }
            _ => {}
        }
    }
}

/// Reads a line of a journal.
pub(crate) fn decoded(line: &[u8]) -> Result<Line, DecodeError> {
    decode_line(str::from_utf8(line).map_err(|_| DecodeError::NotText)?)
}
