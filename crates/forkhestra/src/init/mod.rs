//! Setting a project up: what is written, and where something is there already.

mod files;
mod known_project;
mod place;
mod prompts;

pub(crate) use files::ProjectFiles;
pub(crate) use known_project::test_command;
pub(crate) use place::{FileOutcome, FileWriteError, InitDirectory};
