//! Whether a process belongs to a run: for the clients of its control socket and for the process that
//! listens there.

use std::ffi::OsStr;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::process::{Pid, Signal};

use super::process_handle::ProcessHandle;
use super::system;

/// The process at the other end of a Unix socket.
#[derive(Debug)]
pub(super) struct SocketPeer {
    /// `None` if it is in a PID namespace that is not below ours.
    pub(super) pid: Option<Pid>,
    /// A pidfd; `None` if the process is gone.
    pub(super) process: Option<OwnedFd>,
}

/// Whether the process at the other end of a Unix socket belongs to this run: it is below the
/// calling process, which must be the runner, or it [carries the tag](super::processes_tagged) of
/// the run. So does a process that is gone or cannot be determined.
///
/// A process in a PID namespace that is not below ours does not belong to the run: namespaces of
/// descendants are always below.
pub fn is_peer_in_run(socket: BorrowedFd<'_>, name: &OsStr, run: &OsStr) -> bool {
    let Ok(peer) = system::socket_peer(socket) else {
        return true;
    };
    let Some(pid) = peer.pid else {
        return false;
    };
    let Some(process) = peer.process.map(|process| ProcessHandle::of(pid, process)) else {
        return true;
    };
    // The pid is valid for these queries if the process is alive afterwards.
    system::is_below_us(pid) || system::has_tag(pid, name, run) || process.has_ended()
}

/// Whether the calling process was started by the run with this id, directly or through others.
pub fn is_in_run(name: &OsStr, run: &OsStr) -> bool {
    system::have_tag(name, run)
}

/// Why a process is not the runner that should listen at a control socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignListener {
    /// This process is not the runner.
    Process(Pid),
    /// The process is in a PID namespace that is not below ours.
    Invisible,
    /// The process is gone.
    Gone,
}

/// Verifies that the process that listens at the other end of a Unix socket is a runner of the run:
/// the child of its guard. The guard does not belong to the processes that the run started. Its pid
/// is not trusted: an agent can write the file from which the caller has it.
///
/// Systems other than Linux cannot verify it, and accept every process.
pub fn verify_listener(
    socket: BorrowedFd<'_>,
    guard: Option<u32>,
    name: &OsStr,
    run: &OsStr,
) -> Result<(), ForeignListener> {
    if !system::KNOWS_PEERS {
        return Ok(());
    }
    let peer = system::socket_peer(socket).map_err(|_| ForeignListener::Gone)?;
    let pid = peer.pid.ok_or(ForeignListener::Invisible)?;
    let process = peer.process.map(|process| ProcessHandle::of(pid, process));
    let process = process.ok_or(ForeignListener::Gone)?;
    let parent = system::parent_of(pid);
    let is_guard = |parent: &Pid| {
        guard.is_none_or(|guard| system::is_numbered(*parent, guard))
            && !system::has_tag(*parent, name, run)
    };
    let is_runner = parent.as_ref().is_some_and(is_guard);
    match process.has_ended() {
        true => Err(ForeignListener::Gone),
        false if is_runner => Ok(()),
        false => Err(ForeignListener::Process(pid)),
    }
}

/// The guard of a run: the process that holds the lock of the journal with this inode, and that the
/// run did not start. `None` if it cannot be determined.
pub fn guard_of(journal_inode: u64, name: &OsStr, run: &OsStr) -> Option<Pid> {
    let mut holders = system::lock_holders(journal_inode);
    holders.retain(|pid| !system::has_tag(*pid, name, run));
    match holders.as_slice() {
        [guard] => Some(*guard),
        _ => None,
    }
}

/// Requests the [guard](guard_of) of a run to end it. Returns its pid, or `None` if it cannot be
/// determined or signalled.
pub fn terminate_guard(journal_inode: u64, name: &OsStr, run: &OsStr) -> Option<Pid> {
    let guard = ProcessHandle::open(guard_of(journal_inode, name, run)?)?;
    // The same process as before, now that its pid cannot be reused unnoticed.
    let is_same = guard_of(journal_inode, name, run) == Some(guard.pid());
    (is_same && guard.signal(Signal::TERM).is_ok()).then(|| guard.pid())
}
