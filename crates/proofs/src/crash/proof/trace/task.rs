//! A thread that is watched.

use std::collections::HashMap;

use nix::unistd::Pid;

use crate::crash::proof::point::{CallMoment, CallSite, Point};
use crate::crash::proof::system_call::SystemCall;

/// What is known of a thread.
#[derive(Debug)]
pub(super) struct TracedTask {
    pub(super) kin: Kin,
    /// How many calls of each kind it made.
    counts: HashMap<SystemCall, usize>,
    /// The call it is in.
    pub(super) inside: Option<CallMade>,
}

/// Whose thread it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kin {
    /// One of the run's two processes has it. Threads are numbered in the order in which they were
    /// started, which is the same in every run.
    Ours { process: Pid, number: usize },
    /// A process that is about to become an agent or a helper.
    Stranger,
}

/// A call that interests us.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallMade {
    /// The process that made it.
    pub(super) process: Pid,
    pub(super) place: CallSite,
    number: usize,
}

impl TracedTask {
    pub(super) fn new(kin: Kin) -> Self {
        Self { kin, counts: HashMap::new(), inside: None }
    }

    /// The process it belongs to, if that is one of ours.
    pub(super) fn process(&self) -> Option<Pid> {
        match self.kin {
            Kin::Ours { process, .. } => Some(process),
            Kin::Stranger => None,
        }
    }

    /// Counts a call that it is about to make, if it is one of ours.
    pub(super) fn count(&mut self, call: SystemCall) -> Option<CallMade> {
        let Kin::Ours { process, number: thread } = self.kin else { return None };
        let number = self.counts.entry(call).or_default();
        *number += 1;
        Some(CallMade { process, place: CallSite { thread, call }, number: *number })
    }
}

impl CallMade {
    pub(super) fn is_at(&self, point: Point, moment: CallMoment) -> bool {
        (self.place, self.number, moment) == (point.place, point.number, point.moment)
    }
}
