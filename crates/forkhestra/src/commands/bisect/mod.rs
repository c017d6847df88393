//! `forkhestra bisect`: finds the iteration that broke something.

mod bisect_command;

pub(crate) use bisect_command::execute;
