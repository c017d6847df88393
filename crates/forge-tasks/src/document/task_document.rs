//! The text of one file, and its edits.

use serde::Serialize;

use crate::document::front::{self, FileParts};
use crate::document::{
    BodyEdit, BrokenTask, FrontEdit, FrontEditError, FrontKey, FrontMatter, FrontValue,
    NoSuchCriterion, TaskBody, body,
};

/// The text of a task, and where its parts are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskDocument {
    text: String,
    parts: FileParts,
}

/// Why an edit is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskEditError {
    /// The front matter cannot be changed.
    #[error(transparent)]
    Front(#[from] FrontEditError),
    /// A criterion is not there.
    #[error(transparent)]
    Criterion(#[from] NoSuchCriterion),
}

impl TaskDocument {
    /// Reads a file. Its front matter need not make sense yet.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, BrokenTask> {
        let text = String::from_utf8(bytes)
            .map_err(|error| BrokenTask::NotText(error.utf8_error().valid_up_to()))?;
        let parts = front::split(&text)?;
        Ok(Self { text, parts })
    }

    /// Puts a new file together.
    pub fn new(front: &[(FrontKey, FrontValue)], body: &[BodyEdit]) -> Result<Self, TaskEditError> {
        let body = body::edit("", Newline::Lf, body)?;
        let text = format!("---\n{}---\n{body}", front::render(front));
        let parts = front::split(&text).expect("there are two lines of hyphens");
        Ok(Self { text, parts })
    }

    /// The whole file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Parses the front matter.
    pub fn front(&self) -> Result<FrontMatter, BrokenTask> {
        FrontMatter::read(self.front_text())
    }

    /// Parses the body.
    pub fn body(&self) -> TaskBody {
        TaskBody::read(self.body_text())
    }

    /// The text between the two lines of hyphens.
    pub(crate) fn front_text(&self) -> &str {
        &self.text[self.parts.front.clone()]
    }

    /// The file with other front matter and another body.
    pub(crate) fn with_parts(&self, front: &str, body: &str) -> Self {
        let before = &self.text[..self.parts.front.start];
        let between = &self.text[self.parts.front.end..self.parts.body];
        // A body needs a line of its own.
        let is_apart = body.is_empty() || between.ends_with('\n');
        let gap = if is_apart { "" } else { Newline::of(&self.text).as_str() };
        let text = format!("{before}{front}{between}{gap}{body}");
        let start = self.parts.front.start;
        let front = start..start + front.len();
        let body = front.end + between.len() + gap.len();
        Self { text, parts: FileParts { front, body } }
    }

    /// The text of the body, with what is in no known section.
    pub(crate) fn body_text(&self) -> &str {
        &self.text[self.parts.body..]
    }

    /// The file with another main heading. The main heading is a line `# …` that the body begins
    /// with. `change` gets its text and returns the new one.
    pub(crate) fn with_heading(&self, change: impl Fn(&str) -> Option<String>) -> Self {
        let mut edited = self.clone();
        let body = self.body_text().trim_start_matches(['\r', '\n']);
        if let Some(rest) = body.strip_prefix("# ")
            && let Some(heading) = rest.lines().next()
            && let Some(new) = change(heading)
        {
            let start = self.text.len() - rest.len();
            edited.text.replace_range(start..start + heading.len(), &new);
        }
        edited
    }

    /// The file after these changes.
    pub fn edited(&self, front: &[FrontEdit], body: &[BodyEdit]) -> Result<Self, TaskEditError> {
        self.edit(front, body, None)
    }

    /// The file after these changes. The stamp, such as `updatedAt`, is set only if they change
    /// anything.
    pub fn stamped(
        &self,
        front: &[FrontEdit],
        body: &[BodyEdit],
        stamp: FrontEdit,
    ) -> Result<Self, TaskEditError> {
        self.edit(front, body, Some(stamp))
    }

    fn edit(
        &self,
        front: &[FrontEdit],
        body: &[BodyEdit],
        mut stamp: Option<FrontEdit>,
    ) -> Result<Self, TaskEditError> {
        let newline = Newline::of(&self.text);
        let old_body = self.body_text();
        let new_body = body::edit(old_body, newline, body)?;
        let mut front = front.to_vec();
        if new_body != old_body {
            front.extend(stamp.take());
        }
        let new_front = front::edit(self.front_text(), newline, &front, stamp.as_ref())?;
        Ok(self.with_parts(&new_front, &new_body))
    }
}

/// The parsed content of a task file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Task {
    #[serde(flatten)]
    pub front: FrontMatter,
    #[serde(flatten)]
    pub body: TaskBody,
    /// The whole file.
    #[serde(rename = "rawContent")]
    pub raw: String,
}

impl Task {
    /// Reads a file.
    pub fn read(document: &TaskDocument) -> Result<Self, BrokenTask> {
        let front = document.front()?;
        Ok(Self { front, body: document.body(), raw: document.text().to_owned() })
    }
}

/// The line breaks of a file. Added lines use those of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newline {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    CrLf,
}

impl Newline {
    /// The line break of a text's first line.
    pub fn of(text: &str) -> Self {
        let first = text.split_inclusive('\n').next().unwrap_or_default();
        if first.ends_with("\r\n") { Self::CrLf } else { Self::Lf }
    }

    /// The characters themselves.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}
