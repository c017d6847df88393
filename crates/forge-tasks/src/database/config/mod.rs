//! `config.json`: what a project wants of its tasks, and the highest number that was given.

mod conflict;
mod edit;
mod error;
mod read;
mod render;
mod rescue;
mod values;

pub use conflict::merged;
pub(super) use edit::with_value;
pub use error::ConfigError;
pub(super) use read::{ReadConfig, read};
pub(super) use render::render;
pub(super) use rescue::{last_number_in, rescue};
pub(super) use values::MOST_PADDING;

use crate::{Prefix, Priority};

/// What the file is called.
pub(super) const CONFIG: &str = "config.json";

/// The highest number that an id can have: one of 15 digits.
pub(super) const HIGHEST_NUMBER: u64 = 999_999_999_999_999;

/// `config.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The letters before the numbers of new tasks.
    pub prefix: Prefix,
    /// How many digits a number has at least.
    pub zero_padding: usize,
    /// What the project is called.
    pub project_name: Option<String>,
    /// The priority of tasks that are created without one.
    pub default_priority: Option<Priority>,
    /// The labels that every new task gets.
    pub default_labels: Vec<String>,
    /// The highest number that was ever given.
    pub last_id_number: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            prefix: Prefix::default(),
            zero_padding: 3,
            project_name: None,
            default_priority: None,
            default_labels: Vec::new(),
            last_id_number: 0,
        }
    }
}

/// What became of reading `config.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigState {
    /// It was read.
    Read,
    /// It was read, and it does not say which numbers were given.
    WithoutCounter,
    /// There is none.
    Missing,
    /// It cannot be used.
    Damaged(ConfigError),
}

/// The keys, in the order in which new files have them.
mod key {
    pub(in crate::database) const PREFIX: &str = "prefix";
    pub(in crate::database) const ZERO_PADDING: &str = "zeroPadding";
    pub(in crate::database) const PROJECT_NAME: &str = "projectName";
    pub(in crate::database) const DEFAULT_PRIORITY: &str = "defaultPriority";
    pub(in crate::database) const DEFAULT_LABELS: &str = "defaultLabels";
    pub(in crate::database) const LAST_ID_NUMBER: &str = "lastIdNumber";
}
pub(super) use key::{LAST_ID_NUMBER, PREFIX, PROJECT_NAME};
