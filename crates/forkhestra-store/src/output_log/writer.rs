//! Writes the log of an output stream.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::redact::Redactor;
use super::tail::TailWriter;
use super::tail_header::TailLayout;
use super::{LogCapacity, Secrets};
use crate::disk::file_error::found;
use crate::disk::files;
use crate::disk::{Disk, DiskFile};

/// The maximum length of one write to the tail.
pub(super) const MAX_TAIL_WRITE_BYTES: u64 = 256 * 1024;

/// The maximum length searched for secrets at once, to bound memory.
const REDACTION_CHUNK_BYTES: usize = 64 * 1024;

/// Writes the log of one output stream.
#[derive(Debug)]
pub struct OutputWriter {
    files: OutputLogFiles,
    redactor: Option<Redactor>,
}

impl OutputWriter {
    /// Creates a writer. The files, and missing parent directories, are created with the first
    /// byte, and replace an existing log.
    pub fn new(
        disk: &'static dyn Disk,
        path: PathBuf,
        capacity: LogCapacity,
        secrets: &Arc<Secrets>,
    ) -> Self {
        let redactor = (!secrets.is_empty()).then(|| Redactor::new(Arc::clone(secrets)));
        Self { files: OutputLogFiles::new(disk, path, capacity, MAX_TAIL_WRITE_BYTES), redactor }
    }

    /// Appends bytes. Those that may begin a secret are held back until that is known. After an
    /// error nothing more should be appended.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(redactor) = &mut self.redactor else { return self.files.append(bytes) };
        for bytes in bytes.chunks(REDACTION_CHUNK_BYTES) {
            self.files.append(redactor.feed(bytes))?;
        }
        Ok(())
    }

    /// Writes the bytes that were held back, and closes the files.
    pub fn finish(&mut self) -> io::Result<()> {
        if let Some(redactor) = &mut self.redactor {
            self.files.append(redactor.finish())?;
        }
        self.files.close();
        Ok(())
    }
}

/// The two files of a log.
#[derive(Debug)]
pub(super) struct OutputLogFiles {
    disk: &'static dyn Disk,
    path: PathBuf,
    capacity: LogCapacity,
    spare: u64,
    head: Option<Box<dyn DiskFile>>,
    head_length: u64,
    tail: Option<TailWriter>,
}

impl OutputLogFiles {
    pub(super) const fn new(
        disk: &'static dyn Disk,
        path: PathBuf,
        capacity: LogCapacity,
        spare: u64,
    ) -> Self {
        Self { disk, path, capacity, spare, head: None, head_length: 0, tail: None }
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let room = usize::try_from(self.capacity.head - self.head_length).unwrap_or(usize::MAX);
        let (first, last) = bytes.split_at(room.min(bytes.len()));
        self.append_to_head(first)?;
        if last.is_empty() { Ok(()) } else { self.append_to_tail(last) }
    }

    fn append_to_head(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.head.is_none() {
            self.head = Some(create_head(self.disk, &self.path)?);
        }
        if let Some(head) = &mut self.head {
            head.write_all(bytes)?;
            self.head_length += bytes.len() as u64;
        }
        Ok(())
    }

    fn append_to_tail(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.tail.is_none() {
            self.tail = Some(self.create_tail()?);
        }
        self.tail.as_mut().map_or(Ok(()), |tail| tail.append(bytes))
    }

    pub(super) fn create_tail(&self) -> io::Result<TailWriter> {
        let LogCapacity { head, tail } = self.capacity;
        let layout = TailLayout { from: head, size: tail + self.spare, spare: self.spare };
        TailWriter::create(self.disk, &tail_path(&self.path), layout)
    }

    #[cfg(test)]
    pub(super) const fn tail(&self) -> Option<&TailWriter> {
        self.tail.as_ref()
    }

    fn close(&mut self) {
        self.head = None;
        self.tail = None;
    }
}

/// The path of a log's tail file.
pub(super) fn tail_path(path: &Path) -> PathBuf {
    let mut path = OsString::from(path);
    path.push(".tail");
    path.into()
}

/// Creates the head file, readable only for the owner.
fn create_head(disk: &dyn Disk, path: &Path) -> io::Result<Box<dyn DiskFile>> {
    match files::create_new(disk, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(directory) = path.parent() {
                files::create_directories(disk, directory)?;
            }
            files::create_new(disk, path)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // A leftover tail of an older log would be mistaken for the tail of this one.
            found(disk.remove_file(&tail_path(path)))?;
            files::create(disk, path)
        }
        result => result,
    }
}
