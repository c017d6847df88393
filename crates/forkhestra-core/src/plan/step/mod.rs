//! The resolved steps of a run.

pub(crate) mod agent_files;
pub(crate) mod completion;
pub(crate) mod limits;
pub(crate) mod prompt;
pub(crate) mod sandbox;
pub(crate) mod substitute;
