//! The life of something that we started: how far it is, and how hard we push it to end.

use std::time::Duration;

use super::effect::ProcessSignal;
use crate::event::{AgentEnd, StopReason};

/// The life of something that we started. All times are those of the run's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessLifecycle {
    /// Why we end it. Set only while it had not ended by itself.
    pub(super) stop_reason: Option<StopReason>,
    pub(super) phase: ProcessPhase,
    pub(super) escalation: SignalEscalation,
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProcessPhase {
    /// Its own process is there, or is about to be.
    Running,
    /// Its own process has ended; others may be left, or output that nobody has read.
    Exited(AgentEnd),
    /// No process of it is left.
    Gone(AgentEnd),
}

/// How hard we push, and when we push harder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignalEscalation {
    /// We do not.
    None,
    /// What was left behind may end by itself until then.
    Waiting { until: Duration },
    /// It was asked to end, and will be killed then.
    TerminateSent { kill_at: Duration },
    /// It was killed, and we wait until then for it to be gone.
    KillSent { give_up_at: Duration },
}

/// Something that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DueAction {
    /// Begin to end it.
    End(StopReason),
    /// Ask what is left to end.
    Terminate,
    /// Kill what is left.
    Kill,
    /// Stop waiting.
    Abandon,
    /// Look for signs of life, and for the done file.
    Observe,
}

impl ProcessLifecycle {
    pub(super) const fn new() -> Self {
        Self { stop_reason: None, phase: ProcessPhase::Running, escalation: SignalEscalation::None }
    }

    /// How its own process ended, if it did.
    pub(super) const fn end(&self) -> Option<&AgentEnd> {
        match &self.phase {
            ProcessPhase::Running => None,
            ProcessPhase::Exited(end) | ProcessPhase::Gone(end) => Some(end),
        }
    }

    /// Whether it works, and nobody wants it to end.
    pub(super) fn is_running_unstopped(&self) -> bool {
        self.phase == ProcessPhase::Running && self.stop_reason.is_none()
    }

    pub(super) const fn is_gone(&self) -> bool {
        matches!(self.phase, ProcessPhase::Gone(_))
    }

    /// Whether it could not even be started.
    pub(super) const fn never_ran(&self) -> bool {
        matches!(self.end(), Some(AgentEnd::NotStarted { .. }))
    }

    /// Its own process has ended. What it left behind is asked to go at this moment.
    pub(super) fn exited(&mut self, end: AgentEnd, until: Duration) {
        if self.phase != ProcessPhase::Running {
            return;
        }
        self.phase = ProcessPhase::Exited(end);
        // It did what it was asked; what it left behind may not have been able to, since shells make
        // their background jobs deaf to Ctrl-C. It is asked again, in clearer words.
        if !matches!(self.escalation, SignalEscalation::KillSent { .. }) {
            self.escalation = SignalEscalation::Waiting { until };
        }
    }

    /// No process of it is left. Whoever cancelled the run does not wait for ever for what it printed.
    pub(super) fn gone(&mut self, cancelled: bool, hurried: bool, give_up_at: Duration) {
        let ProcessPhase::Exited(end) = &self.phase else { return };
        self.phase = ProcessPhase::Gone(end.clone());
        let killed = matches!(self.escalation, SignalEscalation::KillSent { .. });
        self.escalation = match (cancelled, killed) {
            (false, _) => SignalEscalation::None,
            (true, true) if !hurried => self.escalation,
            (true, _) => SignalEscalation::KillSent { give_up_at },
        };
    }

    /// Notes why we end it. A stronger reason takes the place of a milder one; what ended by itself is
    /// past all reasons.
    pub(super) fn set_stop_reason(&mut self, why: StopReason) -> bool {
        let counts = self.phase == ProcessPhase::Running && self.stop_reason < Some(why);
        if counts {
            self.stop_reason = Some(why);
        }
        counts
    }

    /// Asks it to go, unless it has been asked already; it will be killed later.
    pub(super) fn request_end(
        &mut self,
        push: ProcessSignal,
        kill_at: Duration,
    ) -> Option<ProcessSignal> {
        let asked = matches!(
            self.escalation,
            SignalEscalation::TerminateSent { .. } | SignalEscalation::KillSent { .. }
        );
        if asked || self.is_gone() {
            return None;
        }
        self.escalation = SignalEscalation::TerminateSent { kill_at };
        Some(push)
    }

    /// Kills it, unless that has been done.
    pub(super) fn kill(&mut self, give_up_at: Duration) -> Option<ProcessSignal> {
        if matches!(self.escalation, SignalEscalation::KillSent { .. }) || self.is_gone() {
            return None;
        }
        self.escalation = SignalEscalation::KillSent { give_up_at };
        Some(ProcessSignal::Kill)
    }

    /// What was only waited for is not waited for any longer: what was printed before gets a moment to
    /// be read even now.
    pub(super) fn shorten_waits(&mut self, push: ProcessSignal, soon: Duration, later: Duration) {
        if !self.is_gone() {
            return;
        }
        if push == ProcessSignal::Kill {
            self.escalation = SignalEscalation::KillSent { give_up_at: soon };
        } else if self.escalation == SignalEscalation::None {
            self.escalation = SignalEscalation::KillSent { give_up_at: later };
        }
    }

    /// When we will push harder, and how.
    pub(super) const fn due(&self) -> Option<(Duration, DueAction)> {
        match self.escalation {
            SignalEscalation::None => None,
            SignalEscalation::Waiting { until } => Some((until, DueAction::Terminate)),
            SignalEscalation::TerminateSent { kill_at } => Some((kill_at, DueAction::Kill)),
            SignalEscalation::KillSent { give_up_at } => Some((give_up_at, DueAction::Abandon)),
        }
    }
}
