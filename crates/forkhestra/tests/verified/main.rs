//! Verification of work: checks, hooks, stagnation, clean rooms, protected files, snapshots and
//! recordings, through both programs. Everything is real: shells, git, files, processes.

pub(crate) mod check;
mod clean_room;
mod hooks;
mod matrix;
mod protected;
mod recording;
mod replay;
pub(crate) mod report;
mod resuming;
mod snapshots;
mod stagnation;
mod support;
mod task_changes;
mod task_lanes;
mod task_poll;
mod tasks_decide;
mod time_travel;

const FORKHESTRA: &str = env!("CARGO_BIN_EXE_forkhestra");
const RALPH_RUNNER: &str = env!("CARGO_BIN_EXE_ralph-runner");
const FORGE_TASKS: &str = env!("CARGO_BIN_EXE_forge-tasks");
