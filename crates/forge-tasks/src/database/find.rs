//! Finding a task by its id.

use super::files::directory_handle::Kind;
use super::files::file_name::id_of;
use super::files::list_files::{TaskFileName, TaskFileNames};
use super::read::{TaskReadError, document};
use super::read_all::ROUNDS;
use super::stored::ARCHIVE;
use super::{
    Database, DatabaseError, DirectoryListing, FindTaskError, StoredFile, TaskDirectory, TaskScope,
};
use crate::IdQuery;
use crate::document::{FrontMatter, TaskDocument};

const SHELVES: [TaskDirectory; 2] = [TaskDirectory::Tasks, TaskDirectory::Archive];

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
        let look = TaskFileNames::at(&self.folder, TaskScope::All)?;
        for shelf in SHELVES {
            let is_meant = |file: &str| id_of(file).is_some_and(|id| query.means(&id));
            let names = look.names.iter().filter(|name| name.shelf == shelf);
            let mut candidates = names.filter(|name| is_meant(&name.file));
            let Some(candidate) = candidates.next() else { continue };
            if candidates.next().is_some() {
                return Ok(None);
            }
            let folder = look.folder(shelf).expect("it is where the name was found");
            return Ok(match document(folder, candidate) {
                Ok((id, content)) if query.means(&id) => {
                    Some(StoredFile { shelf, file: candidate.file.clone(), content })
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
        for shelf in SHELVES {
            if shelf == TaskDirectory::Archive {
                // The list leaves out an archive that cannot be opened, but it may hold the task.
                self.folder.folder(ARCHIVE)?;
            }
            let is_meant = |task: &&StoredFile<FrontMatter>| {
                task.shelf == shelf && query.means(&task.content.id)
            };
            match all.tasks.iter().filter(is_meant).collect::<Vec<_>>()[..] {
                [] => self.refuse_broken(query, shelf, &all)?,
                [only] => return self.document_of(query, only),
                ref several => return Err(FindTaskError::too_many(query, several)),
            }
        }
        Err(FindTaskError::unknown(query, &all))
    }

    /// Fails if a file of that id cannot be read, instead of reporting that the task does not
    /// exist.
    fn refuse_broken(
        &self,
        query: &IdQuery,
        shelf: TaskDirectory,
        all: &DirectoryListing<FrontMatter>,
    ) -> Result<(), FindTaskError> {
        let is_meant = |file: &str| id_of(file).is_some_and(|id| query.means(&id));
        let mut broken = all.broken.iter().filter(|broken| broken.shelf == shelf);
        match broken.find(|broken| is_meant(&broken.file)) {
            Some(broken) => {
                let path = self.folder.path_of(&broken.path());
                Err(FindTaskError::Broken { path, why: broken.why.to_string() })
            }
            None => Ok(()),
        }
    }

    fn document_of(
        &self,
        query: &IdQuery,
        task: &StoredFile<FrontMatter>,
    ) -> Result<Option<StoredFile<TaskDocument>>, FindTaskError> {
        let StoredFile { shelf, ref file, .. } = *task;
        let folder = match shelf {
            TaskDirectory::Tasks => None,
            TaskDirectory::Archive => self.folder.folder(ARCHIVE)?,
        };
        let folder = folder.as_ref().unwrap_or(&self.folder);
        let name = TaskFileName { shelf, file: file.clone(), kind: Kind::Unknown };
        match document(folder, &name) {
            Ok((id, content)) if query.means(&id) => {
                Ok(Some(StoredFile { shelf, file: name.file, content }))
            }
            Ok(_) | Err(TaskReadError::Gone) => Ok(None),
            Err(TaskReadError::Broken(why)) => {
                let path = self.path_of(task);
                Err(FindTaskError::Broken { path, why: why.to_string() })
            }
        }
    }
}
