//! `config.json`: the settings of a project's tasks, and the highest assigned number.

mod config_file;
mod config_merge;
mod config_text;
mod init;
mod tasks_config;

pub(super) use config_file::ConfigFile;
pub(crate) use config_merge::merge_config;
pub use config_text::merged;
pub(super) use config_text::{ReadConfig, read_config, render_config, with_value};
#[cfg(test)]
pub(super) use init::last_number_in;
pub use init::{ExistingConfig, InitSettings};
pub(crate) use tasks_config::CONFIG;
pub use tasks_config::{ConfigState, IdSettings, TasksConfig, TasksConfigError};
pub(super) use tasks_config::{HIGHEST_NUMBER, LAST_ID_NUMBER, MAX_PADDING, PREFIX, PROJECT_NAME};
