//! Black-box tests of the `forge-tasks` program: command lines and the resulting files.

mod archive;
mod bad_input;
mod branches;
pub(crate) mod check;
mod claim;
mod concurrency;
mod create;
mod database_location;
pub(crate) mod display;
mod edit;
mod lanes;
mod lenient_reading;
mod lossless;
mod task_test_project;
mod terminal;
mod usage;
