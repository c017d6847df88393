//! The front matter of a task.

use jiff::Timestamp;

use super::split::{self, FilePortion};
use super::{BrokenTask, fast, interpret, yaml};
use crate::{Priority, TaskId, TaskStatus};

/// The front matter of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// The claim of an agent.
    pub lease: Option<TaskLease>,
    /// Harmless irregularities.
    pub oddities: Vec<FrontMatterWarning>,
}

/// The time and the run of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskLease {
    /// When it runs out. None if that cannot be read: then it has run out.
    pub until: Option<Timestamp>,
    /// The run that it ends with.
    pub run: Option<String>,
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
    #[error("`{0}` is not understood and ignored")]
    OddValue(&'static str),
}

impl FrontMatter {
    /// Reads the text between the two lines of hyphens.
    pub fn read(yaml: &str) -> Result<Self, BrokenTask> {
        match fast::read(yaml) {
            Some(draft) => interpret::front(draft),
            None => interpret::front(yaml::read(yaml).map_err(|error| error.in_words(yaml))?),
        }
    }

    /// Reads the front matter of a file from its first bytes, which may end anywhere; `None` if
    /// they do not contain the end of the front matter. The text after it is ignored.
    pub fn read_start(bytes: &[u8], portion: FilePortion) -> Result<Option<Self>, BrokenTask> {
        let Some(parts) = split::locate(bytes, portion)? else {
            return Ok(None);
        };
        let start = parts.front.start;
        let front = str::from_utf8(&bytes[parts.front])
            .map_err(|error| BrokenTask::NotText(start + error.valid_up_to()))?;
        Self::read(front).map(Some)
    }
}
