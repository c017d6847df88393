//! Earlier states of a run: compared and restored.

mod diff;
mod finished_run;
mod fork;
mod fork_files;
mod fork_paths;
mod fork_protection;
mod fork_refusals;
mod fork_start;
mod rewind;
