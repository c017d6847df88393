//! The front matter of a task, and why a file has none.

use std::borrow::Cow;
use std::num::NonZeroU32;

use jiff::Timestamp;
use serde::Serialize;

use crate::document::front::file_parts::{self, FilePortion};
use crate::document::front::front_value::{RawFront, RawValue};
use crate::document::front::{FrontKey, fast_front_reader, front_mapping};
use crate::{Priority, RunLane, TaskId, TaskStatus};

/// The front matter of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FrontMatter {
    /// The name of the task.
    pub id: TaskId,
    pub title: String,
    /// How far it is.
    pub status: TaskStatus,
    /// How soon it should be done.
    pub priority: Option<Priority>,
    pub assignee: Option<String>,
    /// Words to find it by.
    pub labels: Vec<String>,
    /// References as written in the file.
    pub dependencies: Vec<String>,
    /// A reference as written in the file.
    pub parent: Option<String>,
    /// As written in the file.
    pub due_date: Option<String>,
    /// As written in the file.
    pub created_at: Option<String>,
    /// As written in the file.
    pub updated_at: Option<String>,
    /// Where its work waits to land. Only then is the status Landing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landing: Option<RunLane>,
    /// The claim of an agent.
    #[serde(skip)]
    pub lease: Option<TaskLease>,
    /// Harmless irregularities.
    #[serde(skip)]
    pub warnings: Vec<FrontMatterWarning>,
}

/// The time and the run of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskLease {
    /// When it runs out. None if that cannot be read: then it has run out.
    pub until: Option<Timestamp>,
    /// The run that it ends with.
    pub run: Option<String>,
    /// The lane of that run.
    pub lane: Option<NonZeroU32>,
}

/// Something strange that was read all the same.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrontMatterWarning {
    /// It reads as To Do.
    #[error("the status `{0}` is unknown and read as To Do")]
    UnknownStatus(String),
    /// A missing status reads as To Do.
    #[error("there is no status; it is read as To Do")]
    NoStatus,
    /// It reads as no priority.
    #[error("the priority `{0}` is unknown and read as none")]
    UnknownPriority(String),
    /// A key whose value has another shape than it should, such as a list for a title.
    #[error("`{0}` has a value of the wrong type and is ignored")]
    InvalidValue(&'static str),
}

impl FrontMatter {
    /// Reads the text between the two lines of hyphens.
    pub fn read(yaml: &str) -> Result<Self, BrokenTask> {
        match fast_front_reader::read(yaml) {
            Some(draft) => interpret(draft),
            None => interpret(front_mapping::read(yaml).map_err(|error| error.in_words(yaml))?),
        }
    }

    /// Reads the front matter of a file from its first bytes, which may end anywhere; `None` if
    /// they do not contain the end of the front matter. The text after it is ignored.
    pub fn read_start(bytes: &[u8], portion: FilePortion) -> Result<Option<Self>, BrokenTask> {
        let Some(parts) = file_parts::locate(bytes, portion)? else {
            return Ok(None);
        };
        let start = parts.front.start;
        let front = str::from_utf8(&bytes[parts.front])
            .map_err(|error| BrokenTask::NotText(start + error.valid_up_to()))?;
        Self::read(front).map(Some)
    }
}

/// Interprets the values of all keys.
pub(crate) fn interpret(draft: RawFront<'_>) -> Result<FrontMatter, BrokenTask> {
    let mut reader = FrontInterpreter { draft, warnings: Vec::new() };
    let status = reader.status();
    let landing = reader.landing().filter(|_| status == TaskStatus::Done);
    Ok(FrontMatter {
        id: reader.id()?,
        title: reader.text(FrontKey::Title).ok_or(BrokenTask::NoTitle)?,
        status: if landing.is_some() { TaskStatus::Landing } else { status },
        landing,
        priority: reader.priority(),
        assignee: reader.text(FrontKey::Assignee),
        labels: reader.list(FrontKey::Labels),
        dependencies: reader.list(FrontKey::Dependencies),
        parent: reader.text(FrontKey::Parent),
        due_date: reader.text(FrontKey::DueDate),
        lease: reader.lease(),
        created_at: reader.text(FrontKey::CreatedAt),
        updated_at: reader.text(FrontKey::UpdatedAt),
        warnings: reader.warnings,
    })
}

struct FrontInterpreter<'a> {
    draft: RawFront<'a>,
    warnings: Vec<FrontMatterWarning>,
}

impl<'a> FrontInterpreter<'a> {
    fn id(&mut self) -> Result<TaskId, BrokenTask> {
        let value = self.draft.take(FrontKey::Id);
        if let RawValue::List(_) | RawValue::Odd = value {
            let shape = if value == RawValue::Odd { "{…}" } else { "[…]" };
            return Err(BrokenTask::BadId(shape.to_owned()));
        }
        match FrontKey::Id.reads(value) {
            RawValue::Text(text) => {
                TaskId::parse(&text).map_err(|error| BrokenTask::BadId(error.0))
            }
            _ => Err(BrokenTask::NoId),
        }
    }

