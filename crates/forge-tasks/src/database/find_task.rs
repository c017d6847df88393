//! Finding a task by its id.

use std::path::Path;

use crate::database::files::directory_handle::Kind;
use crate::database::files::file_name::id_of;
use crate::database::files::list_files::{TaskFileName, TaskFileNames};
use crate::database::read::{ROUNDS, TaskReadError, document};
use crate::database::stored::ARCHIVE;
use crate::database::{
    Database, DatabaseError, DirectoryListing, FileFault, StoredFile, TaskDirectory, TaskScope,
};
use crate::document::{FrontMatter, TaskDocument};
use crate::{IdQuery, TaskId, words};

const DIRECTORIES: [TaskDirectory; 2] = [TaskDirectory::Tasks, TaskDirectory::Archive];

impl Database {
    /// The task with an id: an active one, or else an archived one.
    pub fn find(&self, query: &IdQuery) -> Result<StoredFile<TaskDocument>, FindTaskError> {
        for _ in 0..ROUNDS {
            if let Some(found) = self.find_by_name(query)? {
                return Ok(found);
            }
            if let Some(found) = self.find_by_front(query)? {
                return Ok(found);
            }
        }
        Err(DatabaseError::Changed { path: self.path().to_owned() }.into())
    }

    /// Reads the file whose name begins with the id, if there is exactly one. Otherwise all files
    /// must be read.
    fn find_by_name(
        &self,
        query: &IdQuery,
    ) -> Result<Option<StoredFile<TaskDocument>>, DatabaseError> {
        let listing = TaskFileNames::at(&self.folder, TaskScope::All)?;
        for directory in DIRECTORIES {
            let is_meant = |file: &str| id_of(file).is_some_and(|id| query.means(&id));
            let names = listing.names.iter().filter(|name| name.directory == directory);
            let mut candidates = names.filter(|name| is_meant(&name.file));
            let Some(candidate) = candidates.next() else { continue };
            if candidates.next().is_some() {
                return Ok(None);
            }
            let folder = listing.folder(directory).expect("it is where the name was found");
            return Ok(match document(folder, candidate) {
                Ok((id, content)) if query.means(&id) => {
                    Some(StoredFile { directory, file: candidate.file.clone(), content })
                }
                _ => None,
            });
        }
        Ok(None)
    }

    /// Reads all files; `None` if the task was removed meanwhile.
    fn find_by_front(
        &self,
        query: &IdQuery,
    ) -> Result<Option<StoredFile<TaskDocument>>, FindTaskError> {
        let all = self.fronts(TaskScope::All)?;
        for directory in DIRECTORIES {
            if directory == TaskDirectory::Archive {
                self.refuse_unreadable_archive()?;
            }
            let is_meant = |task: &&StoredFile<FrontMatter>| {
                task.directory == directory && query.means(&task.content.id)
            };
            match all.tasks.iter().filter(is_meant).collect::<Vec<_>>()[..] {
                [] => self.refuse_broken(query, directory, &all)?,
                [only] => return self.document_of(query, only),
                ref several => return Err(FindTaskError::too_many(query, several)),
            }
        }
        Err(FindTaskError::unknown(query, &all))
    }

    /// Fails if the archive cannot be opened. Lists leave it out, but it may hold a wanted task.
    pub(crate) fn refuse_unreadable_archive(&self) -> Result<(), DatabaseError> {
        self.folder.folder(ARCHIVE).map(drop)
    }

    /// Fails if a file of that id cannot be read, instead of reporting that the task does not
    /// exist.
    fn refuse_broken(
        &self,
        query: &IdQuery,
        directory: TaskDirectory,
        all: &DirectoryListing<FrontMatter>,
    ) -> Result<(), FindTaskError> {
        let is_meant = |file: &str| id_of(file).is_some_and(|id| query.means(&id));
        let mut broken = all.broken.iter().filter(|broken| broken.directory == directory);
        match broken.find(|broken| is_meant(&broken.file)) {
            Some(broken) => {
                Err(FindTaskError::broken(&self.folder.path_of(&broken.path()), &broken.why))
            }
            None => Ok(()),
        }
    }

