//! Starts and reaps child processes without mixing up their exit statuses.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use forkhestra_core::event::ProcessEnd;
use rustix::io::Errno;
use rustix::process::Pid;

use super::keeper::KeeperHandle;
use super::keeper::lost_processes::LostProcesses;
use super::spawn::spawn_command::{SpawnCommand, SpawnedProcess, spawn};
use super::spawn::spawn_error::SpawnError;
use super::system;
use super::wait::{self, ChildrenState};

/// The child processes of this process. Everything must be started and reaped through this table: a
/// child that is not in it counts as an inherited stranger, whose end is not reported.
///
/// One thread starts agents and calls [`reap`](Self::reap) at every SIGCHLD. Any thread may run
/// helpers at the same time.
#[derive(Debug, Default)]
pub struct ChildProcesses {
    table: Mutex<ChildTable>,
}

#[derive(Debug, Default)]
struct ChildTable {
    /// Processes whose end `reap` reports.
    agents: HashSet<Pid>,
    /// Those of them that are keepers.
    keepers: HashSet<Pid>,
    /// What is left of keepers that were killed.
    lost: LostProcesses,
    /// Processes whose end a thread waits for, with the result if `reap` collected it first.
    helpers: HashMap<Pid, Option<ProcessEnd>>,
}

impl ChildTable {
    fn helpers_at_work(&self) -> Vec<Pid> {
        let at_work = self.helpers.iter().filter(|(_, end)| end.is_none());
        at_work.map(|(pid, _)| *pid).collect()
    }

    /// Whether something runs without a keeper.
    fn is_tree_in_use(&self) -> bool {
        !self.agents.is_subset(&self.keepers)
    }

    /// Children that were not started here.
    fn strangers(&self) -> Vec<Pid> {
        let mut strangers = system::own_children();
        strangers.retain(|pid| !self.agents.contains(pid) && !self.helpers.contains_key(pid));
        strangers
    }

    /// All descendants except helpers, keepers, and what is left of killed keepers.
    fn in_work_tree(&self) -> Vec<Pid> {
        let mut spared = self.helpers_at_work();
        spared.extend(&self.keepers);
        if !self.lost.is_empty() {
            let in_use = self.is_tree_in_use();
            spared.extend(self.lost.outside_work_tree(&self.strangers(), in_use));
        }
        system::descendants_except(&spared)
    }
}

/// A process whose end the thread that started it waits for.
#[derive(Debug)]
pub struct HelperProcess {
    pid: Pid,
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
}

impl HelperProcess {
    /// The pid of the helper.
    pub const fn pid(&self) -> Pid {
        self.pid
    }
}

impl ChildProcesses {
    /// Starts a program whose end [`reap`](Self::reap) reports.
    pub fn start(&self, command: &SpawnCommand<'_>) -> Result<SpawnedProcess, SpawnError> {
        self.start_with(|| spawn(command))
    }

    /// Starts a program by a function, whose end [`reap`](Self::reap) reports.
    pub(crate) fn start_with(
        &self,
        spawn: impl FnOnce() -> Result<SpawnedProcess, SpawnError>,
    ) -> Result<SpawnedProcess, SpawnError> {
        // Locked before the start, so that the process cannot be reaped before it is in the table.
        let mut table = self.locked();
        let spawned = spawn()?;
        let child = spawned.keeper.as_ref().map_or(spawned.pid, KeeperHandle::pid);
        table.agents.insert(child);
        table.keepers.extend(spawned.keeper.as_ref().map(KeeperHandle::pid));
        Ok(spawned)
    }

    /// Starts a program that the caller will [`wait`](Self::wait) for.
    pub fn start_helper(&self, command: &SpawnCommand<'_>) -> Result<HelperProcess, SpawnError> {
        let mut table = self.locked();
        let SpawnedProcess { pid, stdout, stderr, .. } = spawn(command)?;
        table.helpers.insert(pid, None);
        Ok(HelperProcess { pid, stdout: stdout.reader, stderr: stderr.reader })
    }

