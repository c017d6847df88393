//! The runner's side of a keeper.

use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use forkhestra_core::event::ProcessEnd;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use rustix::process::{Pid, Signal, kill_process};

use super::keeper_command::{KeeperCommand, LaneTag};
use super::keeper_report::{KeeperReport, REPORT_SIZE};
use crate::process::spawn::spawn_command::{
    SpawnCommand, SpawnedProcess, diagnose_kept, spawn_linked,
};
use crate::process::spawn::spawn_error::SpawnError;
use crate::process::{system, wait};

/// Upper bound for the start of the program by its keeper.
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// A keeper, seen from the runner. When this is dropped, the keeper kills everything below it.
#[derive(Debug)]
pub struct KeeperHandle {
    pid: Pid,
    tag: LaneTag,
    /// Until the keeper has nothing more to report. `None` where there are no subreapers: the program
    /// is its own keeper.
    link: Option<OwnedFd>,
    state: KeeperState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeeperState {
    Running,
    /// Nothing was left below it.
    Ended,
    /// It was killed. What was below it is left.
    Lost,
}

/// Starts a program below a keeper. When this returns, the program has been started or not. If the
/// keeper was killed meanwhile, its pid stands for that of the program.
pub(in crate::process) fn spawn_kept(
    command: &SpawnCommand<'_>,
    keeper: &KeeperCommand,
) -> Result<SpawnedProcess, SpawnError> {
    let handle = |pid, link| {
        let (tag, state) = (keeper.tag.clone(), KeeperState::Running);
        KeeperHandle { pid, tag, link, state }
    };
    if !system::HAS_SUBREAPERS {
        let spawned = spawn_linked(command, None)?;
        return Ok(SpawnedProcess { keeper: Some(handle(spawned.pid, None)), ..spawned });
    }
    let (link, theirs) = system::keeper_link().map_err(|errno| diagnose_kept(command, errno))?;
    let mut args: Vec<OsString> = keeper.program.args.clone();
    args.push(command.program.into());
    args.extend_from_slice(command.args);
    let program = &keeper.program.path;
    let wrapped = SpawnCommand { program, args: &args, keeper: None, ..*command };
    let spawned = spawn_linked(&wrapped, Some(theirs.as_fd()))?;
    // Otherwise the link would not end with the keeper.
    drop(theirs);
    let mut handle = handle(spawned.pid, Some(link));
    match handle.first_report() {
        Some(KeeperReport::Started(pid)) => {
            Ok(SpawnedProcess { pid, keeper: Some(handle), ..spawned })
        }
        Some(KeeperReport::NotStarted(errno)) => Err(diagnose_kept(command, errno)),
        _ => {
            // It has not been reaped, so the pid is valid.
            let _ = kill_process(handle.pid, Signal::KILL);
            match wait::peek_end(handle.pid) {
                // The program may have been faster than the report and have killed its parent. What is
                // left of it is found when the end of the keeper is reaped.
                Some(ProcessEnd::Signaled(_)) => {
                    Ok(SpawnedProcess { keeper: Some(handle), ..spawned })
                }
                _ => Err(SpawnError::NoKeeper { program: command.program.to_owned() }),
            }
        }
    }
}

impl KeeperHandle {
    /// The pid of the keeper.
    pub const fn pid(&self) -> Pid {
        self.pid
    }

    /// What names its processes.
    pub const fn tag(&self) -> &LaneTag {
        &self.tag
    }

    /// Continues a keeper that was stopped, so that it can report the end of its program.
    pub fn wake(&self) {
        if self.state == KeeperState::Running {
            // It has not been reaped, so the pid is valid.
            let _ = kill_process(self.pid, Signal::CONT);
        }
    }

    /// Whether the keeper was killed, so that its processes have lost it.
    pub fn is_lost(&self) -> bool {
        self.state == KeeperState::Lost
    }

    /// Whether the keeper has ended after everything below it.
    pub(in crate::process) fn has_ended(&self) -> bool {
        self.state == KeeperState::Ended
    }

    /// Notes the end of the keeper.
    pub(in crate::process) fn ended(&mut self, end: &ProcessEnd) {
        let is_whole = *end == ProcessEnd::Exited(0) || !system::HAS_SUBREAPERS;
        self.state = if is_whole { KeeperState::Ended } else { KeeperState::Lost };
    }

    /// Everything below the keeper, parents before their children.
    pub(in crate::process) fn descendants(&self) -> Vec<Pid> {
        match (self.state, system::HAS_SUBREAPERS) {
            (KeeperState::Running, true) => system::descendants_of(self.pid, &[]),
            (KeeperState::Running, false) => vec![self.pid],
            (KeeperState::Ended | KeeperState::Lost, _) => Vec::new(),
        }
    }

    /// The end of the program, if the keeper has reported it since the last call. It does not wait.
    pub fn take_end(&mut self) -> Option<ProcessEnd> {
        self.receive().and_then(|report| report.end())
    }

    /// What becomes readable with a report, and at the end of the keeper. `None` if nothing more can be
    /// reported.
    pub fn link(&self) -> Option<BorrowedFd<'_>> {
        self.link.as_ref().map(OwnedFd::as_fd)
    }

    fn first_report(&mut self) -> Option<KeeperReport> {
        let deadline = Instant::now() + START_TIMEOUT;
        loop {
            let left = Timespec::try_from(deadline.saturating_duration_since(Instant::now()));
            let link = self.link.as_ref()?;
            match poll(&mut [PollFd::new(link, PollFlags::IN)], left.ok().as_ref()) {
                Ok(0) => return None,
                Ok(_) => return self.receive(),
                Err(Errno::INTR) => {}
                Err(_) => return None,
            }
        }
    }

    fn receive(&mut self) -> Option<KeeperReport> {
        let mut bytes = [0; REPORT_SIZE + 1];
        loop {
            match recv(self.link.as_ref()?, bytes.as_mut_slice(), RecvFlags::DONTWAIT) {
                Ok((_, length)) if length > 0 => return KeeperReport::decode(&bytes[..length]),
                Err(Errno::AGAIN) => return None,
                Err(Errno::INTR) => {}
                Ok(_) | Err(_) => self.link = None,
            }
        }
    }
}
