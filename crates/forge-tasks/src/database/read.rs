//! Reading files: the front matter of one, all of it, and every file while others may be writing.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::time::Duration;

use rustix::path::Arg;

use crate::TaskId;
use crate::database::files::database_lock::{DatabaseLock, LockSharing};
use crate::database::files::directory_handle::{DirectoryHandle, FileReadError, Kind};
use crate::database::files::list_files::{TaskFileName, TaskFileNames};
use crate::database::{
    BrokenFile, DatabaseError, DirectoryListing, FileFault, StoredFile, TaskScope,
};
use crate::document::front::FilePortion;
use crate::document::{BrokenTask, FrontMatter, TaskDocument};

/// Nearly all front matter ends long before this.
const READ_SIZE: usize = 8 * 1024;

/// Why a file was not read as a task.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TaskReadError {
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
pub(crate) struct FrontReader {
    start: Box<[u8]>,
}

impl FrontReader {
    /// Prepares the buffer.
    pub(crate) fn new() -> Self {
        Self { start: vec![0; READ_SIZE].into() }
    }

    /// Reads the front matter of a file, and no more of the file than it must.
    pub(crate) fn read(
        &mut self,
        folder: &DirectoryHandle,
        name: &TaskFileName,
    ) -> Result<FrontMatter, TaskReadError> {
        self.read_file(folder, name.file.as_str(), name.kind)
    }

    /// The same, whatever the name is made of.
    pub(crate) fn read_file(
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
pub(crate) fn document(
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

/// How often a changing directory is listed before the shared lock is taken.
pub(crate) const ROUNDS: u32 = 8;

/// How long the shared lock is waited for. After that, reading continues without it.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Whether other processes can write to a directory while it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConcurrentWriters {
    /// They can.
    MayWrite,
    /// We hold the lock.
    Wait,
}

/// Reads every file with one function, so that each task is seen exactly once however others rename
/// files meanwhile.
///
/// If a file was gone before it could be opened, or the directory changed during the listing, it is
/// listed again, until nothing is gone and the names stay the same. Files that were read are kept,
/// so that another round is cheap. The last round takes the shared lock.
pub(crate) fn read_all<T>(
    tasks: &DirectoryHandle,
    scope: TaskScope,
    others: ConcurrentWriters,
    mut read: impl FnMut(&DirectoryHandle, &TaskFileName) -> Result<T, TaskReadError>,
) -> Result<DirectoryListing<T>, DatabaseError> {
    let mut known = HashMap::new();
    let mut was_whole = false;
    for _ in 0..ROUNDS {
        let round = ReadRound::take(TaskFileNames::at(tasks, scope)?, &mut known, &mut read);
        // After a round with a missing file, equal names prove nothing.
        let is_settled = others == ConcurrentWriters::Wait || (round.is_same && was_whole);
        if round.is_whole && is_settled {
            return Ok(round.listing());
        }
        was_whole = round.is_whole;
        known = round.files.into_iter().collect();
    }
    let _quiet = (others == ConcurrentWriters::MayWrite).then(|| quiet(tasks));
    Ok(ReadRound::take(TaskFileNames::at(tasks, scope)?, &mut known, &mut read).listing())
}

/// The parsed files, or why they are broken.
type ReadFiles<T> = HashMap<TaskFileName, Result<T, FileFault>>;

/// The result of one pass over the directory.
struct ReadRound<T> {
    files: Vec<(TaskFileName, Result<T, FileFault>)>,
    nameless: Vec<BrokenFile>,
    is_same: bool,
    is_whole: bool,
}

impl<T> ReadRound<T> {
    /// Reads unknown files, and drops those that are gone.
    fn take(
        mut listing: TaskFileNames<'_>,
        known: &mut ReadFiles<T>,
        read: &mut impl FnMut(&DirectoryHandle, &TaskFileName) -> Result<T, TaskReadError>,
    ) -> Self {
        let names = std::mem::take(&mut listing.names);
        let mut files = Vec::with_capacity(names.len());
        let (mut is_same, mut is_whole) = (true, true);
        for name in names {
            let folder = listing.folder(name.directory).expect("it is where the name was found");
            if let Some(outcome) = known.remove(&name) {
                files.push((name, outcome));
                continue;
            }
            is_same = false;
            match read(folder, &name) {
                Ok(content) => files.push((name, Ok(content))),
                Err(TaskReadError::Broken(why)) => files.push((name, Err(why))),
                Err(TaskReadError::Gone) => is_whole = false,
            }
        }
        is_same &= known.is_empty();
        Self { files, nameless: listing.broken, is_same, is_whole }
    }

    fn listing(self) -> DirectoryListing<T> {
        let mut tasks = Vec::with_capacity(self.files.len());
        let mut broken = self.nameless;
        for (TaskFileName { directory, file, .. }, outcome) in self.files {
            match outcome {
                Ok(content) => tasks.push(StoredFile { directory, file, content }),
                Err(why) => broken.push(BrokenFile { directory, file, why }),
            }
        }
        broken.sort_by(|a, b| (a.directory, &a.file).cmp(&(b.directory, &b.file)));
        DirectoryListing { tasks, broken }
    }
}

/// Takes the shared lock, if possible.
fn quiet(tasks: &DirectoryHandle) -> Option<DatabaseLock> {
    let file = tasks.opened_again().ok()?;
    DatabaseLock::take(file, LockSharing::Readers, LOCK_TIMEOUT).ok()
}
