//! What other limits would have done to a run.

use super::earlier_end::EarlierEnd;

/// What other limits would have done to a run.
#[derive(Debug, Clone, PartialEq)]
pub enum LimitOutcome {
    /// The run would have ended as it did.
    Unchanged,
    /// The run, or one of its iterations, would have ended earlier.
    Earlier(Box<EarlierEnd>),
    /// The run would have continued past a limit that ended it or one of its agents. What would have
    /// followed is unknown.
    Continues,
    /// A limit of stagnation cannot be simulated: the run recorded no states of its work tree.
    NotSimulated,
}

impl LimitOutcome {
    /// The earlier end, if there is one.
    pub fn earlier(&self) -> Option<&EarlierEnd> {
        match self {
            Self::Earlier(end) => Some(end),
            Self::Unchanged | Self::Continues | Self::NotSimulated => None,
        }
    }

    /// Whether the run is harmed: it completed, and the limits would have ended it or one of its
    /// iterations before.
    pub fn harms(&self) -> bool {
        self.earlier().is_some_and(|end| end.completed)
    }
}
