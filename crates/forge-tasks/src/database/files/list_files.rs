//! Lists the files of tasks.
//!
//! A listing may miss a file that is renamed meanwhile, under both its old and its new name. So
//! readers list twice.

use std::ffi::{CStr, CString};

use super::directory_handle::{DirectoryHandle, Kind};
use super::file_name::EXTENSION;
use crate::database::stored::ARCHIVE;
use crate::database::{BrokenFile, DatabaseError, FileFault, TaskDirectory, TaskScope};

/// The names of the files that should be tasks.
#[derive(Debug)]
pub(crate) struct TaskFileNames<'a> {
    tasks: &'a DirectoryHandle,
    archive: Option<DirectoryHandle>,
    /// The names, in the order of the directory.
    pub(crate) names: Vec<TaskFileName>,
    /// Names that are not UTF-8.
    pub(crate) non_utf8: Vec<(TaskDirectory, CString)>,
    /// Entries with the name of a task that cannot be one.
    pub(crate) broken: Vec<BrokenFile>,
}

/// The name of a file that should be a task.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct TaskFileName {
    pub(crate) directory: TaskDirectory,
    pub(crate) file: String,
    pub(crate) kind: Kind,
}

impl<'a> TaskFileNames<'a> {
    /// Lists the directories. An archive that cannot be opened is reported as broken.
    pub(crate) fn at(tasks: &'a DirectoryHandle, scope: TaskScope) -> Result<Self, DatabaseError> {
        let (archive, no_archive) = match archive_of(tasks, scope) {
            Ok(archive) => (archive, None),
            Err(DatabaseError::NotAFolder { why, .. }) => (None, Some(why.to_owned())),
            Err(DatabaseError::Io { why, .. }) => (None, Some(format!("cannot be opened: {why}"))),
            Err(error) => return Err(error),
        };
        let mut listing = Self::over(tasks, archive)?;
        listing.broken.extend(no_archive.map(|why| BrokenFile {
            directory: TaskDirectory::Tasks,
            file: ARCHIVE.to_owned(),
            why: FileFault::Unreadable(why),
        }));
        Ok(listing)
    }

    /// Lists both directories; fails if one cannot be listed.
    pub(crate) fn at_all(tasks: &'a DirectoryHandle) -> Result<Self, DatabaseError> {
        Self::over(tasks, archive_of(tasks, TaskScope::All)?)
    }

    /// The archive comes last, so that a task that is being archived is in at least one list.
    fn over(
        tasks: &'a DirectoryHandle,
        archive: Option<DirectoryHandle>,
    ) -> Result<Self, DatabaseError> {
        let (names, non_utf8, broken) = (Vec::new(), Vec::new(), Vec::new());
        let mut listing = Self { tasks, archive, names, non_utf8, broken };
        listing.list(TaskDirectory::Tasks)?;
        listing.list(TaskDirectory::Archive)?;
        Ok(listing)
    }

    /// The handle of a directory; `None` if there is no archive.
    pub(crate) fn folder(&self, directory: TaskDirectory) -> Option<&DirectoryHandle> {
        match directory {
            TaskDirectory::Tasks => Some(self.tasks),
            TaskDirectory::Archive => self.archive.as_ref(),
        }
    }

    fn list(&mut self, directory: TaskDirectory) -> Result<(), DatabaseError> {
        let folder = match directory {
            TaskDirectory::Tasks => self.tasks,
            TaskDirectory::Archive => match &self.archive {
                Some(archive) => archive,
                None => return Ok(()),
            },
        };
        let (names, non_utf8) = (&mut self.names, &mut self.non_utf8);
        let broken = &mut self.broken;
        let listed = folder.each_entry(|name, kind| {
            if is_for_a_task(name) {
                match name.to_str() {
                    Ok(file) => names.push(TaskFileName { directory, file: file.to_owned(), kind }),
                    Err(_) => {
                        broken.push(not_text(directory, name));
                        non_utf8.push((directory, name.to_owned()));
                    }
                }
            }
        });
        listed.map_err(DatabaseError::of("read", folder.path()))
    }
}

fn archive_of(
    tasks: &DirectoryHandle,
    scope: TaskScope,
) -> Result<Option<DirectoryHandle>, DatabaseError> {
    match scope {
        TaskScope::Active => Ok(None),
        TaskScope::All => tasks.folder(ARCHIVE),
    }
}

/// Some programs write `.MD`.
pub(crate) fn is_for_a_task(name: &CStr) -> bool {
    let name = name.to_bytes();
    let end = &name[name.len().saturating_sub(EXTENSION.len())..];
    end.eq_ignore_ascii_case(EXTENSION.as_bytes()) && !name.starts_with(b".")
}

fn not_text(directory: TaskDirectory, name: &CStr) -> BrokenFile {
    let file = name.to_string_lossy().into_owned();
    BrokenFile { directory, file, why: "has a name that is not UTF-8".into() }
}
