//! How an agent is started: command line, environment, files.

pub(crate) mod agent_command;
pub(crate) mod agent_files;
pub(crate) mod tools_directory;
pub(crate) mod workplace_settings;
