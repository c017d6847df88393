//! The arguments that select points.

use std::num::NonZeroUsize;

use super::chain::chain_subject::ChainSubject;
use super::point::{CallMoment, Victim};
use super::system_call::SystemCall;
use crate::programs::BuildKind;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Kill only runs of this chain
    #[arg(long, value_name = "CHAIN")]
    pub(super) chain: Option<ChainSubject>,

    /// Kill only at calls of this thread: 0 is the guard, 1 the runner
    #[arg(long, value_name = "N")]
    pub(super) thread: Option<usize>,

    /// Kill only at this kind of calls
    #[arg(long, value_name = "KIND")]
    pub(super) call: Option<SystemCall>,

    /// Kill only at this one of the calls of a thread that are of one kind, counted from 1
    #[arg(long, value_name = "N")]
    pub(super) point: Option<NonZeroUsize>,

    /// Kill only at this moment of calls
    #[arg(long, value_name = "WHEN")]
    pub(super) moment: Option<CallMoment>,

    /// Kill only this process
    #[arg(long, value_name = "WHO")]
    pub(super) victim: Option<Victim>,

    /// Kill only at every K-th of them
    #[arg(long, value_name = "K", default_value = "1", conflicts_with = "point")]
    pub(super) every: NonZeroUsize,

    /// The first of these, counted from 1
    #[arg(long, value_name = "N", default_value = "1", requires = "every")]
    pub(super) first: NonZeroUsize,

    /// Kill this build
    #[arg(long, value_name = "KIND", default_value_t, value_enum)]
    pub(super) build: BuildKind,
}

impl Args {
    /// Whether points of `forge-tasks` and of rewinds are tried, too: not if the arguments select points of a run.
    pub(super) fn includes_tasks(&self) -> bool {
        self.chain.is_none()
            && self.thread.is_none()
            && self.call.is_none()
            && self.point.is_none()
            && self.moment.is_none()
            && self.victim.is_none()
    }
}
