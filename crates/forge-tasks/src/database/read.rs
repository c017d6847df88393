//! Reading one file: its front matter, or all of it.

use std::fs::File;
use std::io::{self, ErrorKind, Read};

use rustix::path::Arg;

use super::FileFault;
use super::files::directory_handle::{DirectoryHandle, FileReadError, Kind};
use super::files::list_files::TaskFileName;
use crate::TaskId;
use crate::document::front::FilePortion;
use crate::document::{BrokenTask, FrontMatter, TaskDocument};

/// Nearly all front matter ends long before this.
const START: usize = 8 * 1024;

/// Why a file was not read as a task.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TaskReadError {
    /// Another process renamed or removed it.
    Gone,
    /// It is there and is not a task.
    Broken(FileFault),
}

impl From<FileReadError> for TaskReadError {
    fn from(why: FileReadError) -> Self {
        match why {
            FileReadError::Gone => Self::Gone,
            other => Self::Broken(FileFault::Unreadable(other.to_string())),
        }
    }
}

impl From<io::Error> for TaskReadError {
    fn from(error: io::Error) -> Self {
        FileReadError::from(error).into()
    }
}

impl From<BrokenTask> for TaskReadError {
    fn from(why: BrokenTask) -> Self {
        Self::Broken(why.into())
    }
}

/// Reads front matter, with one buffer for many files.
pub(super) struct FrontReader {
    start: Box<[u8]>,
}

impl FrontReader {
    /// Prepares the buffer.
    pub(super) fn new() -> Self {
        Self { start: vec![0; START].into() }
    }

    /// Reads the front matter of a file, and no more of the file than it must.
    pub(super) fn read(
        &mut self,
        folder: &DirectoryHandle,
        name: &TaskFileName,
    ) -> Result<FrontMatter, TaskReadError> {
        self.read_file(folder, name.file.as_str(), name.kind)
    }

    /// The same, whatever the name is made of.
    pub(super) fn read_file(
        &mut self,
        folder: &DirectoryHandle,
        name: impl Arg,
        kind: Kind,
    ) -> Result<FrontMatter, TaskReadError> {
        let mut file = folder.file(name, kind)?;
        let length = read_some(&mut file, &mut self.start)?;
        let start = &self.start[..length];
        match FrontMatter::read_start(start, FilePortion::FirstBytes)? {
            Some(front) => Ok(front),
            None => front_of_whole(start, file),
        }
    }
}

fn read_some(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

fn front_of_whole(start: &[u8], mut rest: File) -> Result<FrontMatter, TaskReadError> {
    let mut bytes = start.to_vec();
    rest.read_to_end(&mut bytes)?;
    refuse_empty(&bytes)?;
    Ok(FrontMatter::read_start(&bytes, FilePortion::WholeFile)?.ok_or(BrokenTask::Unclosed)?)
}

/// Reads a whole task, and its id.
pub(super) fn document(
    folder: &DirectoryHandle,
    name: &TaskFileName,
) -> Result<(TaskId, TaskDocument), TaskReadError> {
    let mut bytes = Vec::new();
    folder.file(name.file.as_str(), name.kind)?.read_to_end(&mut bytes)?;
    refuse_empty(&bytes)?;
    let document = TaskDocument::from_bytes(bytes)?;
    let id = document.front()?.id;
    Ok((id, document))
}

fn refuse_empty(bytes: &[u8]) -> Result<(), TaskReadError> {
    if bytes.is_empty() { Err(TaskReadError::Broken("is empty".into())) } else { Ok(()) }
}
