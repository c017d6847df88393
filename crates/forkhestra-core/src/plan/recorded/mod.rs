//! The plans of recorded runs: moved to another directory, and with other options over them.

mod forked_plan;
mod relocate;
