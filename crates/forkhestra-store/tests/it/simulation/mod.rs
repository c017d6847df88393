//! A disk on which everything that can go wrong goes wrong, at every call.
//!
//! A [`SimulatedDisk`](disk::SimulatedDisk) keeps a history of every change. From that it is worked
//! out what may be left after a power failure at any moment: what was synced, and of the rest
//! whatever a system may have written by then, in any order, and in parts. Any call can be made to
//! fail as well. What is left is then read and gone on with by the code that users have.

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
