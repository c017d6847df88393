//! `config.json`: the settings of a project's tasks, and the highest assigned number.

pub(crate) mod config_file;
mod conflict;
pub(crate) mod damaged_config;
mod edit;
mod error;
pub(crate) mod init;
mod key;
mod read;
mod render;
mod rescue;
mod tasks_config;
mod values;

pub use conflict::merged;
pub(super) use edit::with_value;
pub use error::TasksConfigError;
pub(super) use key::{LAST_ID_NUMBER, PREFIX, PROJECT_NAME};
pub(super) use read::{ReadConfig, read};
pub(super) use render::render;
pub(super) use rescue::{last_number_in, rescue};
pub(super) use tasks_config::{CONFIG, HIGHEST_NUMBER};
pub use tasks_config::{ConfigState, TasksConfig};
pub(super) use values::MOST_PADDING;
