//! The life of something that we started: how far it is, and how hard we push it to end.

use std::time::Duration;

use super::effect::Push;
use crate::event::{AgentEnd, Ending};

/// The life of something that we started. All times are those of the run's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Life {
    /// Why we end it. Set only while it had not ended by itself.
    pub(super) ending: Option<Ending>,
    pub(super) stage: Stage,
    pub(super) escalation: Escalation,
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    /// Its own process is there, or is about to be.
    Running,
    /// Its own process has ended; others may be left, or output that nobody has read.
    Leaving(AgentEnd),
    /// No process of it is left.
    Gone(AgentEnd),
}

/// How hard we push, and when we push harder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escalation {
    /// We do not.
    None,
    /// What was left behind may end by itself until then.
    Waiting { until: Duration },
    /// It was asked to end, and will be killed then.
    Asked { kill_at: Duration },
    /// It was killed, and we wait until then for it to be gone.
    Killed { give_up_at: Duration },
}

/// Something that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Begin to end it.
    End(Ending),
    /// Ask what is left to end.
    Ask,
    /// Kill what is left.
    Kill,
    /// Stop waiting.
    GiveUp,
    /// Look for signs of life, and for the done file.
    Look,
}

impl Life {
    pub(super) const fn new() -> Self {
        Self { ending: None, stage: Stage::Running, escalation: Escalation::None }
    }

    /// How its own process ended, if it did.
    pub(super) const fn end(&self) -> Option<&AgentEnd> {
        match &self.stage {
            Stage::Running => None,
            Stage::Leaving(end) | Stage::Gone(end) => Some(end),
        }
    }

    /// Whether it works, and nobody wants it to end.
    pub(super) fn is_undisturbed(&self) -> bool {
        self.stage == Stage::Running && self.ending.is_none()
    }

    pub(super) const fn is_gone(&self) -> bool {
        matches!(self.stage, Stage::Gone(_))
    }

    /// Whether it could not even be started.
    pub(super) const fn never_ran(&self) -> bool {
        matches!(self.end(), Some(AgentEnd::NotStarted { .. }))
    }

    /// Its own process has ended. What it left behind is asked to go at this moment.
    pub(super) fn exited(&mut self, end: AgentEnd, until: Duration) {
        if self.stage != Stage::Running {
            return;
        }
        self.stage = Stage::Leaving(end);
        // It did what it was asked; what it left behind may not have been able to, since shells make
        // their background jobs deaf to Ctrl-C. It is asked again, in clearer words.
        if !matches!(self.escalation, Escalation::Killed { .. }) {
            self.escalation = Escalation::Waiting { until };
        }
    }

    /// No process of it is left. Whoever cancelled the run does not wait for ever for what it printed.
    pub(super) fn gone(&mut self, cancelled: bool, hurried: bool, give_up_at: Duration) {
        let Stage::Leaving(end) = &self.stage else { return };
        self.stage = Stage::Gone(end.clone());
        let killed = matches!(self.escalation, Escalation::Killed { .. });
        self.escalation = match (cancelled, killed) {
            (false, _) => Escalation::None,
            (true, true) if !hurried => self.escalation,
            (true, _) => Escalation::Killed { give_up_at },
        };
    }

    /// Notes why we end it. A stronger reason takes the place of a milder one; what ended by itself is
    /// past all reasons.
    pub(super) fn note_ending(&mut self, why: Ending) -> bool {
        let counts = self.stage == Stage::Running && self.ending < Some(why);
        if counts {
            self.ending = Some(why);
        }
        counts
    }

    /// Asks it to go, unless it has been asked already; it will be killed later.
    pub(super) fn ask(&mut self, push: Push, kill_at: Duration) -> Option<Push> {
        let asked = matches!(self.escalation, Escalation::Asked { .. } | Escalation::Killed { .. });
        if asked || self.is_gone() {
            return None;
        }
        self.escalation = Escalation::Asked { kill_at };
        Some(push)
    }

    /// Kills it, unless that has been done.
    pub(super) fn kill(&mut self, give_up_at: Duration) -> Option<Push> {
        if matches!(self.escalation, Escalation::Killed { .. }) || self.is_gone() {
            return None;
        }
        self.escalation = Escalation::Killed { give_up_at };
        Some(Push::Kill)
    }

    /// What was only waited for is not waited for any longer: what was printed before gets a moment to
    /// be read even now.
    pub(super) fn hurry(&mut self, push: Push, soon: Duration, later: Duration) {
        if !self.is_gone() {
            return;
        }
        if push == Push::Kill {
            self.escalation = Escalation::Killed { give_up_at: soon };
        } else if self.escalation == Escalation::None {
            self.escalation = Escalation::Killed { give_up_at: later };
        }
    }

    /// When we will push harder, and how.
    pub(super) const fn due(&self) -> Option<(Duration, Due)> {
        match self.escalation {
            Escalation::None => None,
            Escalation::Waiting { until } => Some((until, Due::Ask)),
            Escalation::Asked { kill_at } => Some((kill_at, Due::Kill)),
            Escalation::Killed { give_up_at } => Some((give_up_at, Due::GiveUp)),
        }
    }
}
