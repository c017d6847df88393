//! The processes of a run, seen from outside.

use std::fs;

use testkit::TestProcess;

use crate::chaos::script::disturbance::DisturbanceTarget;

/// Guard and runner of one session.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunProcesses {
    pub(super) guard: TestProcess,
    /// Known once it was seen.
    pub(super) runner: Option<TestProcess>,
}

impl RunProcesses {
    pub(super) const fn of(guard: TestProcess) -> Self {
        Self { guard, runner: None }
    }

    /// Looks for the runner, which does not change.
    pub(super) fn find_runner(&mut self) {
        if self.runner.is_none() {
            self.runner = children(self.guard).first().copied();
        }
    }

    pub(super) fn is_gone(&mut self) -> bool {
        self.find_runner();
        self.guard.is_gone() && self.runner.is_none_or(TestProcess::is_gone)
    }

    /// The processes of a target.
    pub(super) fn members(self, target: DisturbanceTarget) -> Vec<TestProcess> {
        let agents = || self.runner.map(children).unwrap_or_default();
        let members = match target {
            DisturbanceTarget::Guard => vec![self.guard],
            DisturbanceTarget::Runner => self.runner.into_iter().collect(),
            DisturbanceTarget::Agent => agents(),
            DisturbanceTarget::Below => agents().into_iter().flat_map(descendants).collect(),
        };
        members.into_iter().filter(|member| !member.is_gone()).collect()
    }
}

/// The children of all threads of a process, from `/proc`.
fn children(process: TestProcess) -> Vec<TestProcess> {
    let tasks = fs::read_dir(format!("/proc/{}/task", process.0)).into_iter().flatten().flatten();
    let lists = tasks.map(|task| fs::read_to_string(task.path().join("children")));
    let numbers = lists.flatten().flat_map(|list| {
        list.split_whitespace().filter_map(TestProcess::from_text).collect::<Vec<_>>()
    });
    numbers.collect()
}

fn descendants(process: TestProcess) -> Vec<TestProcess> {
    let mut found = children(process);
    let mut next = 0;
    while let Some(one) = found.get(next).copied() {
        found.extend(children(one));
        next += 1;
    }
    found
}

/// What the threads of a process wait for, from `/proc`.
pub(super) fn threads(process: TestProcess) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{}/task", process.0)).into_iter().flatten().flatten();
    let describe = |task: fs::DirEntry| {
        let about = |name: &str| fs::read_to_string(task.path().join(name)).unwrap_or_default();
        let (name, place, call) = (about("comm"), about("wchan"), about("syscall"));
        let (name, call) = (name.trim(), call.trim());
        format!("  its thread {:?} ({name}) is in {place}: {call}", task.file_name())
    };
    tasks.map(describe).collect()
}
