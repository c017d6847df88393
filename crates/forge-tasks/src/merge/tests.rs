//! Tests of the merge of tasks.

mod any_edits;
mod any_text;
mod fields;
mod sections;

use super::{TaskMerge, merge_task};
use crate::document::TaskDocument;

/// Reads a task.
fn document(text: &str) -> TaskDocument {
    TaskDocument::from_bytes(text.into()).expect("it is a file")
}

/// Merges three texts.
fn merge([base, ours, theirs]: [&str; 3]) -> TaskMerge {
    merge_task(Some(&document(base)), &document(ours), &document(theirs)).expect("they are tasks")
}
