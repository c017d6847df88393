//! The disk of the operating system.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::Path;

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
        let mut options = OpenOptions::new();
        options.write(true).append(opening.position == WritePosition::End).mode(opening.mode);
        match opening.before {
            ExistingFile::Nothing => options.create_new(true),
            ExistingFile::Something => &mut options,
            ExistingFile::Anything => options.create(true),
            ExistingFile::Replaced => options.create(true).truncate(true),
        };
        Ok(Box::new(options.open(path)?))
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
