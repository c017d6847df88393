//! `forkhestra what-if`: what other limits would have done to past runs.

mod selected_runs;
mod what_if_command;

pub(crate) use what_if_command::execute;
