//! Runs with lanes: several agents at once, and their merge queue.

mod sharing;
mod support;
mod tasks;
