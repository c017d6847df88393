//! Sets up a project: the files that are written, and how existing files are treated.

mod init_directory;
mod known_project;
mod project_files;
mod prompts;

pub(crate) use init_directory::{FileOutcome, FileWriteError, InitDirectory};
pub(crate) use known_project::test_command;
pub(crate) use project_files::ProjectFiles;
