//! Reading one file: its front matter, or all of it.

use std::fs::File;
use std::io::{self, ErrorKind, Read};

use rustix::path::Arg;

use super::FileFault;
use super::folder::{Folder, Kind, Unreadable};
use super::look::Name;
use crate::TaskId;
use crate::document::front::Portion;
use crate::document::{Broken, Front, TaskDocument};

/// Nearly all front matter ends long before this.
const START: usize = 8 * 1024;

/// Why a file was not read as a task.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// Another process renamed or removed it.
    Gone,
    /// It is there and is not a task.
    Broken(FileFault),
}

impl From<Unreadable> for Unread {
    fn from(why: Unreadable) -> Self {
        match why {
            Unreadable::Gone => Self::Gone,
            other => Self::Broken(FileFault::Unreadable(other.to_string())),
        }
    }
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Unreadable::from(error).into()
    }
}

impl From<Broken> for Unread {
    fn from(why: Broken) -> Self {
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
    pub(super) fn read(&mut self, folder: &Folder, name: &Name) -> Result<Front, Unread> {
        self.read_file(folder, name.file.as_str(), name.kind)
    }

    /// The same, whatever the name is made of.
    pub(super) fn read_file(
        &mut self,
        folder: &Folder,
        name: impl Arg,
        kind: Kind,
    ) -> Result<Front, Unread> {
        let mut file = folder.file(name, kind)?;
        let length = read_some(&mut file, &mut self.start)?;
        let start = &self.start[..length];
        match Front::read_start(start, Portion::FirstBytes)? {
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

fn front_of_whole(start: &[u8], mut rest: File) -> Result<Front, Unread> {
    let mut bytes = start.to_vec();
    rest.read_to_end(&mut bytes)?;
    refuse_empty(&bytes)?;
    Ok(Front::read_start(&bytes, Portion::WholeFile)?.ok_or(Broken::Unclosed)?)
}

/// Reads a whole task, and its id.
pub(super) fn document(folder: &Folder, name: &Name) -> Result<(TaskId, TaskDocument), Unread> {
    let mut bytes = Vec::new();
    folder.file(name.file.as_str(), name.kind)?.read_to_end(&mut bytes)?;
    refuse_empty(&bytes)?;
    let document = TaskDocument::from_bytes(bytes)?;
    let id = document.front()?.id;
    Ok((id, document))
}

fn refuse_empty(bytes: &[u8]) -> Result<(), Unread> {
    if bytes.is_empty() { Err(Unread::Broken("is empty".into())) } else { Ok(()) }
}
