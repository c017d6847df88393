//! Which points are to be tried.

use std::num::NonZeroUsize;

use super::call::Call;
use super::point::{Moment, Victim};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Kill only at calls of this thread: 0 is the guard, 1 the runner
    #[arg(long, value_name = "N")]
    pub(super) thread: Option<usize>,

    /// Kill only at this kind of calls
    #[arg(long, value_name = "KIND")]
    pub(super) call: Option<Call>,

    /// Kill only at this one of the calls of a thread that are of one kind, counted from 1
    #[arg(long, value_name = "N")]
    pub(super) point: Option<NonZeroUsize>,

    /// Kill only at this moment of calls
    #[arg(long, value_name = "WHEN")]
    pub(super) moment: Option<Moment>,

    /// Kill only this process
    #[arg(long, value_name = "WHO")]
    pub(super) victim: Option<Victim>,

    /// Kill only at every K-th of them
    #[arg(long, value_name = "K", default_value = "1", conflicts_with = "point")]
    pub(super) every: NonZeroUsize,
}

impl Args {
    /// Whether nothing was left out.
    pub(super) fn is_all(&self) -> bool {
        self.thread.is_none()
            && self.call.is_none()
            && self.point.is_none()
            && self.moment.is_none()
            && self.victim.is_none()
            && self.every == NonZeroUsize::MIN
    }
}

/// All of them.
impl Default for Args {
    fn default() -> Self {
        let every = NonZeroUsize::MIN;
        Self { thread: None, call: None, point: None, moment: None, victim: None, every }
    }
}
