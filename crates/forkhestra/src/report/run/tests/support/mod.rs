//! Shared support of the run report tests.

pub(crate) mod aux_jobs;
pub(crate) mod event_script;
pub(crate) mod fake_terminal;
pub(crate) mod report_terminal;
pub(crate) mod shown_run;
