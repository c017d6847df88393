//! One task as a file: YAML front matter, then Markdown.
//!
//! Reading is lenient, and writing is lossless. A [`TaskDocument`] is the text of a file with the
//! positions of its parts. An edit replaces byte ranges of the text; all other bytes stay.

pub mod body;
pub mod front;
mod splice;
mod task_document;

pub use body::{BodyEdit, BodySection, Criterion, NoSuchCriterion, TaskBody};
pub use front::{
    BrokenTask, FrontEdit, FrontEditError, FrontKey, FrontMatter, FrontMatterWarning, FrontValue,
    TaskLease,
};
pub use task_document::{Newline, Task, TaskDocument, TaskEditError};
