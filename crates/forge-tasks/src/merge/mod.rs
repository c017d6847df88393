//! Merging the files of a database three ways, field by field.
//!
//! git merges lines, and every change of a task changes the line of `updatedAt`. So two branches
//! that change one task always conflict there, and often in lists and notes. Here each field is
//! merged by its meaning: times, leases and sets always, texts as far as their lines allow. What
//! nobody but a person can decide is marked in that field only, so that the file stays a task.

mod file_merge;
mod task_merge;
#[cfg(test)]
mod tests;
pub(crate) mod text;

pub use file_merge::{FileMerge, FileVersions, merge_file};
pub use task_merge::{TaskMerge, merge_task};
