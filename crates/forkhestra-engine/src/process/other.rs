//! Fallback for `linux.rs` on systems without subreapers and `/proc`. Agents can be started, reaped
//! and signalled; processes that leave their process tree are not found.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

use libc::c_short;
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, geteuid};

use super::run_member::{Ancestry, SocketPeer};

/// The flag that gives a child a session of its own.
pub(super) const SETSID: c_short = 0x0400;

/// There are no subreapers, so the processes of a lane are found like all others.
pub(super) const HAS_SUBREAPERS: bool = false;

/// Does nothing: there are no subreapers.
pub(super) fn become_subreaper() -> Result<(), Errno> {
    Ok(())
}

/// Does nothing: only the pipe reports the death of the parent.
pub(super) fn wake_when_parent_dies() -> Result<(), Errno> {
    Ok(())
}

/// A close-on-exec pipe: its reading end, then its writing end.
pub(crate) fn pipe() -> Result<(OwnedFd, OwnedFd), Errno> {
    let (reader, writer) = rustix::pipe::pipe()?;
    fcntl_setfd(&reader, FdFlags::CLOEXEC)?;
    fcntl_setfd(&writer, FdFlags::CLOEXEC)?;
    Ok((reader, writer))
}

/// Not supported.
pub(super) fn keeper_link() -> Result<(OwnedFd, OwnedFd), Errno> {
    Err(Errno::NOSYS)
}

/// Not supported.
pub(super) fn open_process(_pid: Pid) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Not supported.
pub(super) fn signal_process(_process: &OwnedFd, _signal: Signal) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// The numbers of all open files, possibly including some that are closed by now.
pub(super) fn open_files() -> io::Result<Vec<i32>> {
    let entries = fs::read_dir("/dev/fd")?.flatten();
    Ok(entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

/// Does nothing.
pub(super) fn refuse_tracing() -> Result<(), Errno> {
    Ok(())
}

/// Does nothing.
pub(super) fn keep_files_private() -> io::Result<()> {
    Ok(())
}

/// Not supported: a limit that has no place for a mark.
pub(super) fn marked_limit() -> Option<u64> {
    Some(0)
}

/// Not supported.
pub(super) fn set_marked_limit(_value: u64) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// Not supported.
pub(super) fn thread_count() -> Option<usize> {
    None
}

/// Not supported.
pub(super) fn is_shell(_pid: Pid) -> bool {
    false
}

/// Not supported: returns no processes.
pub fn descendants() -> Vec<Pid> {
    Vec::new()
}

/// Not supported: returns no processes.
pub(super) fn descendants_except(_spared: &[Pid]) -> Vec<Pid> {
    Vec::new()
}

/// Not supported: returns no processes.
pub(super) fn descendants_of(_ancestor: Pid, _spared: &[Pid]) -> Vec<Pid> {
    Vec::new()
}

/// Not supported: returns no processes.
pub(super) fn own_children() -> Vec<Pid> {
    Vec::new()
}

/// Not supported: returns zero.
pub fn cpu_time(_pids: &[Pid]) -> Duration {
    Duration::ZERO
}

/// Not supported: returns zero.
pub fn processor_wait(_pids: &[Pid]) -> Duration {
    Duration::ZERO
}

/// Not supported.
pub(super) fn received_by_socket(_pids: &[Pid]) -> Option<HashMap<u32, u64>> {
    None
}

/// Not supported: returns no processes.
pub(super) fn processes_tagged(_name: &OsStr, _value: &OsStr) -> Vec<Pid> {
    Vec::new()
}

/// Not supported.
pub(super) fn is_tagged(_pid: Pid, _name: &OsStr, _value: &OsStr) -> bool {
    false
}

/// There is nothing to parse on this system.
pub(crate) const fn parse_any_kernel_output(_: &[u8]) {}
/// Not supported.
pub(super) fn has_tag(_pid: Pid, _name: &OsStr, _value: &OsStr) -> bool {
    false
}

/// Not supported.
pub(super) fn has_variable(_pid: Pid, _name: &OsStr, _value: &OsStr) -> bool {
    false
}

/// Not supported.
pub(super) fn have_tag(_name: &OsStr, _value: &OsStr) -> bool {
    false
}

/// Not supported.
pub(super) fn parent_of(_pid: Pid) -> Option<Pid> {
    None
}

/// Not supported.
pub(super) fn is_numbered(_pid: Pid, _number: u32) -> bool {
    false
}

/// Not supported: returns no processes.
pub(super) fn lock_holders(_inode: u64) -> Vec<Pid> {
    Vec::new()
}

/// Not supported.
pub(super) fn ancestry(_pid: Pid) -> Ancestry {
    Ancestry::Elsewhere
}

/// Not supported.
pub(super) fn is_hidden(_pid: Pid) -> bool {
    false
}

/// Whether [`socket_peer`] is supported.
pub(super) const KNOWS_PEERS: bool = false;

/// Not supported: every peer is unknown.
pub(super) fn socket_peer(_socket: BorrowedFd<'_>) -> io::Result<SocketPeer> {
    Ok(SocketPeer { pid: None, user: geteuid().as_raw(), process: None })
}
