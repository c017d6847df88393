//! The Markdown of a task: known sections, criteria, and other text.
//!
//! # Structure
//!
//! A section extends from a line `## Heading` to the next one, and the criteria are list items
//! between the lines `<!-- AC:BEGIN -->` and `<!-- AC:END -->`. Such lines mean nothing inside
//! fenced code and inside HTML comments. A fence or comment that is never closed is ignored, so
//! that a stray one cannot hide the rest of a file. The lines `AC:…` do not close a comment.
//!
//! # Escaping
//!
//! A text that is written into a section may hold lines that would end the section, or open
//! something that the text does not close. Such a line gets a backslash, which Markdown does not
//! show and reading removes. So every text is closed in itself.
//!
//! A fence that was opened and never closed *before* a section would be closed by a fence of the
//! new text. So every edit is read again. If it does not read as expected, the new text is written
//! with a backslash before everything that opens or closes something. Then none of its lines has a
//! meaning for the lines around it.

mod body_layout;
mod body_lines;
mod criterion_list;
mod edit;
mod escape;
pub(crate) mod merge;
mod task_body;
#[cfg(test)]
mod tests;

pub use edit::{BodyEdit, NoSuchCriterion, edit};
pub use task_body::{BodySection, Criterion, TaskBody};
