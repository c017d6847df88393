//! `forkhestra what-if`: simulates other limits on past runs.

mod selected_runs;
mod what_if_command;

pub(crate) use what_if_command::execute;