    fn status(&mut self) -> TaskStatus {
        let text = match FrontKey::Status.reads(self.draft.take(FrontKey::Status)) {
            RawValue::Text(text) => text,
            RawValue::Odd => {
                self.warnings.push(FrontMatterWarning::InvalidValue(FrontKey::Status.name()));
                return TaskStatus::ToDo;
            }
            _ => {
                self.warnings.push(FrontMatterWarning::NoStatus);
                return TaskStatus::ToDo;
            }
        };
        status(&text).unwrap_or_else(|| {
            self.warnings.push(FrontMatterWarning::UnknownStatus(text.into_owned()));
            TaskStatus::ToDo
        })
    }

    fn priority(&mut self) -> Option<Priority> {
        let text = self.found(FrontKey::Priority)?;
        let priority = priority(&text);
        if priority.is_none() {
            self.warnings.push(FrontMatterWarning::UnknownPriority(text.into_owned()));
        }
        priority
    }

    fn lease(&mut self) -> Option<TaskLease> {
        let until = self.found(FrontKey::LeaseUntil);
        let run = self.text(FrontKey::LeaseRun);
        let lane = self.found(FrontKey::LeaseLane);
        if until.is_none() && run.is_none() {
            return None;
        }
        let until = until.and_then(|until| until.parse().ok());
        Some(TaskLease { until, run, lane: lane.and_then(|lane| lane.parse().ok()) })
    }

    fn landing(&mut self) -> Option<RunLane> {
        let text = self.found(FrontKey::Landing)?;
        let lane = RunLane::parse(&text);
        if lane.is_err() {
            self.warnings.push(FrontMatterWarning::InvalidValue(FrontKey::Landing.name()));
        }
        lane.ok()
    }

    fn list(&mut self, key: FrontKey) -> Vec<String> {
        match key.reads(self.draft.take(key)) {
            RawValue::List(items) => items.into_iter().map(Cow::into_owned).collect(),
            RawValue::Odd => {
                self.warnings.push(FrontMatterWarning::InvalidValue(key.name()));
                Vec::new()
            }
            RawValue::Nothing | RawValue::Text(_) => Vec::new(),
        }
    }

    fn text(&mut self, key: FrontKey) -> Option<String> {
        self.found(key).map(Cow::into_owned)
    }

    fn found(&mut self, key: FrontKey) -> Option<Cow<'a, str>> {
        match key.reads(self.draft.take(key)) {
            RawValue::Text(text) => Some(text),
            RawValue::Odd => {
                self.warnings.push(FrontMatterWarning::InvalidValue(key.name()));
                None
            }
            RawValue::Nothing | RawValue::List(_) => None,
        }
    }
}

/// Reads a status, nearly always without an allocation.
pub(crate) fn status(text: &str) -> Option<TaskStatus> {
    let usual = TaskStatus::WRITTEN.into_iter().find(|status| status.name() == text);
    usual.or_else(|| TaskStatus::parse(text).ok())
}

/// Reads a priority, nearly always without an allocation.
pub(crate) fn priority(text: &str) -> Option<Priority> {
    let all = [Priority::High, Priority::Medium, Priority::Low];
    let usual = all.into_iter().find(|priority| priority.name() == text);
    usual.or_else(|| Priority::parse(text).ok())
}

/// Why a file cannot be read as a task.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrokenTask {
    /// It has no front matter, so it is something else.
    #[error("is not a task: it does not begin with front matter between two lines `---`")]
    NoFrontMatter,
    /// The front matter does not end.
    #[error("has front matter without an end: there is no second line `---`")]
    Unclosed,
    /// Not text.
    #[error("is not UTF-8 text (byte {0})")]
    NotText(usize),
    /// Not YAML.
    #[error("cannot be read: line {line}: {message}")]
    Yaml {
        /// The line in the file, from 1.
        line: usize,
        /// The message of the parser.
        message: String,
    },
    /// It has a merge conflict.
    #[error("has a merge conflict; see `forge-tasks check`")]
    Conflict,
    #[error("has no id in its front matter")]
    NoId,
    #[error("has the invalid id `{0}`; an id looks like TASK-001")]
    BadId(String),
    #[error("has no title in its front matter")]
    NoTitle,
}

/// The parser's message for the most likely mistake.
const COLON: &str = "mapping values are not allowed";

impl BrokenTask {
    /// A better reason than the message of the parser, if there is one.
    pub(crate) fn in_words(self, yaml: &str) -> Self {
        match self {
            Self::Yaml { .. } if yaml.lines().any(|line| line.starts_with("<<<<<<< ")) => {
                Self::Conflict
            }
            Self::Yaml { line, message } if message.starts_with(COLON) => Self::Yaml {
                line,
                message: format!("{message}; a text with `: ` in it needs quotes"),
            },
            other => other,
        }
    }

    /// The error for a line of the front matter, whose first line is the second of the file.
    pub(crate) fn yaml(line_of_front: usize, message: &str) -> Self {
        let visible = |c: char| if c.is_control() { ' ' } else { c };
        Self::Yaml { line: line_of_front + 1, message: message.chars().map(visible).collect() }
    }
}
