//! Asking the system about our children.

use std::mem::MaybeUninit;

use forkhestra_core::event::AgentEnd;
use libc::c_int;
use rustix::io::Errno;
use rustix::process::Pid;

/// What a look at all our children found.
pub(super) enum ChildrenState {
    /// This one has ended and waits to be collected.
    Ended(Pid),
    /// There are some, and all are alive.
    AllAlive,
    /// There is none.
    Nobody,
}

/// Looks for a child that has ended, and leaves it as it is.
pub(super) fn find_ended() -> ChildrenState {
    match wait(libc::P_ALL, 0, libc::WEXITED | libc::WNOHANG | libc::WNOWAIT) {
        Ok(Some(change)) => ChildrenState::Ended(change.pid),
        Ok(None) => ChildrenState::AllAlive,
        Err(_) => ChildrenState::Nobody,
    }
}

/// Collects a child if it has ended.
pub(super) fn collect(pid: Pid) -> Option<AgentEnd> {
    let change = wait_for(pid, libc::WEXITED | libc::WNOHANG).ok()??;
    Some(match change.code {
        libc::CLD_EXITED => AgentEnd::Exited(change.status),
        _ => AgentEnd::Signaled(change.status),
    })
}

/// Waits until a child has ended, and leaves it as it is. Gives back at once if it is not or no
/// longer ours.
pub(super) fn wait_until_ended(pid: Pid) {
    // The only error left is that there is no such child, which is an answer as well.
    let _ = wait_for(pid, libc::WEXITED | libc::WNOWAIT);
}

/// The signal by which a child stands still, if it has stopped since we last asked.
pub(super) fn stopped_by(pid: Pid) -> Option<c_int> {
    let change = wait_for(pid, libc::WSTOPPED | libc::WNOHANG).ok()??;
    Some(change.status)
}

struct ChildChange {
    pid: Pid,
    code: c_int,
    status: c_int,
}

fn wait_for(pid: Pid, flags: c_int) -> Result<Option<ChildChange>, Errno> {
    wait(libc::P_PID, pid.as_raw_nonzero().get().unsigned_abs(), flags)
}

fn wait(kind: libc::idtype_t, id: libc::id_t, flags: c_int) -> Result<Option<ChildChange>, Errno> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    // SAFETY: the call only writes to the place it is given.
    while unsafe { libc::waitid(kind, id, info.as_mut_ptr(), flags) } != 0 {
        let errno = Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::CHILD);
        if errno != Errno::INTR {
            return Err(errno);
        }
    }
    // SAFETY: zeroes are a valid value of this plain structure, and the call leaves either these or
    // what it knows of a child.
    let (info, pid, status) = unsafe {
        let info = info.assume_init();
        (info, info.si_pid(), info.si_status())
    };
    Ok(Pid::from_raw(pid).map(|pid| ChildChange { pid, code: info.si_code, status }))
}
