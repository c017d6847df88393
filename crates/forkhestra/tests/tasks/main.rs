//! Black-box tests of the `forge-tasks` program: what agents and people type, and what becomes of files.

mod archive;
mod bad_input;
pub(crate) mod check;
pub(crate) mod display;

mod claim;
mod create;
mod database_location;
mod edit;
mod lenient_reading;

mod lossless;
mod task_test_project;

mod concurrency;
mod terminal;
mod usage;
