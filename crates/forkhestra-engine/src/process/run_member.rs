//! Whether a process belongs to a run: for the clients of its control socket and for the process that
//! listens there.

use std::ffi::OsStr;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::process::{Pid, Signal, geteuid};

use super::process_handle::ProcessHandle;
use super::system;

/// The process at the other end of a Unix socket.
#[derive(Debug)]
pub(super) struct SocketPeer {
    /// `None` if it is in a PID namespace that is not below ours.
    pub(super) pid: Option<Pid>,
    /// Its user.
    pub(super) user: u32,
    /// A pidfd; `None` if the process is gone.
    pub(super) process: Option<OwnedFd>,
}

/// Where a process is, seen from the calling one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ancestry {
    /// It is the calling process, or below it.
    Below,
    Elsewhere,
    /// `/proc` does not show the process to us.
    Hidden,
    /// `/proc` does not show an ancestor of the process to us, such as the server of a login.
    HiddenAncestor,
    /// It is gone, or its ancestors change too fast.
    Undetermined,
}

/// Whether a client belongs to the run of the calling process. If `/proc` hides its ancestors, its tag
/// decides.
const fn is_member(ancestry: Ancestry, is_own_user: bool, carries_tag: bool) -> bool {
    match ancestry {
        Ancestry::Below | Ancestry::Undetermined => true,
        Ancestry::Elsewhere | Ancestry::HiddenAncestor => carries_tag,
        // A process of our user is hidden only if it refuses to be traced. Clients do not.
        Ancestry::Hidden => is_own_user,
    }
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
    let carries_tag = system::has_tag(pid, name, run);
    is_member(system::ancestry(pid), is_own(peer.user), carries_tag) || process.has_ended()
}

/// The most shells between a hook and a client.
const MAX_SHELLS: usize = 8;

/// Whether the process at the other end of a Unix socket is this one, which must be a child of the
/// calling process, or was started by it through nothing but shells. Other programs may run files
/// that agents wrote: git runs its hooks, and build tools their rules.
pub fn is_peer_of_shells(socket: BorrowedFd<'_>, first: Pid) -> bool {
    let Ok(SocketPeer { pid: Some(pid), process: Some(process), .. }) = system::socket_peer(socket)
    else {
        return false;
    };
    let process = ProcessHandle::of(pid, process);
    let parents = std::iter::successors(Some(pid), |pid| {
        system::parent_of(*pid).filter(|parent| *pid != first && system::is_shell(*parent))
    });
    parents.take(1 + MAX_SHELLS).last() == Some(first) && !process.has_ended()
}

fn is_own(user: u32) -> bool {
    user == geteuid().as_raw()
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

/// What is known of the parent of a process that listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListenerParent {
    Guard,
    Other,
    /// `/proc` does not show the process or its parent to us (`hidepid`).
    Hidden,
}

/// Whether a process that listens counts as the runner. What cannot be verified is decided by its user
/// and its tag: what a run started carries the tag, and its runner does not.
const fn is_runner(parent: ListenerParent, is_own_user: bool, carries_tag: bool) -> bool {
    match parent {
        ListenerParent::Guard => true,
        ListenerParent::Other => false,
        ListenerParent::Hidden => is_own_user && !carries_tag,
    }
}

/// Verifies that the process that listens at the other end of a Unix socket is a runner of the run:
/// the child of its guard. The guard does not belong to the processes that the run started. Its pid
/// is not trusted: an agent can write the file from which the caller has it. Where `/proc` hides the
/// processes of a run, which refuse to be traced, a process of our user without the tag is accepted.
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
    let is_guard = |parent: &Pid| {
        guard.is_none_or(|guard| system::is_numbered(*parent, guard))
            && !system::has_tag(*parent, name, run)
    };
    let parent = match system::parent_of(pid) {
        None if system::is_hidden(pid) => ListenerParent::Hidden,
        Some(parent) if system::is_hidden(parent) => ListenerParent::Hidden,
        Some(parent) if is_guard(&parent) => ListenerParent::Guard,
        Some(_) | None => ListenerParent::Other,
    };
    let carries_tag = || system::has_tag(pid, name, run);
    match process.has_ended() {
        true => Err(ForeignListener::Gone),
        false if is_runner(parent, is_own(peer.user), carries_tag()) => Ok(()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_ancestors_do_not_make_a_client_a_member() {
        for (ancestry, is_own_user, carries_tag, expected) in [
            (Ancestry::Below, true, false, true),
            (Ancestry::Undetermined, true, false, true),
            (Ancestry::Elsewhere, true, false, false),
            (Ancestry::Elsewhere, true, true, true),
            (Ancestry::HiddenAncestor, true, false, false),
            (Ancestry::HiddenAncestor, true, true, true),
            (Ancestry::Hidden, true, false, true),
            (Ancestry::Hidden, false, false, false),
        ] {
            let found = is_member(ancestry, is_own_user, carries_tag);
            assert_eq!(found, expected, "{ancestry:?} {is_own_user} {carries_tag}");
        }
    }

    #[test]
    fn a_hidden_listener_is_judged_by_its_user_and_tag() {
        for (parent, is_own_user, carries_tag, expected) in [
            (ListenerParent::Guard, false, false, true),
            (ListenerParent::Other, true, false, false),
            (ListenerParent::Hidden, true, false, true),
            (ListenerParent::Hidden, true, true, false),
            (ListenerParent::Hidden, false, false, false),
        ] {
            let found = is_runner(parent, is_own_user, carries_tag);
            assert_eq!(found, expected, "{parent:?} {is_own_user} {carries_tag}");
        }
    }
}
