//! The errors of `config.json`.

use crate::database::files::directory_handle::FileReadError;

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
    #[error(" holds a merge conflict; settle it, or let `forge-tasks check --fix` do it")]
    Conflict,
    /// It cannot be opened.
    #[error(" {0}")]
    Unreadable(String),
}

impl TasksConfigError {
    /// The error message for a text that is not in a file.
    pub(in crate::database) fn what(&self) -> String {
        match self {
            Self::At { what, .. } => what.clone(),
            Self::Conflict | Self::Unreadable(_) => self.to_string().trim_start().to_owned(),
        }
    }

    /// An error at a byte of a text.
    pub(in crate::database) fn at(text: &str, byte: usize, what: impl Into<String>) -> Self {
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
