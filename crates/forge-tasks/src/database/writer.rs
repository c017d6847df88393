//! A directory of tasks, to write to.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use super::config::{ConfigFile, MAX_PADDING};
use super::files::database_lock::{DatabaseLock, is_still_at, lock_alone};
use super::files::directory_handle::DirectoryHandle;
use super::files::temporary_file::remove_leftover;
use super::locate::project_of;
use super::{Database, DatabaseError, TasksConfig};
use crate::database::files::directory_handle::create_folders;
use crate::database::read::ConcurrentWriters;
use crate::{IdPrefix, TaskId};

/// How long a writer waits for another one.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);
/// How often a directory is created that another process removes meanwhile.
const MAX_TRIES: u32 = 10;

/// A directory of tasks, with its lock.
#[derive(Debug)]
pub struct DatabaseWriter {
    pub(super) database: Database,
    pub(super) counter_note: Option<String>,
    /// The highest number on other branches.
    pub(super) highest_elsewhere: u64,
    _lock: DatabaseLock,
}

impl DatabaseWriter {
    /// Opens a directory to write to it, and waits for its lock. A missing one is created.
    pub fn open(path: &Path) -> Result<Self, DatabaseError> {
        Self::open_leniently(path)?.refuse_damaged_config()
    }

    /// Opens a directory to write to it if there is one, and waits for its lock.
    pub fn open_existing(path: &Path) -> Result<Option<Self>, DatabaseError> {
        let writer = Self::wait_for(path, LOCK_TIMEOUT)?;
        writer.map(Self::refuse_damaged_config).transpose()
    }

    /// Opens a directory as [`open`](Self::open) does, even if its `config.json` is damaged, to
    /// repair it.
    pub fn open_leniently(path: &Path) -> Result<Self, DatabaseError> {
        for _ in 0..MAX_TRIES {
            // Opened first, so that errors are the same as for readers.
            if let Some(writer) = Self::wait_for(path, LOCK_TIMEOUT)? {
                return Ok(writer);
            }
            create_folders(path).map_err(DatabaseError::of("create", path))?;
        }
        let why = std::io::Error::other("another process removes it again and again");
        Err(DatabaseError::of("create", path)(why))
    }

    /// Opens a directory if there is one, and waits that long for its lock.
    pub(super) fn wait_for(path: &Path, timeout: Duration) -> Result<Option<Self>, DatabaseError> {
        let Some((folder, lock)) = lock_alone(path, timeout)? else { return Ok(None) };
        remove_leftover(&folder);
        let config = ConfigFile::read(&folder);
        let database = Database { folder, config, others: ConcurrentWriters::Wait };
        Ok(Some(Self { database, counter_note: None, highest_elsewhere: 0, _lock: lock }))
    }

    /// For reading.
    pub fn database(&self) -> &Database {
        &self.database
    }

    pub(super) fn folder(&self) -> &DirectoryHandle {
        &self.database.folder
    }

    pub(super) fn config_text(&self) -> Cow<'_, str> {
        self.database.config.text()
    }

    /// Reads `config.json` again: editors change it without a lock.
    pub(super) fn reread_config(&mut self) {
        self.database.config = ConfigFile::read(&self.database.folder);
    }

    /// Fails if the directory was moved: then reported paths are wrong.
    pub(super) fn must_be_in_place(&self) -> Result<(), DatabaseError> {
        let path = self.folder().path();
        match is_still_at(self.folder(), path) {
            Ok(false) => Err(DatabaseError::Refused(format!(
                "{} was moved to another place while it was written to; the change is there",
                path.display()
            ))),
            Ok(true) | Err(_) => Ok(()),
        }
    }

    /// Replaces `config.json` durably.
    pub(super) fn write_config(&mut self, text: &str) -> Result<(), DatabaseError> {
        self.database.config.write(&self.database.folder, text)
    }

    pub(super) fn refuse_damaged_config(self) -> Result<Self, DatabaseError> {
        self.database.config.refuse_damaged(&self.database.folder)?;
        Ok(self)
    }

    /// The content of a new `config.json`. The project has the name of its directory; the prefix
    /// and the padding come from the existing tasks.
    pub(super) fn new_config_after(&self, highest: Option<&TaskId>) -> TasksConfig {
        let path = std::path::absolute(self.folder().path()).unwrap_or_default();
        let name = project_of(&path).and_then(Path::file_name);
        let project_name = name.map(|name| name.to_string_lossy().into_owned());
        let new = TasksConfig { project_name, ..TasksConfig::default() };
        let Some(highest) = highest else { return new };
        let digits = &highest.as_str()[highest.prefix().len() + 1..];
        let has_zeros = digits.starts_with('0');
        TasksConfig {
            prefix: IdPrefix::parse(highest.prefix()).unwrap_or(new.prefix),
            zero_padding: if has_zeros { digits.len().min(MAX_PADDING) } else { new.zero_padding },
            last_id_number: highest.number(),
            ..new
        }
    }
}
