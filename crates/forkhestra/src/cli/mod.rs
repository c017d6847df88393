//! The command line: arguments, help, dispatch.

pub(crate) mod args;
pub(crate) mod byte_size;
pub(crate) mod command_error;
pub(crate) mod console_output;
pub(crate) mod dispatch;
pub(crate) mod exit_code;
pub(crate) mod ralph_request;
pub(crate) mod run_request;
pub(crate) mod short_help;
pub(crate) mod since;
pub(crate) mod started_program;
pub(crate) mod usage;
pub(crate) mod verbs;
pub(crate) mod version;
