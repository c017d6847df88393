//! The git repository around a database, if there is one. Without git everything else works.

mod branch_numbers;
mod git_objects;
mod merge_setup;
mod tasks_git;
mod unmerged_file;

pub use branch_numbers::{BranchScope, highest_number};
pub use merge_setup::{AttributesFile, MERGE_DRIVER, MergeSetup, missing_driver, set_up_merging};
pub(crate) use tasks_git::TasksGit;
pub(crate) use unmerged_file::UnmergedFile;
