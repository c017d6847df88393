//! How things look on a screen.

pub(crate) mod agent;
pub(crate) mod agent_program;
mod below_step;
mod checks;
mod decision;
pub(crate) mod diagnostic;
pub(crate) mod doctor;
pub(crate) mod dry_run;
pub(crate) mod invocation;
mod iteration_words;
pub(crate) mod list;
mod list_built_in;
pub(crate) mod lock_error;
pub(crate) mod logs;
pub(crate) mod message;
pub(crate) mod moment;
pub(crate) mod morning;
pub(crate) mod prompt;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod shell_word;
pub(crate) mod show;
pub(crate) mod spent;
pub(crate) mod status;
pub(crate) mod step;
pub(crate) mod summary_page;
mod work;
