//! Writing the files of tasks.

use rustix::fs::{Mode, mkdirat, renameat};
use rustix::io::Errno;

use super::files::compare_and_swap::{SwapTarget, overwrite, remove};
use super::files::directory_handle::DirectoryHandle;
use super::files::file_name::{file_name, id_of, numbered};
use super::files::temporary_file::{TemporaryFile, make_last, move_to_free};
use super::stored::ARCHIVE;
use super::{BrokenFile, DatabaseError, DatabaseWriter, StoredFile, TaskDirectory};
use crate::document::{FrontMatter, TaskDocument};

const NEW_FOLDER: Mode = Mode::from_raw_mode(0o777);

impl DatabaseWriter {
    /// Writes a new task.
    pub fn add(
        &mut self,
        document: &TaskDocument,
    ) -> Result<StoredFile<TaskDocument>, DatabaseError> {
        let folder = self.folder();
        let front = self.front_of(document)?;
        let file = file_name(&front.id, &front.title);
        let path = folder.path_of(&file);
        let temporary = TemporaryFile::write(folder, document.text().as_bytes(), None)
            .map_err(DatabaseError::of("write", &path))?;
        match temporary.create(folder, &file) {
            Err(Errno::EXIST) => return Err(DatabaseError::Taken { path }),
            created => created.map_err(DatabaseError::of("write", &path))?,
        }
        make_last(folder).map_err(DatabaseError::may_not_last("written", &path))?;
        self.must_be_in_place()?;
        Ok(StoredFile { directory: TaskDirectory::Tasks, file, content: document.clone() })
    }

    /// Replaces a task that was read before; under another name if its id or title has changed.
    ///
    /// The content is replaced first, so that there is exactly one file for the task at every
    /// moment. If the new name is taken, the file keeps the old one.
    pub fn replace(
        &mut self,
        old: &StoredFile<TaskDocument>,
        new: &TaskDocument,
    ) -> Result<StoredFile<TaskDocument>, DatabaseError> {
        let (old_front, new_front) = (old.content.front().ok(), self.front_of(new)?);
        let folder = self.archive_if_there(old)?;
        let folder = folder.as_ref().unwrap_or(self.folder());
        let target = SwapTarget { folder, name: &old.file };
        let (old_text, new_text) = (old.content.text().as_bytes(), new.text().as_bytes());
        overwrite(self.folder(), target, old_text, new_text)
            .map_err(|why| DatabaseError::unplaced("write", &folder.path_of(&old.file), why))?;
        let is_named_alike = |front: FrontMatter| {
            front.id.as_str() == new_front.id.as_str() && front.title == new_front.title
        };
        // A name with another id is misleading: an earlier rename was interrupted.
        let needs_escaped_backslash = id_of(&old.file).is_some_and(|id| id != new_front.id);
        let mut file = old.file.clone();
        if needs_escaped_backslash || !old_front.is_some_and(is_named_alike) {
            let name = file_name(&new_front.id, &new_front.title);
            if name != file && rename(folder, &file, &name).is_ok() {
                file = name;
            }
        }
        let path = folder.path_of(&file);
        make_last(folder).map_err(DatabaseError::may_not_last("written", &path))?;
        self.must_be_in_place()?;
        Ok(StoredFile { directory: old.directory, file, content: new.clone() })
    }

    /// Replaces the text of a file that is not a valid task, if the file still has the text that
    /// was read.
    pub fn replace_text(
        &mut self,
        file: &BrokenFile,
        old: &str,
        new: &str,
    ) -> Result<(), DatabaseError> {
        self.replace_content(&file.path(), old.as_bytes(), new.as_bytes())
    }

    /// Replaces a file, which is given by its path below the database, if it still has the content
    /// that was read.
    pub(crate) fn replace_content(
        &mut self,
        path: &str,
        old: &[u8],
        new: &[u8],
    ) -> Result<(), DatabaseError> {
        let (directory, file) = match path.split_once('/') {
            None => (TaskDirectory::Tasks, path),
            Some((ARCHIVE, file)) if !file.contains('/') => (TaskDirectory::Archive, file),
            Some(_) => {
                let path = self.folder().path_of(path);
                let why = format!("{} is no file of the database", path.display());
                return Err(DatabaseError::Refused(why));
            }
        };
        let stored = StoredFile { directory, file: file.to_owned(), content: () };
        let folder = self.archive_if_there(&stored)?;
        let folder = folder.as_ref().unwrap_or(self.folder());
        let path = folder.path_of(file);
        overwrite(self.folder(), SwapTarget { folder, name: file }, old, new)
            .map_err(|why| DatabaseError::unplaced("write", &path, why))?;
        make_last(folder).map_err(DatabaseError::may_not_last("written", &path))?;
        self.must_be_in_place()
    }

