//! The write interface to the file system.
//!
//! Every call of this crate that changes the disk goes through a [`Disk`], so that a test can use
//! one that loses power, is full or fails at any call. Exceptions: the removal of runs, and all
//! reads, which use the file system directly.

pub(crate) mod disk_reserve;
pub(crate) mod file_error;
pub(crate) mod files;
pub(crate) mod no_follow_disk;
pub(crate) mod reading;
mod real_disk;
#[cfg(target_os = "linux")]
#[path = "disk/linux.rs"]
mod reserve;
#[cfg(not(target_os = "linux"))]
#[path = "disk/other.rs"]
mod reserve;
pub(crate) mod untrusted_path;

use std::fmt;
use std::fs::{Metadata, TryLockError};
use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::path::Path;
use std::ptr;

pub use no_follow_disk::{NO_FOLLOW_DISK, NoFollowDisk};
pub use real_disk::{RealDisk, SYSTEM};
pub use untrusted_path::UntrustedPath;

/// A file system. Each method is one system call.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Creates a directory. It must not exist.
    fn create_directory(&self, path: &Path, mode: u32) -> io::Result<()>;

    /// Opens a file for writing.
    fn open(&self, path: &Path, opening: OpenMode) -> io::Result<Box<dyn DiskFile>>;

    /// Makes the entries of a directory survive a power failure.
    fn sync_directory(&self, path: &Path) -> io::Result<()>;

    /// Renames a file. A file with the new name is replaced.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Adds a hard link. The new name must not exist. Not all file systems support this.
    fn link(&self, path: &Path, second: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
}

/// Compares by identity, so that types with a disk can be compared.
impl PartialEq for dyn Disk {
    fn eq(&self, other: &Self) -> bool {
        ptr::addr_eq(self, other)
    }
}

impl Eq for dyn Disk {}

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenMode {
    pub before: ExistingFile,
    pub position: WritePosition,
    /// The permissions of a file that is created.
    pub mode: u32,
}

/// What must or may exist before a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingFile {
    /// Opening fails if the file exists.
    Nothing,
    /// Opening fails if the file does not exist.
    Something,
    /// The file is created if it does not exist.
    Anything,
    /// The file is created, or truncated if it exists.
    Replaced,
}

/// Where a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WritePosition {
    /// Append mode.
    End,
    /// At explicit offsets, or after the last write.
    Anywhere,
}

/// Whether space was reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpaceReservation {
    Yes,
    /// The file system or the operating system does not support this.
    Impossible,
}

/// A file that is open for writing.
pub trait DiskFile: fmt::Debug + Send + Sync + AsFd {
    /// Writes some of these bytes, and returns their number.
    fn write(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Writes some of these bytes at an offset, and returns their number. Not for a file in append
    /// mode.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;

    /// Makes the bytes survive a power failure. After an error it is unknown which bytes do, even
    /// if a later call succeeds.
    fn sync_data(&self) -> io::Result<()>;

    /// Truncates the file, or extends it with zeros.
    fn set_len(&self, length: u64) -> io::Result<()>;

    /// Reserves space for a part of the file without changing its length.
    fn reserve(&self, from: u64, length: u64) -> io::Result<SpaceReservation>;

    /// Locks the file without waiting.
    fn try_lock(&self) -> Result<(), TryLockError>;

    /// Metadata of the file.
    fn metadata(&self) -> io::Result<Metadata>;

    /// Writes all of these bytes.
    fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        write_all(bytes, |rest, _| self.write(rest))
    }

    /// Writes all of these bytes at an offset.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        write_all(bytes, |rest, written| self.write_at(rest, offset + written as u64))
    }
}

/// Calls `write` until everything is written, with the rest and the number of bytes written so far.
fn write_all(
    bytes: &[u8],
    mut write: impl FnMut(&[u8], usize) -> io::Result<usize>,
) -> io::Result<()> {
    let mut written = 0;
    while written < bytes.len() {
        match write(&bytes[written..], written) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(more) => written += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
