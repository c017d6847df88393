//! One task as a file: YAML front matter, then Markdown.
//!
//! Reading is generous, and writing is lossless. A [`Document`] is the text of a file and where its
//! parts are. An edit replaces byte ranges of the text; whatever it does not name stays as it is.

pub mod body;
pub mod front;
mod newline;
mod task;

use self::front::Parts;
pub use body::{Body, BodyEdit, Criterion, NoSuchCriterion, Section};
pub use front::{Broken, CannotEdit, Front, FrontEdit, Key, Lease, Oddity, Value};
pub use newline::Newline;
pub use task::Task;

/// The text of a task, and where its parts are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    text: String,
    parts: Parts,
}

/// Why an edit is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The front matter cannot be changed.
    #[error(transparent)]
    Front(#[from] CannotEdit),
    /// A criterion is not there.
    #[error(transparent)]
    Criterion(#[from] NoSuchCriterion),
}

impl Document {
    /// Reads a file. Its front matter need not make sense yet.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Broken> {
        let text = String::from_utf8(bytes)
            .map_err(|error| Broken::NotText(error.utf8_error().valid_up_to()))?;
        let parts = front::split(&text)?;
        Ok(Self { text, parts })
    }

    /// Puts a new file together.
    pub fn new(front: &[(Key, Value)], body: &[BodyEdit]) -> Result<Self, EditError> {
        let body = body::edit("", Newline::Lf, body)?;
        let text = format!("---\n{}---\n{body}", front::render(front));
        let parts = front::split(&text).expect("there are two lines of hyphens");
        Ok(Self { text, parts })
    }

    /// The whole file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the front matter says.
    pub fn front(&self) -> Result<Front, Broken> {
        Front::read(&self.text[self.parts.front.clone()])
    }

    /// What the body says.
    pub fn body(&self) -> Body {
        Body::read(&self.text[self.parts.body..])
    }

    /// The file after these changes.
    pub fn edited(&self, front: &[FrontEdit], body: &[BodyEdit]) -> Result<Self, EditError> {
        self.edit(front, body, None)
    }

    /// The file after these changes. The stamp, such as `updatedAt`, is set only if they change anything.
    pub fn stamped(
        &self,
        front: &[FrontEdit],
        body: &[BodyEdit],
        stamp: FrontEdit,
    ) -> Result<Self, EditError> {
        self.edit(front, body, Some(stamp))
    }

    fn edit(
        &self,
        front: &[FrontEdit],
        body: &[BodyEdit],
        mut stamp: Option<FrontEdit>,
    ) -> Result<Self, EditError> {
        let newline = Newline::of(&self.text);
        let old_body = &self.text[self.parts.body..];
        let new_body = body::edit(old_body, newline, body)?;
        let mut front = front.to_vec();
        if new_body != old_body {
            front.extend(stamp.take());
        }
        let old_front = &self.text[self.parts.front.clone()];
        let new_front = front::edit(old_front, newline, &front, stamp.as_ref())?;
        let before = &self.text[..self.parts.front.start];
        let between = &self.text[self.parts.front.end..self.parts.body];
        let text = format!("{before}{new_front}{between}{new_body}");
        let start = self.parts.front.start;
        let front = start..start + new_front.len();
        let body = front.end + between.len();
        Ok(Self { text, parts: Parts { front, body } })
    }
}
