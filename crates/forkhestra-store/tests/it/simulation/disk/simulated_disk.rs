//! A disk whose files are in a real directory, so that they can be read, and which records every
//! change. It never syncs.

use std::fs::{Metadata, TryLockError};
use std::io;
use std::ops::Deref;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forkhestra_store::disk::{
    Disk, DiskFile, ExistingFile, OpenMode, SYSTEM, SpaceReservation, WritePosition,
};

use super::disk_contents::DiskContents;
use super::disk_fault::{DiskFailure, Kind};
use super::disk_history::{DiskChange, DiskLogEntry, Inode, InodeKind};
use super::disk_recorder::DiskRecorder;

#[derive(Debug)]
pub(crate) struct SimulatedDisk {
    recorder: Arc<DiskRecorder>,
}

impl SimulatedDisk {
    /// A disk with these contents, all durable. Like the real one it lives as long as the program.
    pub(crate) fn new(top: &Path, contents: &DiskContents) -> &'static Self {
        contents.write(top);
        Box::leak(Box::new(Self { recorder: Arc::new(DiskRecorder::new(top, contents)) }))
    }
}

impl Deref for SimulatedDisk {
    type Target = DiskRecorder;

    fn deref(&self) -> &DiskRecorder {
        &self.recorder
    }
}

impl Disk for SimulatedDisk {
    fn create_directory(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.call(Kind::CreateDirectory, path, || {
            SYSTEM.create_directory(path, mode)?;
            self.named(path, InodeKind::Directory);
            Ok(())
        })
    }

    fn open(&self, path: &Path, opening: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        self.call(Kind::Open, path, || {
            let real = SYSTEM.open(path, opening)?;
            let inode = match self.find(path) {
                Some(file) if opening.before == ExistingFile::Replaced => {
                    self.changed(DiskChange::Resized { file, length: 0 });
                    file
                }
                Some(file) => file,
                None => self.named(path, InodeKind::File),
            };
            let recorder = Arc::clone(&self.recorder);
            let (path, place) = (path.to_owned(), opening.position);
            Ok(Box::new(SimulatedFile { recorder, inode, path, place, real }) as Box<_>)
        })
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        self.call(Kind::SyncDirectory, path, || {
            let inode = self.find(path).ok_or(io::ErrorKind::NotFound)?;
            self.happens(DiskLogEntry::DirectorySynced(inode));
            Ok(())
        })
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call(Kind::Rename, to, || {
            SYSTEM.rename(from, to)?;
            let ((directory, from), (_, to)) = (self.place(from), self.place(to));
            self.changed(DiskChange::Renamed { directory, from, to });
            Ok(())
        })
    }

    /// Behaves like a file system without hard links.
    fn link(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.call(Kind::RemoveFile, path, || {
            SYSTEM.remove_file(path)?;
            let (directory, name) = self.place(path);
            self.changed(DiskChange::Removed { directory, name });
            Ok(())
        })
    }
}

/// A file on a simulated disk.
#[derive(Debug)]
struct SimulatedFile {
    recorder: Arc<DiskRecorder>,
    inode: Inode,
    path: PathBuf,
    place: WritePosition,
    real: Box<dyn DiskFile>,
}

impl SimulatedFile {
    /// Writes as many bytes as the fault allows.
    fn write_some(
        &self,
        bytes: &[u8],
        offset: u64,
        write: impl FnOnce(&[u8]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let perform = |bytes: &[u8]| {
            let count = write(bytes)?;
            let (offset, bytes) = (index(offset), bytes[..count].to_owned());
            self.recorder.changed(DiskChange::Written { file: self.inode, offset, bytes });
            Ok(count)
        };
        let Some(failure) = self.recorder.failure(Kind::Write, &self.path) else {
            return perform(bytes);
        };
        let count = failure.written_of(bytes.len());
        if count > 0 {
            perform(&bytes[..count])?;
        }
        if failure.is_partial() { Ok(count) } else { Err(failure.error()) }
    }
}

impl DiskFile for SimulatedFile {
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        // Writers without offsets write from the beginning to the end.
        let offset = self.real.metadata()?.len();
        self.write_some(bytes, offset, |bytes| self.real.write(bytes))
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        assert_eq!(self.place, WritePosition::Anywhere, "a system may write at the end instead");
        self.write_some(bytes, offset, |bytes| self.real.write_at(bytes, offset))
    }

    fn sync_data(&self) -> io::Result<()> {
        match self.recorder.failure(Kind::SyncData, &self.path) {
            None => {
                self.recorder.happens(DiskLogEntry::Synced(self.inode));
                Ok(())
            }
            Some(failure) => {
                if failure != DiskFailure::Killed {
                    self.recorder.happens(DiskLogEntry::NotSynced(self.inode));
                }
                Err(failure.error())
            }
        }
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.recorder.call(Kind::SetLength, &self.path, || {
            self.real.set_len(length)?;
            self.recorder.changed(DiskChange::Resized { file: self.inode, length: index(length) });
            Ok(())
        })
    }

    fn reserve(&self, from: u64, length: u64) -> io::Result<SpaceReservation> {
        // Reserved space has no observable effect.
        let _ = (from, length);
        self.recorder.call(Kind::Reserve, &self.path, || Ok(SpaceReservation::Yes))
    }

    fn try_lock(&self) -> Result<(), TryLockError> {
        match self.recorder.failure(Kind::Lock, &self.path) {
            None => self.real.try_lock(),
            Some(failure) => Err(TryLockError::Error(failure.error())),
        }
    }

    fn metadata(&self) -> io::Result<Metadata> {
        self.real.metadata()
    }
}

impl AsFd for SimulatedFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.real.as_fd()
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).expect("files are small")
}
