//! What a run knows of a group: its round, and how the round before was refused.

use std::time::Duration;

use crate::event::Fingerprint;

/// The state of a group. Without rounds, only `between_steps` changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupState {
    /// The number of the current round; zero before the first.
    pub round: u32,
    /// Whether the refusal of the current round is recorded.
    pub refused: bool,
    /// Iterations that its steps had finished, and the last question of the run, when the current
    /// round began.
    pub(crate) finished_before: u32,
    pub(crate) asked_before: u32,
    /// The work tree after the last refused round, if it is known.
    pub(crate) refused_tree: Option<Fingerprint>,
    /// Whether the last two refused rounds left the same work tree.
    pub(crate) cycling: bool,
    /// How long no step of it was open while the run was in it: conditions were checked.
    pub(crate) between_steps: Duration,
}

impl GroupState {
    pub(crate) const fn begin_round(&mut self, round: u32, finished: u32, asked: u32) {
        self.round = round;
        self.refused = false;
        self.finished_before = finished;
        self.asked_before = asked;
    }

    /// Notes a refused round, and whether nothing ran in it.
    pub(crate) fn refuse(&mut self, tree: Option<&Fingerprint>, nothing_ran: bool) {
        self.refused = true;
        self.cycling = nothing_ran || (tree.is_some() && self.refused_tree.as_ref() == tree);
        self.refused_tree = tree.cloned();
    }
}
