//! The front matter of a task.

use jiff::Timestamp;

use super::split::{self, FilePortion};
use super::{BrokenTask, fast, interpret, yaml};
use crate::{Priority, TaskId, TaskStatus};

/// What the front matter of a task says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatter {
    /// The name of the task.
    pub id: TaskId,
    /// What it is about, in a line.
    pub title: String,
    /// How far it is.
    pub status: TaskStatus,
    /// How soon it should be done.
    pub priority: Option<Priority>,
    /// Who works on it, or should.
    pub assignee: Option<String>,
    /// Words to find it by.
    pub labels: Vec<String>,
    /// The tasks that must be done before it, as they are written.
    pub dependencies: Vec<String>,
    /// The task that it is a part of, as it is written.
    pub parent: Option<String>,
    /// When it should be done, as it is written.
    pub due_date: Option<String>,
    /// When it was created, as it is written.
    pub created_at: Option<String>,
    /// When it was changed last, as it is written.
    pub updated_at: Option<String>,
    /// The claim of an agent.
    pub lease: Option<TaskLease>,
    /// What is strange about it but harmless.
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
    /// There is no status, which reads as To Do.
    #[error("there is no status; it is read as To Do")]
    NoStatus,
    /// It reads as none.
    #[error("the priority `{0}` is unknown and read as none")]
    UnknownPriority(String),
    /// A key whose value has another shape than it should, such as a list for a title.
    #[error("`{0}` is not understood and ignored")]
    OddValue(&'static str),
}

impl FrontMatter {
    /// Reads what is between the two lines of hyphens.
    pub fn read(yaml: &str) -> Result<Self, BrokenTask> {
        match fast::read(yaml) {
            Some(draft) => interpret::front(draft),
            None => interpret::front(yaml::read(yaml).map_err(|error| error.in_words(yaml))?),
        }
    }

    /// Reads the front matter of a file from its first bytes, which may end anywhere; none if the
    /// end of the front matter is not among them. What comes behind it is not looked at.
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
