//! Forks, and queries child processes by `waitid`.

use std::io;
use std::mem::MaybeUninit;

use forkhestra_core::event::ProcessEnd;
use libc::c_int;
use rustix::io::Errno;
use rustix::process::Pid;

/// Forks. Returns the child in the parent, and `None` in the child. The caller must have a single
/// thread.
pub(super) fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: there is only one thread, so the child may do whatever the parent may.
    match unsafe { libc::fork() } {
        // The number of processes of the user is limited, or there is no memory.
        failed if failed < 0 => Err(io::Error::last_os_error()),
        child => Ok(Pid::from_raw(child)),
    }
}

/// The state of all children.
pub(super) enum ChildrenState {
    /// This child has ended and must be reaped.
    Ended(Pid),
    AllAlive,
    /// There are no children.
    NoChildren,
}

/// Finds a child that has ended, without reaping it.
pub(super) fn find_ended() -> ChildrenState {
    match wait(libc::P_ALL, 0, libc::WEXITED | libc::WNOHANG | libc::WNOWAIT) {
        Ok(Some(change)) => ChildrenState::Ended(change.pid),
        Ok(None) => ChildrenState::AllAlive,
        Err(_) => ChildrenState::NoChildren,
    }
}

/// Reaps a child if it has ended.
pub(super) fn collect(pid: Pid) -> Option<ProcessEnd> {
    Some(wait_for(pid, libc::WEXITED | libc::WNOHANG).ok()??.end())
}

/// Waits until a child has ended, without reaping it. `None` if it is not our child.
pub(super) fn peek_end(pid: Pid) -> Option<ProcessEnd> {
    Some(wait_for(pid, libc::WEXITED | libc::WNOWAIT).ok()??.end())
}

/// Waits until a child has ended, without reaping it. Returns at once if it is not our child, or
/// not any more.
pub(super) fn wait_until_ended(pid: Pid) {
    // The only remaining error is that there is no such child.
    let _ = wait_for(pid, libc::WEXITED | libc::WNOWAIT);
}

/// The signal that stopped a child, if it was stopped since the last call.
pub(super) fn stopped_by(pid: Pid) -> Option<c_int> {
    let change = wait_for(pid, libc::WSTOPPED | libc::WNOHANG).ok()??;
    Some(change.status)
}

struct ChildChange {
    pid: Pid,
    code: c_int,
    status: c_int,
}

impl ChildChange {
    /// The end of a child that has ended.
    const fn end(&self) -> ProcessEnd {
        match self.code {
            libc::CLD_EXITED => ProcessEnd::Exited(self.status),
            _ => ProcessEnd::Signaled(self.status),
        }
    }
}

fn wait_for(pid: Pid, flags: c_int) -> Result<Option<ChildChange>, Errno> {
    wait(libc::P_PID, pid.as_raw_nonzero().get().unsigned_abs(), flags)
}

fn wait(kind: libc::idtype_t, id: libc::id_t, flags: c_int) -> Result<Option<ChildChange>, Errno> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    // SAFETY: the call only writes to the given structure.
    while unsafe { libc::waitid(kind, id, info.as_mut_ptr(), flags) } != 0 {
        let errno = Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::CHILD);
        if errno != Errno::INTR {
            return Err(errno);
        }
    }
    // SAFETY: zeroes are a valid value of this plain structure, and the call leaves either these or
    // the data of a child.
    let (info, pid, status) = unsafe {
        let info = info.assume_init();
        (info, info.si_pid(), info.si_status())
    };
    Ok(Pid::from_raw(pid).map(|pid| ChildChange { pid, code: info.si_code, status }))
}
