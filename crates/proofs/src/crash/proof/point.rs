//! The place where a run is killed.

use std::fmt;

use clap::ValueEnum;

use super::system_call::SystemCall;

/// One way to kill one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) place: CallSite,
    /// The number of the call at the site, from 1.
    pub(super) number: usize,
    pub(super) moment: CallMoment,
    pub(super) victim: Victim,
}

/// One kind of calls of one thread. The interleaving of threads differs between runs, but each
/// thread makes the same calls, except that it sometimes has to wake another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CallSite {
    /// The guard is 0, the runner 1, and its other threads follow in the order of their start.
    pub(super) thread: usize,
    pub(super) call: SystemCall,
}

/// The moment of the kill, relative to the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum CallMoment {
    /// The call was not made.
    Before,
    /// Of a spawn: the child exists but has done nothing yet, and its parent does not know.
    During,
    /// The call was made, and nothing else was done.
    After,
}

impl CallMoment {
    pub(super) const ALL: [Self; 3] = [Self::Before, Self::During, Self::After];

    /// Whether calls of a kind have this moment.
    pub(super) fn is_one_of(self, call: SystemCall) -> bool {
        self != Self::During || call == SystemCall::Spawn
    }
}

/// The processes that are killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum Victim {
    /// The process that makes the call.
    Maker,
    /// The other one of the two.
    Other,
    /// Both of them.
    Both,
}

impl Victim {
    pub(super) const ALL: [Self; 3] = [Self::Maker, Self::Other, Self::Both];
}

/// The arguments that select this point.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place: CallSite { thread, call }, number, moment, victim } = self;
        write!(f, "--thread {thread} --call {call} --point {number} ")?;
        write!(f, "--moment {moment} --victim {victim}")
    }
}

impl fmt::Display for CallMoment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Before => "before",
            Self::During => "during",
            Self::After => "after",
        })
    }
}

impl fmt::Display for Victim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Maker => "maker",
            Self::Other => "other",
            Self::Both => "both",
        })
    }
}
