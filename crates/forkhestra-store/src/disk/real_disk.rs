//! The disk of the operating system.

use std::fs::{self, DirBuilder, File, Metadata, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::retry_on_intr;

use super::untrusted_path::{HardLinkRule, open_error, require_own_file};
use super::{Disk, DiskFile, ExistingFile, OpenMode, SpaceReservation, WritePosition, reserve};

/// The disk of the operating system.
#[derive(Debug)]
pub struct RealDisk;

/// The only instance.
pub static SYSTEM: RealDisk = RealDisk;

impl Disk for RealDisk {
    fn create_directory(&self, path: &Path, mode: u32) -> io::Result<()> {
        DirBuilder::new().mode(mode).create(path)
    }

    fn open(&self, path: &Path, opening: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        let open = |flags: OFlags, mode: u32| -> io::Result<File> {
            let (flags, mode) = (flags | OFlags::CLOEXEC, Mode::from_raw_mode(mode));
            Ok(retry_on_intr(|| openat(CWD, path, flags, mode))?.into())
        };
        Ok(Box::new(open_checked(path, opening, open)?))
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn link(&self, path: &Path, second: &Path) -> io::Result<()> {
        fs::hard_link(path, second)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}

/// Opens a file for writing with `open`, which takes flags and the permissions of a new file.
///
/// An existing file is used only if it is a regular file of this user, and not through a link. It is truncated after
/// that is known. A new file is ours, even where the file system shows another owner.
pub(super) fn open_checked(
    path: &Path,
    opening: OpenMode,
    open: impl Fn(OFlags, u32) -> io::Result<File>,
) -> io::Result<File> {
    let append = match opening.position {
        WritePosition::End => OFlags::APPEND,
        WritePosition::Anywhere => OFlags::empty(),
    };
    // Without `NONBLOCK`, opening a pipe waits for its reader.
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | append;
    let create = || open(flags | OFlags::CREATE | OFlags::EXCL, opening.mode);
    let existing = |links: HardLinkRule| -> io::Result<File> {
        let file = open(flags, 0).map_err(|error| open_error(path, error))?;
        require_own_file(&file.metadata()?, links)?;
        Ok(file)
    };
    match opening.before {
        ExistingFile::Nothing => create(),
        ExistingFile::Something => existing(HardLinkRule::Allowed),
        ExistingFile::Anything | ExistingFile::Replaced => {
            let file = loop {
                match existing(HardLinkRule::Refused) {
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    found => break found?,
                }
                match create() {
                    // Another process was faster.
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    created => return created,
                }
            };
            if opening.before == ExistingFile::Replaced {
                file.set_len(0)?;
            }
            Ok(file)
        }
    }
}

impl DiskFile for File {
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut file = self;
        Write::write(&mut file, bytes)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        FileExt::write_at(self, bytes, offset)
    }

    fn sync_data(&self) -> io::Result<()> {
        Self::sync_data(self)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        Self::set_len(self, length)
    }

    fn reserve(&self, from: u64, length: u64) -> io::Result<SpaceReservation> {
        reserve::reserve(self, from, length)
    }

    fn try_lock(&self) -> Result<(), TryLockError> {
        Self::try_lock(self)
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Self::metadata(self)
    }
}
