//! Texts that several reports share.

pub(crate) mod agent_program;
pub(crate) mod checks;
pub(crate) mod fallback;
pub(crate) mod flow;
pub(crate) mod forked_run;
pub(crate) mod iteration;
pub(crate) mod lanes;
pub(crate) mod local_time;
pub(crate) mod lock_error;
pub(crate) mod operator_message;
pub(crate) mod run_commands;
pub(crate) mod shell_word;
pub(crate) mod spend;
pub(crate) mod status;
pub(crate) mod step_decision;
pub(crate) mod step_details;
pub(crate) mod work_summary;
