//! The disk, as far as it is changed.
//!
//! Every call of this crate that changes something on disk passes through a [`Disk`], so that a
//! test can put one in its place which loses power, is full or breaks at any of them. Only runs that
//! nobody wants any more are removed without it, and what is only read is read from the file system
//! itself.

pub(crate) mod disk_reserve;
pub(crate) mod file_error;
pub(crate) mod files;
mod real_disk;
#[cfg(target_os = "linux")]
#[path = "disk/linux.rs"]
mod reserve;
#[cfg(not(target_os = "linux"))]
#[path = "disk/other.rs"]
mod reserve;

use std::fmt;
use std::fs::{Metadata, TryLockError};
use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::path::Path;
use std::ptr;

pub use real_disk::{RealDisk, SYSTEM};

/// Something that has files and directories. Each method is one call of the system.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Creates a directory that must not be there yet.
    fn create_directory(&self, path: &Path, mode: u32) -> io::Result<()>;

    /// Opens a file to write to it.
    fn open(&self, path: &Path, opening: OpenMode) -> io::Result<Box<dyn DiskFile>>;

    /// Makes sure that the names in a directory are still there after a power failure.
    fn sync_directory(&self, path: &Path) -> io::Result<()>;

    /// Gives a file another name, and takes that from the file which has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Gives a file a second name, which nothing may have yet. Not every file system can.
    fn link(&self, path: &Path, second: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
}

/// Two disks are the same if they are one. So a place on a disk can be compared with another.
impl PartialEq for dyn Disk {
    fn eq(&self, other: &Self) -> bool {
        ptr::addr_eq(self, other)
    }
}

impl Eq for dyn Disk {}

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenMode {
    /// What may be there already.
    pub before: ExistingFile,
    /// Where writing happens.
    pub position: WritePosition,
    /// Who may do what with a file that is created.
    pub mode: u32,
}

/// What is there before a file is opened, and what becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingFile {
    /// No such file. Otherwise opening fails.
    Nothing,
    /// A file. Otherwise opening fails.
    Something,
    /// Perhaps a file.
    Anything,
    /// Perhaps a file, of which nothing is kept.
    Replaced,
}

/// Where a file is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WritePosition {
    /// At its end, wherever that is.
    End,
    /// Where the writer says, and behind what was written last.
    Anywhere,
}

/// Whether space was reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpaceReservation {
    /// It was.
    Yes,
    /// The file system or the system cannot do this.
    Impossible,
}

/// A file that is open to be written to.
pub trait DiskFile: fmt::Debug + Send + Sync + AsFd {
    /// Writes some of these bytes, and says how many.
    fn write(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Writes some of these bytes at this place, and says how many. Not for a file that is open to
    /// be written at its end.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;

    /// Makes sure that the bytes are still there after a power failure. After an error it is unknown
    /// which are, also when a later call says that all is well.
    fn sync_data(&self) -> io::Result<()>;

    /// Cuts off the end, or puts zeros there.
    fn set_len(&self, length: u64) -> io::Result<()>;

    /// Reserves space for a part of the file without changing its length.
    fn reserve(&self, from: u64, length: u64) -> io::Result<SpaceReservation>;

    /// Locks the file, unless somebody else has.
    fn try_lock(&self) -> Result<(), TryLockError>;

    /// What is known of the file.
    fn metadata(&self) -> io::Result<Metadata>;

    /// Writes all of these bytes.
    fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        write_all(bytes, |rest, _| self.write(rest))
    }

    /// Writes all of these bytes at this place.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        write_all(bytes, |rest, written| self.write_at(rest, offset + written as u64))
    }
}

/// Calls until everything is written: with what is left, and how much was written before it.
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
