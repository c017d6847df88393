//! Tests on a simulated disk where every call can fail.
//!
//! A [`SimulatedDisk`](disk::SimulatedDisk) records every change. From this history the tests
//! derive what a power failure at any moment may leave: everything that was synced, and of the rest
//! anything that the system may have written by then, in any order and in parts. Any call can be
//! made to fail as well. The production code then reads and resumes the result.

mod call_failures;
mod check;
pub(crate) mod disk;
mod disk_scenario;
mod journal_knowledge;
mod outputs;
mod power_failure_trials;
mod power_failures;
mod regressions;
mod run_scripts;
mod simulated_writer;
