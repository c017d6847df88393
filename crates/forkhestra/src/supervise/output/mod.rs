//! The output of agents: written to logs, and read back.

pub(crate) mod log_reader;
pub(crate) mod run_logs;
pub(crate) mod run_secrets;
