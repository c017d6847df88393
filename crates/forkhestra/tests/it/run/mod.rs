//! `run`.

pub(crate) mod agents;
pub(crate) mod chains;
pub(crate) mod completion;
pub(crate) mod direct_command;
pub(crate) mod direct_spawn;
pub(crate) mod json;
pub(crate) mod limits;
pub(crate) mod loops;
pub(crate) mod once;
pub(crate) mod output;
pub(crate) mod refusals;
pub(crate) mod silent_agents;
pub(crate) mod stagnation;
pub(crate) mod state;
pub(crate) mod tasks_check;
