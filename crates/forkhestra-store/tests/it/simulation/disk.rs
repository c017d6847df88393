//! A disk whose files are in a real directory, so that they can be read, and which remembers every
//! change. Nothing is ever synced.

use std::fs::{Metadata, TryLockError};
use std::io;
use std::ops::Deref;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forkhestra_store::disk::{Before, Disk, DiskFile, Opening, Place, Reserved, SYSTEM};

use super::contents::Contents;
use super::fault::{Failure, Kind};
use super::history::{Change, Entry, Inode, What};
use super::recorder::Recorder;

#[derive(Debug)]
pub(crate) struct SimulatedDisk {
    recorder: Arc<Recorder>,
}

impl SimulatedDisk {
    /// A disk with these contents, all of which are safe. Like the real one it lives as long as the
    /// program.
    pub(crate) fn new(top: &Path, contents: &Contents) -> &'static Self {
        contents.write(top);
        Box::leak(Box::new(Self { recorder: Arc::new(Recorder::new(top, contents)) }))
    }
}

impl Deref for SimulatedDisk {
    type Target = Recorder;

    fn deref(&self) -> &Recorder {
        &self.recorder
    }
}

impl Disk for SimulatedDisk {
    fn create_directory(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.call(Kind::CreateDirectory, path, || {
            SYSTEM.create_directory(path, mode)?;
            self.named(path, What::Directory);
            Ok(())
        })
    }

    fn open(&self, path: &Path, opening: Opening) -> io::Result<Box<dyn DiskFile>> {
        self.call(Kind::Open, path, || {
            let real = SYSTEM.open(path, opening)?;
            let inode = match self.find(path) {
                Some(file) if opening.before == Before::Replaced => {
                    self.changed(Change::Resized { file, length: 0 });
                    file
                }
                Some(file) => file,
                None => self.named(path, What::File),
            };
            let recorder = Arc::clone(&self.recorder);
            let (path, place) = (path.to_owned(), opening.place);
            Ok(Box::new(SimulatedFile { recorder, inode, path, place, real }) as Box<_>)
        })
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        self.call(Kind::SyncDirectory, path, || {
            let inode = self.find(path).ok_or(io::ErrorKind::NotFound)?;
            self.happens(Entry::DirectorySynced(inode));
            Ok(())
        })
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call(Kind::Rename, to, || {
            SYSTEM.rename(from, to)?;
            let ((directory, from), (_, to)) = (self.place(from), self.place(to));
            self.changed(Change::Renamed { directory, from, to });
            Ok(())
        })
    }

    /// One of the file systems on which a file has one name only.
    fn link(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.call(Kind::RemoveFile, path, || {
            SYSTEM.remove_file(path)?;
            let (directory, name) = self.place(path);
            self.changed(Change::Removed { directory, name });
            Ok(())
        })
    }
}

/// A file on a simulated disk.
#[derive(Debug)]
struct SimulatedFile {
    recorder: Arc<Recorder>,
    inode: Inode,
    path: PathBuf,
    place: Place,
    real: Box<dyn DiskFile>,
}

impl SimulatedFile {
    /// Writes as much as may be written.
    fn write_some(
        &self,
        bytes: &[u8],
        offset: u64,
        write: impl FnOnce(&[u8]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let perform = |bytes: &[u8]| {
            let count = write(bytes)?;
            let (offset, bytes) = (index(offset), bytes[..count].to_owned());
            self.recorder.changed(Change::Written { file: self.inode, offset, bytes });
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
        // Whoever writes without saying where does so from the beginning to the end.
        let offset = self.real.metadata()?.len();
        self.write_some(bytes, offset, |bytes| self.real.write(bytes))
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        assert_eq!(self.place, Place::Anywhere, "a system may write at the end instead");
        self.write_some(bytes, offset, |bytes| self.real.write_at(bytes, offset))
    }

    fn sync_data(&self) -> io::Result<()> {
        match self.recorder.failure(Kind::SyncData, &self.path) {
            None => {
                self.recorder.happens(Entry::Synced(self.inode));
                Ok(())
            }
            Some(failure) => {
                if failure != Failure::Killed {
                    self.recorder.happens(Entry::NotSynced(self.inode));
                }
                Err(failure.error())
            }
        }
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.recorder.call(Kind::SetLength, &self.path, || {
            self.real.set_len(length)?;
            self.recorder.changed(Change::Resized { file: self.inode, length: index(length) });
            Ok(())
        })
    }

    fn reserve(&self, from: u64, length: u64) -> io::Result<Reserved> {
        // Nobody can tell reserved space from other space.
        let _ = (from, length);
        self.recorder.call(Kind::Reserve, &self.path, || Ok(Reserved::Yes))
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
