//! A traced thread.

use std::collections::HashMap;

use nix::unistd::Pid;

use crate::crash::proof::point::{CallMoment, CallSite, Point};
use crate::crash::proof::system_call::SystemCall;

/// The state of a traced thread.
#[derive(Debug)]
pub(super) struct TracedTask {
    pub(super) kin: TaskOrigin,
    /// The number of calls of each kind it made.
    counts: HashMap<SystemCall, usize>,
    /// The call it is in.
    pub(super) inside: Option<CallMade>,
}

/// The owner of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskOrigin {
    /// One of the run's two processes. Threads are numbered in the order in which they were
    /// started, which is the same in every run.
    Ours { process: Pid, number: usize },
    /// A process that is about to become an agent or a helper.
    Stranger,
}

/// A traced call.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallMade {
    /// The process that made it.
    pub(super) process: Pid,
    pub(super) place: CallSite,
    number: usize,
}

impl TracedTask {
    pub(super) fn new(kin: TaskOrigin) -> Self {
        Self { kin, counts: HashMap::new(), inside: None }
    }

    /// Its process, if it is guard or runner.
    pub(super) fn process(&self) -> Option<Pid> {
        match self.kin {
            TaskOrigin::Ours { process, .. } => Some(process),
            TaskOrigin::Stranger => None,
        }
    }

    /// Counts a call that it is about to make, if it belongs to guard or runner.
    pub(super) fn count(&mut self, call: SystemCall) -> Option<CallMade> {
        let TaskOrigin::Ours { process, number: thread } = self.kin else { return None };
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
