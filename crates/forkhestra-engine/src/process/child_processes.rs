//! Collecting processes that have ended, without taking anybody's status away.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use forkhestra_core::event::AgentEnd;
use rustix::io::Errno;
use rustix::process::Pid;

use super::spawn::spawn_command::{SpawnCommand, SpawnedProcess, spawn};
use super::spawn::spawn_error::SpawnError;
use super::system;
use super::wait::{self, ChildrenState};

/// The processes we started. Everything must be started and collected through this: a child that
/// it does not know is taken for a stranger, of whose end nobody wants to hear.
///
/// One thread starts agents and calls [`reap`](Self::reap) at every SIGCHLD. Any thread may run
/// helpers beside it.
#[derive(Debug, Default)]
pub struct ChildProcesses {
    table: Mutex<ChildTable>,
}

#[derive(Debug, Default)]
struct ChildTable {
    /// Whose end `reap` tells.
    agents: HashSet<Pid>,
    /// Whose end somebody waits for, and how it was if `reap` came upon it first.
    helpers: HashMap<Pid, Option<AgentEnd>>,
}

impl ChildTable {
    fn helpers_at_work(&self) -> Vec<Pid> {
        let at_work = self.helpers.iter().filter(|(_, end)| end.is_none());
        at_work.map(|(pid, _)| *pid).collect()
    }
}

/// A process that is waited for by whoever started it.
#[derive(Debug)]
pub struct HelperProcess {
    pid: Pid,
    /// What it prints.
    pub stdout: OwnedFd,
    /// Where it complains.
    pub stderr: OwnedFd,
}

impl HelperProcess {
    /// Its process.
    pub const fn pid(&self) -> Pid {
        self.pid
    }
}

impl ChildProcesses {
    /// Starts a program whose end [`reap`](Self::reap) will tell.
    pub fn start(&self, command: &SpawnCommand<'_>) -> Result<SpawnedProcess, SpawnError> {
        // Locked before the start, so that it cannot end before we know that it is ours.
        let mut table = self.locked();
        let spawned = spawn(command)?;
        table.agents.insert(spawned.pid);
        Ok(spawned)
    }

    /// Starts a program that the caller will [`wait`](Self::wait) for.
    pub fn start_helper(&self, command: &SpawnCommand<'_>) -> Result<HelperProcess, SpawnError> {
        let mut table = self.locked();
        let SpawnedProcess { pid, stdout, stderr } = spawn(command)?;
        table.helpers.insert(pid, None);
        Ok(HelperProcess { pid, stdout: stdout.reader, stderr: stderr.reader })
    }

    /// Takes a child that was started otherwise, so that [`reap`](Self::reap) tells its end.
    pub fn adopt(&self, pid: Pid) {
        self.locked().agents.insert(pid);
    }

    /// Everything of ours that has ended since the last call. Helpers are kept for those who wait
    /// for them, and strangers are collected on the way.
    pub fn reap(&self) -> Vec<(Pid, AgentEnd)> {
        let mut table = self.locked();
        let mut ended = Vec::new();
        // First a look: an end is collected only when it is known whose it is.
        while let ChildrenState::Ended(pid) = wait::find_ended() {
            let is_agent = table.agents.remove(&pid);
            let Some(end) = wait::collect(pid) else {
                continue;
            };
            if is_agent {
                ended.push((pid, end));
            } else if let Some(helper) = table.helpers.get_mut(&pid) {
                *helper = Some(end);
            }
        }
        ended
    }

    /// Waits until a helper has ended.
    pub fn wait(&self, helper: &HelperProcess) -> io::Result<AgentEnd> {
        wait::wait_until_ended(helper.pid);
        let mut table = self.locked();
        let collected = table.helpers.remove(&helper.pid).flatten();
        collected.or_else(|| wait::collect(helper.pid)).ok_or_else(|| Errno::CHILD.into())
    }

    /// Whether there is any process below us, alive or not collected yet. As we are a subreaper,
    /// no descendant can exist without a child.
    pub fn has_any_process(&self) -> bool {
        !matches!(wait::find_ended(), ChildrenState::Nobody)
    }

    /// Whether anything below us is left of what was started for the run: agents, what they started, and
    /// strangers. Helpers that are at work are not counted.
    pub fn has_any_but_helpers(&self) -> bool {
        // Locked, so that no helper can come to be among those who are looked at.
        let table = self.locked();
        if matches!(wait::find_ended(), ChildrenState::Nobody) {
            return false;
        }
        let helpers = table.helpers_at_work();
        // A process may hide from one look while it changes its parent, but not from two.
        helpers.is_empty()
            || !table.agents.is_empty()
            || (0..2).any(|_| !system::descendants_except(&helpers).is_empty())
    }

    /// Everything below us but helpers that are at work, and what they started.
    pub(crate) fn descendants_but_helpers(&self) -> Vec<Pid> {
        let table = self.locked();
        system::descendants_except(&table.helpers_at_work())
    }

    /// Those we started and have not collected.
    pub(super) fn known(&self) -> Vec<Pid> {
        let table = self.locked();
        let mut known = table.helpers_at_work();
        known.extend(&table.agents);
        known
    }

    fn locked(&self) -> MutexGuard<'_, ChildTable> {
        // No code that holds the lock leaves the table half changed.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
