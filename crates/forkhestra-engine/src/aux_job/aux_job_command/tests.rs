//! Tests of aux jobs: command lines, environment and input.

mod case;
mod environment;
mod hooks;

pub(crate) use case::{AuxJobCase, AuxJobRun};
