//! Stands in for `linux.rs` on systems without subreapers and without `/proc`. Agents can be
//! started, collected and signalled; what leaves their process tree is not found.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use libc::c_short;
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal};

/// The flag that gives a child a session of its own.
pub(super) const SETSID: c_short = 0x0400;

/// There are no subreapers.
pub(super) fn become_subreaper() -> Result<(), Errno> {
    Ok(())
}

/// Nothing tells of a parent's death but the pipe.
pub(super) fn wake_when_parent_dies() -> Result<(), Errno> {
    Ok(())
}

/// A pipe that no program we start inherits: its reading end, then its writing end.
pub(crate) fn pipe() -> Result<(OwnedFd, OwnedFd), Errno> {
    let (reader, writer) = rustix::pipe::pipe()?;
    fcntl_setfd(&reader, FdFlags::CLOEXEC)?;
    fcntl_setfd(&writer, FdFlags::CLOEXEC)?;
    Ok((reader, writer))
}

/// Processes cannot be opened.
pub(super) fn open_process(_pid: Pid) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Processes cannot be opened.
pub(super) fn signal_process(_process: &OwnedFd, _signal: Signal) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// The numbers of all files that are open in us, and perhaps of some that are not.
pub(super) fn open_files() -> io::Result<Vec<i32>> {
    let entries = fs::read_dir("/dev/fd")?.flatten();
    Ok(entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

/// Nothing tells.
pub(super) fn thread_count() -> Option<usize> {
    None
}

/// Nothing tells.
pub fn descendants() -> Vec<Pid> {
    Vec::new()
}

/// Nothing tells.
pub(super) fn descendants_except(_spared: &[Pid]) -> Vec<Pid> {
    Vec::new()
}

/// Nothing tells.
pub fn cpu_time(_pids: &[Pid]) -> Duration {
    Duration::ZERO
}

/// Nothing tells.
pub(super) fn received_by_socket(_pids: &[Pid]) -> Option<HashMap<u32, u64>> {
    None
}

/// Nothing tells.
pub(super) fn processes_tagged(_name: &OsStr, _value: &OsStr) -> Vec<Pid> {
    Vec::new()
}

/// Nothing tells.
pub(super) fn is_tagged(_pid: Pid, _name: &OsStr, _value: &OsStr) -> bool {
    false
}
