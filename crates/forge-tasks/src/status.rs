//! How far a task is.

use std::fmt;

use serde::Serialize;

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum TaskStatus {
    /// Not started.
    #[serde(rename = "To Do")]
    ToDo,
    /// An agent or a person works on it.
    #[serde(rename = "In Progress")]
    InProgress,
    /// It is done in a lane of a run, and that work has not landed yet. The file says Done, and in
    /// which lane.
    Landing,
    /// There is nothing left to do.
    Done,
    /// It cannot continue; its notes should contain the reason.
    Blocked,
}

/// Why a text is not a status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a status; there are todo, in-progress, done and blocked")]
pub struct TaskStatusParseError(pub String);

impl TaskStatus {
    /// Every status, in the order of a board.
    pub const ALL: [Self; 5] =
        [Self::ToDo, Self::InProgress, Self::Blocked, Self::Landing, Self::Done];

    /// Those that people and agents set.
    pub const WRITTEN: [Self; 4] = [Self::ToDo, Self::InProgress, Self::Blocked, Self::Done];

    /// Whether a status is shown even if no task has it.
    pub(crate) fn is_usual(self) -> bool {
        self != Self::Landing
    }

    /// Reads a status in any case, with blanks, hyphens, underscores or nothing between its words.
    pub fn parse(text: &str) -> Result<Self, TaskStatusParseError> {
        let is_separator = |c: char| c.is_whitespace() || c == '-' || c == '_';
        let letters = text.trim().chars().filter(|c| !is_separator(*c));
        match letters.collect::<String>().to_ascii_lowercase().as_str() {
            "todo" => Ok(Self::ToDo),
            "inprogress" => Ok(Self::InProgress),
            "done" => Ok(Self::Done),
            "blocked" => Ok(Self::Blocked),
            _ => Err(TaskStatusParseError(text.to_owned())),
        }
    }

    /// Reads a status as [`parse`](Self::parse) does, or `landing`.
    pub(crate) fn parse_shown(text: &str) -> Result<Self, TaskStatusParseError> {
        let is_landing = text.trim().eq_ignore_ascii_case(Self::Landing.name());
        if is_landing { Ok(Self::Landing) } else { Self::parse(text) }
    }

    /// The status as files have it, except for Landing.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToDo => "To Do",
            Self::InProgress => "In Progress",
            Self::Landing => "Landing",
            Self::Done => "Done",
            Self::Blocked => "Blocked",
        }
    }
}

impl fmt::Display for TaskStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_however_it_is_written() {
        for (texts, status) in [
            (&["todo", "to-do", "To Do", "TO_DO", " to do "][..], TaskStatus::ToDo),
            (&["in-progress", "inprogress", "In Progress"], TaskStatus::InProgress),
            (&["done", "DONE"], TaskStatus::Done),
            (&["blocked"], TaskStatus::Blocked),
        ] {
            for text in texts {
                assert_eq!(TaskStatus::parse(text), Ok(status), "{text}");
            }
            assert_eq!(TaskStatus::parse(status.name()), Ok(status));
        }
        for text in ["", "finished", "to  dos"] {
            let error = TaskStatus::parse(text).expect_err("it is none");
            assert!(error.to_string().contains("todo, in-progress, done and blocked"), "{error}");
        }
    }
}
