//! Queries about processes that are no children of ours: peers of sockets, holders of locks, and where
//! they are in the process tree.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use rustix::io::Errno;
use rustix::process::{Pid, getpid, test_kill_process};

use super::open_process;
use super::proc_files::{ProcessStat, pid_from, status_fields};
use crate::process::run_member::{Ancestry, SocketPeer};

/// The parent of a process. `None` if the process is gone, or if its parent has no pid in our PID
/// namespace.
pub(in crate::process) fn parent_of(pid: Pid) -> Option<Pid> {
    ProcessStat::of(pid)?.parent
}

/// Whether this process has the pid `number` in its own PID namespace or in one above that.
pub(in crate::process) fn is_numbered(pid: Pid, number: u32) -> bool {
    status_fields(pid, "NSpid").is_some_and(|pids| pids.contains(&number))
}

/// Processes that hold the lock of a file with this inode, as [`flock`](rustix::fs::flock) sets it.
pub(in crate::process) fn lock_holders(inode: u64) -> Vec<Pid> {
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    locks.lines().filter_map(|line| lock_holder(line, inode)).collect()
}

/// Parses `1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF`. A lock that is waited for has `->` in
/// front of its type.
fn lock_holder(line: &str, inode: u64) -> Option<Pid> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let [_, "FLOCK", _, _, pid, file, ..] = fields.as_slice() else { return None };
    let (_, held) = file.rsplit_once(':')?;
    (held.parse() == Ok(inode)).then(|| pid_from(pid)).flatten()
}

/// Where a process is, seen from the calling one. A process that is gone is undetermined.
pub(in crate::process) fn ancestry(pid: Pid) -> Ancestry {
    let known = (0..MAX_ANCESTRY_READS).find_map(|_| find_among_ancestors(pid, getpid()));
    known.unwrap_or(Ancestry::Undetermined)
}

/// The names of shells.
const SHELLS: [&str; 7] = ["sh", "dash", "bash", "ash", "busybox", "ksh", "zsh"];

/// Whether a process is a shell.
pub(in crate::process) fn is_shell(pid: Pid) -> bool {
    let program = fs::read_link(format!("/proc/{pid}/exe"));
    program.is_ok_and(|path| SHELLS.iter().any(|shell| path.file_name() == Some(OsStr::new(shell))))
}

/// Whether a process exists, and `/proc` does not show it to us (`hidepid`).
pub(in crate::process) fn is_hidden(pid: Pid) -> bool {
    ProcessStat::of(pid).is_none()
        && matches!(test_kill_process(pid), Ok(()) | Err(Errno::PERM))
        // It may have begun between the two.
        && ProcessStat::of(pid).is_none()
}

/// How often the ancestors of a process are read again after one of them has ended meanwhile.
const MAX_ANCESTRY_READS: u32 = 10;

/// The most ancestors of a process that are read.
const MAX_ANCESTORS: usize = 512;

/// Looks for `sought` among the ancestors of a process. `None` if they changed meanwhile or are
/// too many.
fn find_among_ancestors(pid: Pid, sought: Pid) -> Option<Ancestry> {
    let mut next = pid;
    let mut born = u64::MAX;
    for _ in 0..MAX_ANCESTORS {
        if next == sought {
            return Some(Ancestry::Below);
        }
        let Some(stat) = ProcessStat::of(next) else {
            let hidden = if next == pid { Ancestry::Hidden } else { Ancestry::HiddenAncestor };
            return is_hidden(next).then_some(hidden);
        };
        // A younger parent has the reused pid of one that ended after its child was read.
        if stat.start > born {
            return None;
        }
        born = stat.start;
        match stat.parent {
            Some(parent) => next = parent,
            None => return Some(Ancestry::Elsewhere),
        }
    }
    None
}

/// Whether [`socket_peer`] is supported.
pub(in crate::process) const KNOWS_PEERS: bool = true;

/// The process that connected a Unix socket, or that listens at it.
pub(in crate::process) fn socket_peer(socket: BorrowedFd<'_>) -> io::Result<SocketPeer> {
    let credentials: libc::ucred = socket_option(socket, libc::SO_PEERCRED)?;
    let Some(pid) = Pid::from_raw(credentials.pid) else {
        return Ok(SocketPeer { pid: None, user: credentials.uid, process: None });
    };
    let process = match socket_option::<libc::c_int>(socket, libc::SO_PEERPIDFD) {
        // SAFETY: the system has just opened this descriptor for us.
        Ok(process) => Some(unsafe { OwnedFd::from_raw_fd(process) }),
        // Systems before Linux 6.5 have no such option.
        Err(error) if error.raw_os_error() == Some(libc::ENOPROTOOPT) => open_process(pid).ok(),
        Err(_) => None,
    };
    Ok(SocketPeer { pid: Some(pid), user: credentials.uid, process })
}

/// Reads an option of a socket whose value is plain data.
fn socket_option<T: Copy>(socket: BorrowedFd<'_>, option: libc::c_int) -> io::Result<T> {
    let mut value = MaybeUninit::<T>::zeroed();
    let size = size_of::<T>();
    let mut length = libc::socklen_t::try_from(size).expect("the values are small");
    // SAFETY: the system writes at most `length` bytes to the value.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            option,
            value.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: zeroes are a valid value of the plain types that are read here, and so is what the
    // system writes.
    Ok(unsafe { value.assume_init() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_holder_of_the_lock_of_a_file_is_found() {
        let line = "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF";
        assert_eq!(lock_holder(line, 5678), Pid::from_raw(1234));
        assert_eq!(lock_holder(line, 678), None);
        for other in [
            "1: -> FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF",
            "1: POSIX  ADVISORY  WRITE 1234 08:01:5678 0 EOF",
            "1: FLOCK  ADVISORY  WRITE -1 08:01:5678 0 EOF",
            "1: FLOCK  ADVISORY  WRITE",
            "",
        ] {
            assert_eq!(lock_holder(other, 5678), None, "{other}");
        }
    }

    #[test]
    fn a_child_is_below_us_and_our_parent_is_not() {
        let mut command = std::process::Command::new("cat");
        let mut child = command.stdin(std::process::Stdio::piped()).spawn().expect("cat is there");
        let pid = Pid::from_child(&child);
        assert_eq!((ancestry(pid), ancestry(getpid())), (Ancestry::Below, Ancestry::Below));
        assert!(!is_hidden(pid));
        assert_eq!(parent_of(pid), Some(getpid()));
        assert!(is_numbered(pid, child.id()) && !is_numbered(pid, child.id() + 1));
        let parent = parent_of(getpid()).expect("the test was started");
        assert_eq!(ancestry(parent), Ancestry::Elsewhere);
        drop(child.stdin.take());
        child.wait().expect("it is our child");
        assert_eq!(ancestry(pid), Ancestry::Undetermined);
        assert!(!is_hidden(pid), "it is gone");
    }

    #[test]
    fn the_peer_of_a_socket_is_known() {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().expect("there are sockets");
        let peer = socket_peer(std::os::fd::AsFd::as_fd(&ours)).expect("it is a Unix socket");
        assert_eq!(peer.pid, Some(getpid()));
        assert!(peer.process.is_some());
        drop(theirs);
    }
}
