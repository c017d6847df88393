//! Tests snapshots of a run, each in a checkout of its own.

mod bisect_directory;
mod trial_process;
mod trial_runner;

pub use bisect_directory::BisectDirectory;
pub use trial_runner::{TrialError, TrialReport, TrialRunner, TrialSettings};
