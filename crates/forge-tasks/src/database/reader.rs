//! A directory of tasks, to read from.

use std::path::{Path, PathBuf};

use super::config::ConfigFile;
use super::files::directory_handle::DirectoryHandle;
use super::read::{FrontReader, document};
use super::{ConfigState, DatabaseError, DirectoryListing, StoredFile, TaskScope, TasksConfig};
use crate::TaskId;
use crate::database::read::{ConcurrentWriters, read_all};
use crate::document::{FrontMatter, TaskDocument};
use crate::merge::text::OURS;

/// A directory of tasks.
#[derive(Debug)]
pub struct Database {
    pub(super) folder: DirectoryHandle,
    pub(super) config: ConfigFile,
    pub(super) others: ConcurrentWriters,
}

impl Database {
    /// Opens a directory for reading; `None` if it does not exist.
    pub fn open(path: &Path) -> Result<Option<Self>, DatabaseError> {
        let database = Self::open_leniently(path)?;
        if let Some(database) = &database {
            database.config.refuse_damaged(&database.folder)?;
        }
        Ok(database)
    }

    /// Opens a directory even if its `config.json` is damaged; see
    /// [`config_state`](Self::config_state).
    pub fn open_leniently(path: &Path) -> Result<Option<Self>, DatabaseError> {
        let Some(folder) = DirectoryHandle::open(path)? else { return Ok(None) };
        let config = ConfigFile::read(&folder);
        Ok(Some(Self { folder, config, others: ConcurrentWriters::MayWrite }))
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Where a file of it is.
    pub fn path_of<T>(&self, task: &StoredFile<T>) -> PathBuf {
        self.folder.path_of(&task.path())
    }

    /// The settings of `config.json`.
    pub fn config(&self) -> &TasksConfig {
        &self.config.config
    }

    /// Whether `config.json` exists and is valid.
    pub fn config_state(&self) -> &ConfigState {
        &self.config.state
    }

    /// The first line of `config.json` that marks a conflict in a comment.
    pub(crate) fn config_conflict(&self) -> Option<usize> {
        let text = self.config.text();
        let marks = |line: &str| {
            line.trim_start().strip_prefix("// ").is_some_and(|line| line.starts_with(OURS))
        };
        text.lines().position(marks).map(|line| line + 1)
    }

    /// The front matter of every task.
    pub fn fronts(&self, scope: TaskScope) -> Result<DirectoryListing<FrontMatter>, DatabaseError> {
        let mut reader = FrontReader::new();
        let read = |folder: &DirectoryHandle, name: &_| reader.read(folder, name);
        let mut listing = read_all(&self.folder, scope, self.others, read)?;
        sort(&mut listing.tasks, |front| &front.id);
        Ok(listing)
    }

    /// Every task as a whole.
    pub fn documents(
        &self,
        scope: TaskScope,
    ) -> Result<DirectoryListing<TaskDocument>, DatabaseError> {
        let mut listing = read_all(&self.folder, scope, self.others, document)?;
        sort(&mut listing.tasks, |(id, _)| id);
        let without_id = |task: StoredFile<(TaskId, TaskDocument)>| {
            let StoredFile { directory, file, content: (_, content) } = task;
            StoredFile { directory, file, content }
        };
        let tasks = listing.tasks.into_iter().map(without_id).collect();
        Ok(DirectoryListing { tasks, broken: listing.broken })
    }
}

/// By id; those of the same id by the names of their files.
fn sort<T>(tasks: &mut [StoredFile<T>], id: impl Fn(&T) -> &TaskId) {
    tasks.sort_by(|one, other| {
        let by_id = id(&one.content).cmp(id(&other.content));
        by_id.then_with(|| (&one.file, one.directory).cmp(&(&other.file, other.directory)))
    });
}
