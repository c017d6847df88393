//! Errands as they would be started, and what they find.

mod case;
mod environment;
mod hooks;

pub(crate) use case::{AuxJobCase, AuxJobRun};
