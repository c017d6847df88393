//! Tasks as read from a directory, with their location.

use crate::document::{BrokenTask, FrontMatter, Task};

/// Which directory a task is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskDirectory {
    /// The directory itself.
    Tasks,
    /// `archive/` in it.
    Archive,
}

impl TaskDirectory {
    /// The path of a file on this shelf, from the directory of tasks.
    pub fn path_of(self, file: &str) -> String {
        match self {
            Self::Tasks => file.to_owned(),
            Self::Archive => format!("{ARCHIVE}/{file}"),
        }
    }
}

/// The name of the directory of archived tasks.
pub(super) const ARCHIVE: &str = "archive";

/// Which tasks are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskScope {
    /// Those that are not archived.
    Active,
    /// All of them.
    All,
}

/// Something that was read from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile<T> {
    /// Which directory the file is in.
    pub directory: TaskDirectory,
    /// The name of the file.
    pub file: String,
    pub content: T,
}

impl<T> StoredFile<T> {
    /// The path of the file, from the directory of tasks.
    pub fn path(&self) -> String {
        self.directory.path_of(&self.file)
    }

    /// The same file with other content.
    pub fn with<U>(&self, content: U) -> StoredFile<U> {
        StoredFile { directory: self.directory, file: self.file.clone(), content }
    }

    /// Whether both are the same file.
    pub fn is_same_file<U>(&self, other: &StoredFile<U>) -> bool {
        (self.directory, &self.file) == (other.directory, &other.file)
    }
}

impl StoredFile<Task> {
    /// The same file with its front matter only.
    pub fn front(&self) -> StoredFile<FrontMatter> {
        self.with(self.content.front.clone())
    }
}

/// A file that could not be read as a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenFile {
    /// Which directory the file is in.
    pub directory: TaskDirectory,
    /// The name of the file.
    pub file: String,
    /// Why it could not be read.
    pub why: FileFault,
}

/// Why a file could not be read as a task. The text is the end of a sentence that begins with its
/// name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileFault {
    /// Its content is not a task.
    #[error(transparent)]
    Content(#[from] BrokenTask),
    /// Its content could not be read.
    #[error("{0}")]
    Unreadable(String),
}

impl From<&str> for FileFault {
    fn from(why: &str) -> Self {
        Self::Unreadable(why.to_owned())
    }
}

impl BrokenFile {
    /// The path of the file, from the directory of tasks.
    pub fn path(&self) -> String {
        self.directory.path_of(&self.file)
    }
}

/// The content of a directory, ordered by id.
#[derive(Debug)]
pub struct DirectoryListing<T> {
    pub tasks: Vec<StoredFile<T>>,
    /// The files that could not be read.
    pub broken: Vec<BrokenFile>,
}

impl<T> Default for DirectoryListing<T> {
    fn default() -> Self {
        Self { tasks: Vec::new(), broken: Vec::new() }
    }
}
