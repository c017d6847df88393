//! `config.json` on the disk.

use super::atomic::{Temporary, make_last};
use super::config::{CONFIG, ReadConfig, read};
use super::folder::{Folder, Unreadable};
use super::{Config, ConfigError, ConfigState, DatabaseError};

/// What the file says, and the file.
#[derive(Debug)]
pub(super) struct ConfigFile {
    pub(super) config: Config,
    pub(super) state: ConfigState,
    /// Empty if it cannot be read as text.
    pub(super) text: String,
}

impl ConfigFile {
    /// Reads it. If it cannot be used, everything is as if nothing was set, and the state says why.
    pub(super) fn read(folder: &Folder) -> Self {
        let (text, result) = match folder.bytes(CONFIG).map(String::from_utf8) {
            Ok(Ok(text)) => {
                let result = read(&text).map_err(ConfigState::Damaged);
                (text, result)
            }
            Ok(Err(error)) => {
                let lossy = String::from_utf8_lossy(error.as_bytes()).into_owned();
                (lossy, Err(ConfigState::Damaged(not_text(&error))))
            }
            Err(Unreadable::Gone) => (String::new(), Err(ConfigState::Missing)),
            Err(why) => (String::new(), Err(ConfigState::Damaged(why.into()))),
        };
        match result {
            Ok(ReadConfig { config, has_counter }) => {
                let state =
                    if has_counter { ConfigState::Read } else { ConfigState::WithoutCounter };
                Self { config, state, text }
            }
            Err(state) => Self { config: Config::default(), state, text },
        }
    }

    /// Refuses it if it cannot be used.
    pub(super) fn refuse_damaged(&self, folder: &Folder) -> Result<(), DatabaseError> {
        match &self.state {
            ConfigState::Damaged(why) => {
                Err(DatabaseError::Config { path: folder.path_of(CONFIG), why: why.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Puts a text in its place, for good.
    pub(super) fn write(&mut self, folder: &Folder, text: &str) -> Result<(), DatabaseError> {
        let path = folder.path_of(CONFIG);
        let permissions = folder.permissions_of(CONFIG);
        Temporary::write(folder, text.as_bytes(), permissions)
            .and_then(|temporary| Ok(temporary.replace(folder, CONFIG)?))
            .and_then(|()| make_last(folder))
            .map_err(DatabaseError::of("write", &path))?;
        *self = Self::read(folder);
        self.refuse_damaged(folder)
    }
}

fn not_text(error: &std::string::FromUtf8Error) -> ConfigError {
    let valid = error.utf8_error().valid_up_to();
    let text = String::from_utf8_lossy(&error.as_bytes()[..valid]);
    ConfigError::at(&text, valid, "it is not UTF-8 text")
}
