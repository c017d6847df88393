//! Why a file is no task.

/// Why a file cannot be read as a task.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// It has no front matter, so it is something else.
    #[error("is not a task: it does not begin with front matter between two lines `---`")]
    NoFrontMatter,
    /// The front matter does not end.
    #[error("its front matter has no end: there is no second line `---`")]
    Unclosed,
    /// Not text.
    #[error("is not UTF-8 text (byte {0})")]
    NotText(usize),
    /// Not YAML.
    #[error("its front matter cannot be read: line {line}: {message}")]
    Yaml {
        /// The line in the file, from 1.
        line: usize,
        /// What the parser says.
        message: String,
    },
    /// There is no id.
    #[error("its front matter has no id")]
    NoId,
    /// The id is none.
    #[error("its id `{0}` is none; an id is like TASK-001")]
    BadId(String),
    /// There is no title.
    #[error("its front matter has no title")]
    NoTitle,
}

impl Broken {
    /// Says what is wrong with a line of the front matter, whose first one is the second of the
    /// file.
    pub(super) fn yaml(line_of_front: usize, message: &str) -> Self {
        let tame = |c: char| if c.is_control() { ' ' } else { c };
        Self::Yaml { line: line_of_front + 1, message: message.chars().map(tame).collect() }
    }
}