    /// Adds a child that was started otherwise, so that [`reap`](Self::reap) reports its end.
    pub fn adopt(&self, pid: Pid) {
        self.locked().agents.insert(pid);
    }

    /// Our own children that have ended since the last call. The results of helpers are stored for
    /// their waiters, and strangers are reaped as well.
    pub fn reap(&self) -> Vec<(Pid, ProcessEnd)> {
        let mut table = self.locked();
        let mut ended = Vec::new();
        // Peeks first: a child is reaped only after its owner is known.
        while let ChildrenState::Ended(pid) = wait::find_ended() {
            let is_agent = table.agents.remove(&pid);
            table.keepers.remove(&pid);
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
    pub fn wait(&self, helper: &HelperProcess) -> io::Result<ProcessEnd> {
        wait::wait_until_ended(helper.pid);
        let mut table = self.locked();
        let collected = table.helpers.remove(&helper.pid).flatten();
        collected.or_else(|| wait::collect(helper.pid)).ok_or_else(|| Errno::CHILD.into())
    }

    /// Whether there is any descendant, alive or a zombie. As this process is a subreaper, no
    /// descendant can exist without a child.
    pub fn has_any_process(&self) -> bool {
        !matches!(wait::find_ended(), ChildrenState::NoChildren)
    }

    /// Whether any process of the run is left outside of lanes: agents, their descendants and strangers.
    /// Running helpers are not counted.
    pub fn has_any_but_helpers(&self) -> bool {
        // Locked, so that no helper can start during the check.
        let table = self.locked();
        if matches!(wait::find_ended(), ChildrenState::NoChildren) {
            return false;
        }
        let is_all_counted =
            table.helpers_at_work().is_empty() && table.keepers.is_empty() && table.lost.is_empty();
        // A process may be missing from one scan while it is reparented, but not from two.
        is_all_counted || table.is_tree_in_use() || (0..2).any(|_| !table.in_work_tree().is_empty())
    }

    /// All descendants outside of lanes, except running helpers and their descendants.
    pub(crate) fn descendants_but_helpers(&self) -> Vec<Pid> {
        self.locked().in_work_tree()
    }

    /// All processes of a keeper, or else all outside of lanes. The keeper itself is not one of them.
    pub fn processes_of(&self, keeper: Option<&KeeperHandle>) -> Vec<Pid> {
        match keeper {
            None => self.descendants_but_helpers(),
            Some(keeper) if keeper.is_lost() => {
                let table = self.locked();
                table.lost.of_lane(keeper.tag(), &table.strangers(), table.is_tree_in_use())
            }
            Some(keeper) => keeper.descendants(),
        }
    }

    /// Whether any process of a keeper is left, with itself, or else any outside of lanes.
    pub fn has_any_of(&self, keeper: Option<&KeeperHandle>) -> bool {
        match keeper {
            None => self.has_any_but_helpers(),
            // A process may be missing from one scan while it is reparented, but not from two.
            Some(keeper) if keeper.is_lost() => {
                let is_left = (0..2).any(|_| !self.processes_of(Some(keeper)).is_empty());
                if !is_left {
                    self.locked().lost.remove(keeper.tag());
                }
                is_left
            }
            Some(keeper) => !keeper.has_ended(),
        }
    }

    /// Notes the end of a keeper, which [`reap`](Self::reap) has reported. If the keeper was killed, its
    /// processes are children of this process now.
    pub fn keeper_ended(&self, keeper: &mut KeeperHandle, end: &ProcessEnd) {
        keeper.ended(end);
        if keeper.is_lost() {
            self.locked().lost.add(keeper.tag());
        }
    }

    /// The children that were started and not reaped yet.
    pub(super) fn known(&self) -> Vec<Pid> {
        let table = self.locked();
        let mut known = table.helpers_at_work();
        known.extend(&table.agents);
        known
    }

    fn locked(&self) -> MutexGuard<'_, ChildTable> {
        // The table is consistent even if a thread panicked while it held the lock.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