    /// Removes a task durably, if it still is what was read.
    pub fn remove(&mut self, task: &StoredFile<TaskDocument>) -> Result<(), DatabaseError> {
        let folder = self.archive_if_there(task)?;
        let folder = folder.as_ref().unwrap_or(self.folder());
        let path = folder.path_of(&task.file);
        let target = SwapTarget { folder, name: &task.file };
        remove(self.folder(), target, task.content.text().as_bytes())
            .map_err(|why| DatabaseError::unplaced("remove", &path, why))?;
        make_last(folder).map_err(DatabaseError::may_not_last("removed", &path))?;
        self.must_be_in_place()
    }

    /// Moves a task to a directory, under another name if its own is taken there.
    pub fn relocate<T>(
        &mut self,
        task: &StoredFile<T>,
        to: TaskDirectory,
    ) -> Result<(), DatabaseError> {
        if task.directory == to {
            return Ok(());
        }
        let archive = match to {
            TaskDirectory::Archive => self.new_archive()?,
            TaskDirectory::Tasks => self.archive_of(task)?,
        };
        let (from, to, action, done) = match to {
            TaskDirectory::Archive => (self.folder(), &archive, "archive", "archived"),
            TaskDirectory::Tasks => (&archive, self.folder(), "unarchive", "unarchived"),
        };
        let path = from.path_of(&task.file);
        let mut name = task.file.clone();
        for number in 2.. {
            match move_to_free((from, &task.file), (to, &name)) {
                Err(Errno::EXIST) => name = numbered(&task.file, number),
                Err(Errno::NOENT) => return Err(DatabaseError::Changed { path }),
                Err(error) => return Err(DatabaseError::of(action, &path)(error)),
                Ok(()) => break,
            }
        }
        // The new name first: a power failure may leave two names, but never no name.
        make_last(to)
            .and_then(|()| make_last(from))
            .map_err(DatabaseError::may_not_last(done, &path))?;
        self.must_be_in_place()
    }

    fn front_of(&self, document: &TaskDocument) -> Result<FrontMatter, DatabaseError> {
        let path = self.folder().path().display();
        document
            .front()
            .map_err(|why| DatabaseError::Refused(format!("the task for {path}: {why}")))
    }

    /// The archive if the task is there; `None` for the directory itself.
    fn archive_if_there<T>(
        &self,
        task: &StoredFile<T>,
    ) -> Result<Option<DirectoryHandle>, DatabaseError> {
        match task.directory {
            TaskDirectory::Tasks => Ok(None),
            TaskDirectory::Archive => self.archive_of(task).map(Some),
        }
    }

    /// The archive that a task is in.
    fn archive_of<T>(&self, task: &StoredFile<T>) -> Result<DirectoryHandle, DatabaseError> {
        let archive = self.folder().folder(ARCHIVE)?;
        archive.ok_or_else(|| DatabaseError::Changed { path: self.database().path_of(task) })
    }

    fn new_archive(&self) -> Result<DirectoryHandle, DatabaseError> {
        let path = self.folder().path_of(ARCHIVE);
        match mkdirat(self.folder(), ARCHIVE, NEW_FOLDER) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(DatabaseError::of("create", &path)(error)),
        }
        let archive = self.folder().folder(ARCHIVE)?;
        archive.ok_or_else(|| DatabaseError::of("open", &path)(Errno::NOENT))
    }
}

/// Renames a file, but never onto another one. Where case makes no difference, a name that differs
/// only in that is taken by the file itself.
pub(super) fn rename(folder: &DirectoryHandle, old: &str, new: &str) -> Result<(), Errno> {
    match move_to_free((folder, old), (folder, new)) {
        Err(Errno::EXIST) if is_same_file(folder, old, new) => renameat(folder, old, folder, new),
        done => done,
    }
}

fn is_same_file(folder: &DirectoryHandle, one: &str, other: &str) -> bool {
    let identity = |name| folder.stat(name).map(|stat| (stat.st_dev, stat.st_ino));
    one.to_lowercase() == other.to_lowercase()
        && identity(one).is_ok_and(|one| identity(other) == Ok(one))
}
