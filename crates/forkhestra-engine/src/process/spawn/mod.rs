//! Starting processes: command, descriptors, errors.

pub(crate) mod c_strings;
pub(crate) mod diagnose;
pub(crate) mod interpreter;
mod spawn_attributes;
pub(crate) mod spawn_command;
pub(crate) mod spawn_error;
mod spawn_file_actions;
pub(crate) mod spawn_inherited;
