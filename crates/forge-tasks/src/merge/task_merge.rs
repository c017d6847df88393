//! Merging a task three ways.

use crate::document::body::merge::{BodyMerge, EarlierSide};
use crate::document::front::merge::{FrontMerge, FrontMergeInput};
use crate::document::{Newline, TaskBody, TaskDocument};
use crate::written_time;

/// A merged task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskMerge {
    /// Our version with their changes. It differs from ours in nothing else.
    pub document: TaskDocument,
    /// The fields that both sides changed and that a person has to decide about. Both values are in
    /// the document: ours counts, and theirs is between markers.
    pub conflicts: Vec<String>,
}

/// Merges a task field by field. The base is none if both sides added the file.
///
/// `None` if the front matter of one version cannot be read, or cannot be changed without touching
/// something else.
pub fn merge_task(
    base: Option<&TaskDocument>,
    ours: &TaskDocument,
    theirs: &TaskDocument,
) -> Option<TaskMerge> {
    let newline = Newline::of(ours.text());
    let (our_front, their_front) = (ours.front().ok()?, theirs.front().ok()?);
    let is_theirs_earlier = match (&their_front.updated_at, &our_front.updated_at) {
        (Some(theirs), Some(ours)) => written_time::compare(theirs, ours).is_lt(),
        (theirs, ours) => theirs.is_none() && ours.is_some(),
    };
    let earlier = if is_theirs_earlier { EarlierSide::Theirs } else { EarlierSide::Ours };
    let base_body = base.map(TaskDocument::body_text);
    let mut body = BodyMerge::of(base_body, ours.body_text(), theirs.body_text(), newline, earlier);
    let has_open = TaskBody::read(&body.text).criteria.iter().any(|criterion| !criterion.checked);
    let front = FrontMerge::of(&FrontMergeInput {
        base: base.map_or("", TaskDocument::front_text),
        ours: ours.front_text(),
        theirs: theirs.front_text(),
        newline,
        is_complete: !has_open,
    })?;
    let mut conflicts = front.conflicts;
    conflicts.append(&mut body.conflicts);
    Some(TaskMerge { document: ours.with_parts(&front.text, &body.text), conflicts })
}
