//! Tests snapshots of a run, each in a room of its own with the files of the snapshot.

mod bisect_directory;
mod trial_process;
mod trial_runner;

pub use bisect_directory::BisectDirectory;
pub use trial_runner::{TrialError, TrialReport, TrialRunner, TrialSettings};
