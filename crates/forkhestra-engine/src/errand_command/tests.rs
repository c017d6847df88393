//! Errands as they would be started, and what they find.

mod case;
mod hooks;
mod surroundings;

pub(crate) use case::{AuxJobCase, AuxJobRun};
