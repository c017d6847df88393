//! `config.json` on the disk. A damaged one is kept under another name, since it may hold other data.

use std::borrow::Cow;
use std::io;
use std::str::Utf8Error;

use rustix::io::Errno;

use crate::database::config::{CONFIG, ReadConfig, read_config};
use crate::database::files::compare_and_swap::{SwapError, SwapTarget, overwrite};
use crate::database::files::directory_handle::{DirectoryHandle, FileReadError};
use crate::database::files::temporary_file::{TemporaryFile, make_last, move_to_free};
use crate::database::{ConfigState, DatabaseError, DatabaseWriter, TasksConfig, TasksConfigError};

/// The file and its parsed content.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    pub(crate) config: TasksConfig,
    pub(crate) state: ConfigState,
    /// `None` if the file is missing or unreadable.
    bytes: Option<Vec<u8>>,
}

impl ConfigFile {
    /// Reads the file. If it cannot be used, the defaults apply, and the state has the reason.
    pub(crate) fn read(folder: &DirectoryHandle) -> Self {
        let (bytes, result) = match folder.bytes(CONFIG) {
            Ok(bytes) => {
                let result = read_bytes(&bytes).map_err(ConfigState::Damaged);
                (Some(bytes), result)
            }
            Err(FileReadError::Gone) => (None, Err(ConfigState::Missing)),
            Err(why) => (None, Err(ConfigState::Damaged(why.into()))),
        };
        match result {
            Ok(config) => Self::of(config, bytes),
            Err(state) => Self { config: TasksConfig::default(), state, bytes },
        }
    }

    fn of(ReadConfig { config, has_counter }: ReadConfig, bytes: Option<Vec<u8>>) -> Self {
        let state = if has_counter { ConfigState::Read } else { ConfigState::WithoutCounter };
        Self { config, state, bytes }
    }

    /// The text; empty if there is no file.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        self.bytes.as_deref().map(String::from_utf8_lossy).unwrap_or_default()
    }

    /// Refuses it if it cannot be used.
    pub(crate) fn refuse_damaged(&self, folder: &DirectoryHandle) -> Result<(), DatabaseError> {
        match &self.state {
            ConfigState::Damaged(why) => {
                Err(DatabaseError::Config { path: folder.path_of(CONFIG), why: why.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Replaces the file durably, if it still is what was read.
    pub(crate) fn write(
        &mut self,
        folder: &DirectoryHandle,
        text: &str,
    ) -> Result<(), DatabaseError> {
        let path = folder.path_of(CONFIG);
        // A config that would be refused on reading is not written.
        let config = read_config(text).map_err(|why| {
            let (path, what) = (path.display(), why.what());
            DatabaseError::Refused(format!(
                "{path} stays as it is, as the new one would be damaged: {what}"
            ))
        })?;
        let new = text.as_bytes();
        let written = match &self.bytes {
            Some(old) => overwrite(folder, SwapTarget { folder, name: CONFIG }, old, new),
            None => create(folder, new),
        };
        written.map_err(|why| DatabaseError::unplaced("write", &path, why))?;
        *self = Self::of(config, Some(new.to_vec()));
        make_last(folder).map_err(DatabaseError::may_not_last("written", &path))
    }
}

fn create(folder: &DirectoryHandle, content: &[u8]) -> Result<(), SwapError> {
    match TemporaryFile::write(folder, content, None)?.create(folder, CONFIG) {
        Err(Errno::EXIST) => Err(SwapError::Changed),
        created => Ok(created?),
    }
}

fn read_bytes(bytes: &[u8]) -> Result<ReadConfig, TasksConfigError> {
    read_config(std::str::from_utf8(bytes).map_err(|error| not_text(bytes, error))?)
}

fn not_text(bytes: &[u8], error: Utf8Error) -> TasksConfigError {
    let valid = error.valid_up_to();
    let text = String::from_utf8_lossy(&bytes[..valid]);
    TasksConfigError::at(&text, valid, "it is not UTF-8 text")
}

impl DatabaseWriter {
    /// Keeps it as `config.json.damaged-1`, or the next free number, and returns the name. A file
    /// that was read is copied and stays until it is replaced, so a crash in between loses no
    /// number. What cannot be read (a link, a directory) is moved.
    pub(crate) fn keep_damaged_config(&mut self) -> Result<String, DatabaseError> {
        let path = self.folder().path_of(CONFIG);
        let mut number = 1;
        loop {
            let name = format!("{CONFIG}.damaged-{number}");
            let folder = self.folder();
            let kept = match &self.database().config.bytes {
                Some(bytes) => TemporaryFile::write(folder, bytes, None)
                    .and_then(|copy| Ok(copy.create(folder, &name)?)),
                None => move_to_free((folder, CONFIG), (folder, &name)).map_err(io::Error::from),
            };
            match kept {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(DatabaseError::of("keep", &path)(error)),
                Ok(()) => {
                    // Replacing a copied file fails if it has changed since it was read.
                    if self.database().config.bytes.is_none() {
                        self.reread_config();
                        if *self.database().config_state() != ConfigState::Missing {
                            return Err(DatabaseError::Changed { path });
                        }
                    }
                    return Ok(name);
                }
            }
        }
    }
}
