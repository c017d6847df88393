//! Starting processes: command, descriptors, errors.

pub(crate) mod c_strings;
pub(crate) mod diagnose;
pub(crate) mod interpreter;
pub(crate) mod spawn_command;
pub(crate) mod spawn_error;