    fn document_of(
        &self,
        query: &IdQuery,
        task: &StoredFile<FrontMatter>,
    ) -> Result<Option<StoredFile<TaskDocument>>, FindTaskError> {
        let StoredFile { directory, ref file, .. } = *task;
        let folder = match directory {
            TaskDirectory::Tasks => None,
            TaskDirectory::Archive => self.folder.folder(ARCHIVE)?,
        };
        let folder = folder.as_ref().unwrap_or(&self.folder);
        let name = TaskFileName { directory, file: file.clone(), kind: Kind::Unknown };
        match document(folder, &name) {
            Ok((id, content)) if query.means(&id) => {
                Ok(Some(StoredFile { directory, file: name.file, content }))
            }
            Ok(_) | Err(TaskReadError::Gone) => Ok(None),
            Err(TaskReadError::Broken(why)) => {
                Err(FindTaskError::broken(&self.path_of(task), &why))
            }
        }
    }
}

const NO_TASKS: &str = "there are no tasks";

/// Why a task was not found. Each message is one line.
#[derive(Debug, thiserror::Error)]
pub enum FindTaskError {
    #[error("there is no task {query}; {hint}")]
    Unknown {
        query: IdQuery,
        /// A similar id, or the ids that exist.
        hint: String,
    },
    /// It is ambiguous, or its file cannot be read; the reason, in a line.
    #[error("{0}")]
    Refused(String),
    /// The database cannot be read.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

impl FindTaskError {
    /// Says that there are several, and which.
    pub(crate) fn too_many(query: &IdQuery, tasks: &[&StoredFile<FrontMatter>]) -> Self {
        let mut ids: Vec<&TaskId> = tasks.iter().map(|task| &task.content.id).collect();
        ids.dedup();
        match ids[..] {
            // Two branches gave the same number, or a file was copied.
            [_] => {
                let files: Vec<String> = tasks.iter().map(|task| task.path()).collect();
                let number =
                    if files.len() == 2 { "two".to_owned() } else { files.len().to_string() };
                Self::Refused(format!(
                    "{query} is in {number} files: {}; `forge-tasks check --fix` gives one another \
                     number",
                    words::join_with_and(&files)
                ))
            }
            // There are several prefixes, and the query has none.
            _ => {
                let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
                Self::Refused(format!(
                    "{query} can be {}; give the whole id",
                    words::join_with_or(&ids)
                ))
            }
        }
    }

    /// The error for a file that should be the task and cannot be read.
    pub(crate) fn broken(path: &Path, why: &FileFault) -> Self {
        Self::Refused(format!("{} {why}", path.display()))
    }

    /// The error for an unknown id, with a hint at a similar id or at the ids that exist.
    pub(crate) fn unknown(query: &IdQuery, all: &DirectoryListing<FrontMatter>) -> Self {
        let mut ids: Vec<&TaskId> = all.tasks.iter().map(|task| &task.content.id).collect();
        ids.dedup();
        let hint = match (meant(query, &ids), &ids[..]) {
            (Some(meant), _) => format!("did you mean {meant}?"),
            (None, []) => NO_TASKS.to_owned(),
            (None, [only]) => format!("the only task is {only}"),
            (None, [first, .., last]) => format!("the ids go from {first} to {last}"),
        };
        Self::Unknown { query: query.clone(), hint }
    }

    /// The error where there is no database.
    pub fn without_tasks(query: &IdQuery) -> Self {
        Self::Unknown { query: query.clone(), hint: NO_TASKS.to_owned() }
    }
}

/// The id that may have been meant: the number with another prefix, or else the only id whose
/// number is one typo away.
fn meant(query: &IdQuery, ids: &[&TaskId]) -> Option<String> {
    let same: Vec<&str> =
        ids.iter().filter(|id| id.number() == query.number()).map(|id| id.as_str()).collect();
    if !same.is_empty() {
        return Some(words::join_with_or(&same));
    }
    let mut near = ids.iter().filter(|id| is_one_slip(query.number(), id.number()));
    near.next().filter(|_| near.next().is_none()).map(ToString::to_string)
}

/// Whether one surplus, missing, wrong or swapped digit turns one number into the other. Numbers of
/// one digit never count: each is that close to every other.
fn is_one_slip(typed: u64, there: u64) -> bool {
    let (typed, there) = (typed.to_string(), there.to_string());
    typed.len().max(there.len()) > 1 && strsim::damerau_levenshtein(&typed, &there) == 1
}
