//! Finding a task by its id.

use super::file_name::id_of;
use super::folder::Kind;
use super::look::{Look, Name};
use super::read::{Unread, document};
use super::read_all::ROUNDS;
use super::stored::ARCHIVE;
use super::{Database, DatabaseError, FindError, Listing, Scope, Shelf, Stored};
use crate::IdQuery;
use crate::document::{Front, TaskDocument};

const SHELVES: [Shelf; 2] = [Shelf::Tasks, Shelf::Archive];

impl Database {
    /// The task with an id: an active one, or else an archived one.
    pub fn find(&self, query: &IdQuery) -> Result<Stored<TaskDocument>, FindError> {
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

    /// Reads the file whose name begins with the id, if there is exactly one. Otherwise all files must be
    /// read.
    fn find_by_name(&self, query: &IdQuery) -> Result<Option<Stored<TaskDocument>>, DatabaseError> {
        let look = Look::at(&self.folder, Scope::All)?;
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
                    Some(Stored { shelf, file: candidate.file.clone(), content })
                }
                _ => None,
            });
        }
        Ok(None)
    }

    /// Reads all files; none if the task was removed meanwhile.
    fn find_by_front(&self, query: &IdQuery) -> Result<Option<Stored<TaskDocument>>, FindError> {
        let all = self.fronts(Scope::All)?;
        for shelf in SHELVES {
            if shelf == Shelf::Archive {
                // The list leaves out an archive that cannot be opened, but it may hold the task.
                self.folder.folder(ARCHIVE)?;
            }
            let is_meant =
                |task: &&Stored<Front>| task.shelf == shelf && query.means(&task.content.id);
            match all.tasks.iter().filter(is_meant).collect::<Vec<_>>()[..] {
                [] => self.refuse_broken(query, shelf, &all)?,
                [only] => return self.document_of(query, only),
                ref several => return Err(FindError::too_many(query, several)),
            }
        }
        Err(FindError::unknown(query, &all))
    }

    /// Fails if a file of that id cannot be read, instead of reporting that there is no task.
    fn refuse_broken(
        &self,
        query: &IdQuery,
        shelf: Shelf,
        all: &Listing<Front>,
    ) -> Result<(), FindError> {
        let is_meant = |file: &str| id_of(file).is_some_and(|id| query.means(&id));
        let mut broken = all.broken.iter().filter(|broken| broken.shelf == shelf);
        match broken.find(|broken| is_meant(&broken.file)) {
            Some(broken) => {
                let path = self.folder.path_of(&broken.path());
                Err(FindError::Broken { path, why: broken.why.to_string() })
            }
            None => Ok(()),
        }
    }

    fn document_of(
        &self,
        query: &IdQuery,
        task: &Stored<Front>,
    ) -> Result<Option<Stored<TaskDocument>>, FindError> {
        let Stored { shelf, ref file, .. } = *task;
        let folder = match shelf {
            Shelf::Tasks => None,
            Shelf::Archive => self.folder.folder(ARCHIVE)?,
        };
        let folder = folder.as_ref().unwrap_or(&self.folder);
        let name = Name { shelf, file: file.clone(), kind: Kind::Unknown };
        match document(folder, &name) {
            Ok((id, content)) if query.means(&id) => {
                Ok(Some(Stored { shelf, file: name.file, content }))
            }
            Ok(_) | Err(Unread::Gone) => Ok(None),
            Err(Unread::Broken(why)) => {
                let path = self.path_of(task);
                Err(FindError::Broken { path, why: why.to_string() })
            }
        }
    }
}
