//! The lifecycle of a started process: its phase, and how its termination escalates.

use std::time::Duration;

use super::effect::ProcessSignal;
use crate::event::{ProcessEnd, StopReason};

/// The lifecycle of a started process. All times are on the run's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessLifecycle {
    /// Why the machine ends it. Set only if it had not ended by itself.
    pub(super) stop_reason: Option<StopReason>,
    pub(super) phase: ProcessPhase,
    pub(super) escalation: SignalEscalation,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProcessPhase {
    /// Its own process runs, or is about to.
    Running,
    /// Its own process has ended; child processes or unread output may be left.
    Exited(ProcessEnd),
    /// No process of it is left.
    Gone(ProcessEnd),
}

/// The termination signal sent so far, and when the next one is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignalEscalation {
    None,
    /// Leftover processes may end by themselves until then.
    Waiting {
        until: Duration,
    },
    /// A termination signal was sent; SIGKILL follows at this time.
    TerminateSent {
        kill_at: Duration,
    },
    /// SIGKILL was sent; the process is abandoned at this time.
    KillSent {
        give_up_at: Duration,
    },
}

/// An action that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DueAction {
    /// Start to terminate it.
    End(StopReason),
    /// Terminate leftover processes.
    Terminate,
    /// Kill leftover processes.
    Kill,
    /// Stop waiting.
    Abandon,
    /// Probe its liveness and the done file.
    Observe,
}

impl ProcessLifecycle {
    pub(super) const fn new() -> Self {
        Self { stop_reason: None, phase: ProcessPhase::Running, escalation: SignalEscalation::None }
    }

    /// How its own process ended.
    pub(super) const fn end(&self) -> Option<&ProcessEnd> {
        match &self.phase {
            ProcessPhase::Running => None,
            ProcessPhase::Exited(end) | ProcessPhase::Gone(end) => Some(end),
        }
    }

    /// Whether it runs and is not being terminated.
    pub(super) fn is_running_unstopped(&self) -> bool {
        self.phase == ProcessPhase::Running && self.stop_reason.is_none()
    }

    pub(super) const fn is_gone(&self) -> bool {
        matches!(self.phase, ProcessPhase::Gone(_))
    }

    /// Whether it could not even be started.
    pub(super) const fn never_ran(&self) -> bool {
        matches!(self.end(), Some(ProcessEnd::NotStarted { .. }))
    }

    /// Notes the end of its own process. Leftover processes are signalled at `until`.
    pub(super) fn exited(&mut self, end: ProcessEnd, until: Duration) {
        if self.phase != ProcessPhase::Running {
            return;
        }
        self.phase = ProcessPhase::Exited(end);
        // Its own process followed the signal. Leftover processes may have ignored it, since shells
        // start background jobs with SIGINT ignored; they get SIGTERM.
        if !matches!(self.escalation, SignalEscalation::KillSent { .. }) {
            self.escalation = SignalEscalation::Waiting { until };
        }
    }

    /// Notes that no process is left. A cancelled run waits only until `give_up_at` for its output.
    pub(super) fn gone(&mut self, cancelled: bool, at_once: bool, give_up_at: Duration) {
        let ProcessPhase::Exited(end) = &self.phase else { return };
        self.phase = ProcessPhase::Gone(end.clone());
        let killed = matches!(self.escalation, SignalEscalation::KillSent { .. });
        self.escalation = match (cancelled, killed) {
            (false, _) => SignalEscalation::None,
            (true, true) if !at_once => self.escalation,
            (true, _) => SignalEscalation::KillSent { give_up_at },
        };
    }

    /// Records why it is ended. A stronger reason replaces a weaker one; a process that ended by
    /// itself gets none.
    pub(super) fn set_stop_reason(&mut self, why: StopReason) -> bool {
        let counts = self.phase == ProcessPhase::Running && self.stop_reason < Some(why);
        if counts {
            self.stop_reason = Some(why);
        }
        counts
    }

    /// Sends the first termination signal, unless one was sent; SIGKILL follows later.
    pub(super) fn request_end(
        &mut self,
        signal: ProcessSignal,
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
        Some(signal)
    }

    /// Sends SIGKILL, unless it was sent.
    pub(super) fn kill(&mut self, give_up_at: Duration) -> Option<ProcessSignal> {
        if matches!(self.escalation, SignalEscalation::KillSent { .. }) || self.is_gone() {
            return None;
        }
        self.escalation = SignalEscalation::KillSent { give_up_at };
        Some(ProcessSignal::Kill)
    }

    /// Shortens the wait for the remaining output. Output that was printed already still gets a
    /// short time to be read.
    pub(super) fn shorten_waits(
        &mut self,
        signal: ProcessSignal,
        at_once: Duration,
        later: Duration,
    ) {
        if !self.is_gone() {
            return;
        }
        if signal == ProcessSignal::Kill {
            self.escalation = SignalEscalation::KillSent { give_up_at: at_once };
        } else if self.escalation == SignalEscalation::None {
            self.escalation = SignalEscalation::KillSent { give_up_at: later };
        }
    }

    /// When the escalation's next action is due.
    pub(super) const fn due(&self) -> Option<(Duration, DueAction)> {
        match self.escalation {
            SignalEscalation::None => None,
            SignalEscalation::Waiting { until } => Some((until, DueAction::Terminate)),
            SignalEscalation::TerminateSent { kill_at } => Some((kill_at, DueAction::Kill)),
            SignalEscalation::KillSent { give_up_at } => Some((give_up_at, DueAction::Abandon)),
        }
    }
}
