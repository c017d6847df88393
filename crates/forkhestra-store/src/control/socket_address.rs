//! Works around the maximum length of a socket's path.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::runs::run_dir::RunDir;

/// The maximum length of a socket's path, without the terminating zero.
const MAX_PATH_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Calls `act` with a path to the run's socket that is short enough.
pub(super) fn at<T>(run: &RunDir, act: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let path = run.control();
    if path.as_os_str().as_bytes().len() <= MAX_PATH_BYTES {
        act(&path)
    } else {
        with_short_path(&path, act)
    }
}

/// Uses a short path through a descriptor of the directory.
#[cfg(target_os = "linux")]
fn with_short_path<T>(path: &Path, act: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{Mode, OFlags, open};

    let directory = path.parent().unwrap_or(path);
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = open(directory, flags, Mode::empty())?;
    let name = path.file_name().unwrap_or_default();
    act(&Path::new("/proc/self/fd").join(directory.as_raw_fd().to_string()).join(name))
}

#[cfg(not(target_os = "linux"))]
fn with_short_path<T>(path: &Path, _: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let length = path.as_os_str().as_bytes().len();
    let why = format!("its path has {length} bytes, and a socket's may have {LONGEST}");
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}
