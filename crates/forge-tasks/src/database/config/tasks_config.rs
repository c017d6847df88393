//! The content of `config.json`.

use super::TasksConfigError;
use crate::{IdPrefix, Priority};

/// The name of the file.
pub(in crate::database) const CONFIG: &str = "config.json";

/// The highest number that an id can have: one of 15 digits.
pub(in crate::database) const HIGHEST_NUMBER: u64 = 999_999_999_999_999;

/// `config.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TasksConfig {
    /// The letters before the numbers of new tasks.
    pub prefix: IdPrefix,
    /// How many digits a number has at least.
    pub zero_padding: usize,
    pub project_name: Option<String>,
    /// The priority of tasks that are created without one.
    pub default_priority: Option<Priority>,
    /// The labels that every new task gets.
    pub default_labels: Vec<String>,
    /// The highest number that was ever given.
    pub last_id_number: u64,
}

impl Default for TasksConfig {
    fn default() -> Self {
        Self {
            prefix: IdPrefix::default(),
            zero_padding: 3,
            project_name: None,
            default_priority: None,
            default_labels: Vec::new(),
            last_id_number: 0,
        }
    }
}

/// The result of reading `config.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigState {
    /// It was read.
    Read,
    /// It was read, and it has no counter.
    WithoutCounter,
    Missing,
    /// It cannot be used.
    Damaged(TasksConfigError),
}
