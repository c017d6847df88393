//! A disk on which everything that can go wrong goes wrong, at every call.
//!
//! A [`SimulatedDisk`](disk::SimulatedDisk) keeps a history of every change. From that it is worked
//! out what may be left after a power failure at any moment: what was synced, and of the rest
//! whatever a system may have written by then, in any order, and in parts. Any call can be made to
//! fail as well. What is left is then read and gone on with by the code that users have.

mod check;
mod contents;
mod disk;
mod fate;
mod fault;
mod history;
mod knowledge;
mod outputs;
mod power_failures;
mod process;
mod recorder;
mod regressions;
mod scene;
mod stories;
mod trials;
mod troubles;
