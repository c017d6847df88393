//! Why a file is not a task.

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
    #[error("has the id `{0}`, which is none; an id is like TASK-001")]
    BadId(String),
    #[error("has no title in its front matter")]
    NoTitle,
}

/// The parser's message for the most likely mistake.
const COLON: &str = "mapping values are not allowed";

impl BrokenTask {
    /// A better reason than the message of the parser, if there is one.
    pub(super) fn in_words(self, yaml: &str) -> Self {
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
    pub(super) fn yaml(line_of_front: usize, message: &str) -> Self {
        let tame = |c: char| if c.is_control() { ' ' } else { c };
        Self::Yaml { line: line_of_front + 1, message: message.chars().map(tame).collect() }
    }
}
