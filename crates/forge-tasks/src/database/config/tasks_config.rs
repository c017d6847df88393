//! The content of `config.json`, and the keys of the file.

use jsonc_parser::ast::Value;
use serde::Serialize;

use crate::database::files::directory_handle::FileReadError;
use crate::git::BranchScope;
use crate::{IdPrefix, Priority, TaskId};

/// The name of the file.
pub(crate) const CONFIG: &str = "config.json";

/// The highest number that an id can have: one of 15 digits.
pub(crate) const HIGHEST_NUMBER: u64 = 999_999_999_999_999;

/// `config.json`. The order is that of new files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
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
    /// How ids are chosen, if that is not the usual way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<IdSettings>,
    /// The highest number that was ever given.
    pub last_id_number: u64,
}

/// The object `ids`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct IdSettings {
    /// Where the numbers of other tasks are looked up.
    pub look: BranchScope,
}

impl Default for TasksConfig {
    fn default() -> Self {
        Self {
            prefix: IdPrefix::default(),
            zero_padding: 3,
            project_name: None,
            default_priority: None,
            default_labels: Vec::new(),
            ids: None,
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

impl ConfigState {
    /// The note for the user if there was no counter; `None` for a new database without tasks.
    pub(crate) fn counter_note(&self, highest: Option<&TaskId>) -> Option<String> {
        let highest = highest?;
        let what = match self {
            Self::Missing => "was missing; the new one",
            Self::WithoutCounter => "had no lastIdNumber; it",
            Self::Read | Self::Damaged(_) => return None,
        };
        Some(format!("{CONFIG} {what} continues after {highest}"))
    }
}

pub(crate) const PREFIX: &str = "prefix";
pub(crate) const ZERO_PADDING: &str = "zeroPadding";
pub(crate) const PROJECT_NAME: &str = "projectName";
pub(crate) const DEFAULT_PRIORITY: &str = "defaultPriority";
pub(crate) const DEFAULT_LABELS: &str = "defaultLabels";
pub(crate) const IDS: &str = "ids";
const LOOK: &str = "look";
pub(crate) const LAST_ID_NUMBER: &str = "lastIdNumber";

pub(crate) const MAX_PADDING: usize = 9;

/// Stores a value. Unknown keys are ignored.
pub(crate) fn take(config: &mut TasksConfig, name: &str, value: &Value<'_>) -> Result<(), String> {
    match name {
        PREFIX => config.prefix = prefix(value)?,
        ZERO_PADDING => config.zero_padding = padding(value)?,
        PROJECT_NAME => {
            config.project_name = Some(text(value)?).filter(|name| !name.is_empty());
        }
        DEFAULT_PRIORITY => config.default_priority = priority(value)?,
        DEFAULT_LABELS => config.default_labels = labels(value)?,
        IDS => config.ids = Some(ids(value)?),
        LAST_ID_NUMBER => config.last_id_number = last_number(value)?,
        _ => {}
    }
    Ok(())
}

fn text(value: &Value<'_>) -> Result<String, String> {
    let literal = value.as_string_lit().ok_or("must be a text in double quotes")?;
    Ok(literal.value.clone().into_owned())
}

fn prefix(value: &Value<'_>) -> Result<IdPrefix, String> {
    IdPrefix::parse(&text(value)?).map_err(|error| format!("is wrong: {error}"))
}

fn priority(value: &Value<'_>) -> Result<Option<Priority>, String> {
    let text = text(value)?;
    if text.is_empty() {
        return Ok(None);
    }
    Priority::parse(&text).map(Some).map_err(|error| format!("is wrong: {error}"))
}

fn labels(value: &Value<'_>) -> Result<Vec<String>, String> {
    let list = value.as_array().ok_or("must be a list of texts")?;
    let labels = list.elements.iter().map(text).collect::<Result<_, _>>();
    labels.map_err(|_| "must be a list of texts".to_owned())
}

/// How ids are chosen: `{"look": "remotes"}`.
fn ids(value: &Value<'_>) -> Result<IdSettings, String> {
    let wrong = || format!("must be {{\"{LOOK}\": \"branches\"}} or {{\"{LOOK}\": \"remotes\"}}");
    let object = value.as_object().ok_or_else(wrong)?;
    let mut settings = IdSettings::default();
    for property in &object.properties {
        let word = text(&property.value).map_err(|_| wrong())?;
        settings.look = match (property.name.as_str(), word.as_str()) {
            (LOOK, "branches") => BranchScope::Local,
            (LOOK, "remotes") => BranchScope::Remotes,
            _ => return Err(wrong()),
        };
    }
    Ok(settings)
}

fn padding(value: &Value<'_>) -> Result<usize, String> {
    let number = whole_number(value).and_then(|number| usize::try_from(number).ok());
    number
        .filter(|number| *number <= MAX_PADDING)
        .ok_or_else(|| format!("must be a whole number from 0 to {MAX_PADDING}"))
}

fn last_number(value: &Value<'_>) -> Result<u64, String> {
    whole_number(value)
        .filter(|number| *number <= HIGHEST_NUMBER)
        .ok_or_else(|| format!("must be a whole number from 0 to {HIGHEST_NUMBER}"))
}

fn whole_number(value: &Value<'_>) -> Option<u64> {
    let digits = value.as_number_lit()?.value;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// Why `config.json` cannot be used. The message follows the path of the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TasksConfigError {
    /// A line of it is wrong.
    #[error(
        ":{line}:{column}: {what}; correct it, or let `forge-tasks init --force` write a new one"
    )]
    At {
        /// The line, from 1.
        line: usize,
        /// The character in it, from 1.
        column: usize,
        what: String,
    },
    /// It has a merge conflict.
    #[error(" has a merge conflict; resolve it, or run `forge-tasks check --fix`")]
    Conflict,
    /// It cannot be opened.
    #[error(" {0}")]
    Unreadable(String),
}

impl TasksConfigError {
    /// The error message for a text that is not in a file.
    pub(crate) fn what(&self) -> String {
        match self {
            Self::At { what, .. } => what.clone(),
            Self::Conflict | Self::Unreadable(_) => self.to_string().trim_start().to_owned(),
        }
    }

    /// An error at a byte of a text.
    pub(crate) fn at(text: &str, byte: usize, what: impl Into<String>) -> Self {
        let before = &text[..text.floor_char_boundary(byte)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        Self::At { line, column, what: what.into() }
    }
}

impl From<FileReadError> for TasksConfigError {
    fn from(why: FileReadError) -> Self {
        Self::Unreadable(why.to_string())
    }
}
