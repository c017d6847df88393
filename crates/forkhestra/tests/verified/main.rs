//! Work that is verified: checks, hooks, the breaker, clean rooms, protected files, snapshots and recordings, as
//! people see them who use either program. Everything is real: shells, git, files, processes.

mod asking;
mod breaker;
mod checks;
mod clean_room;
mod context;
mod feedback;
mod hooks;
mod matrix;
mod misbehaving;
mod modules;
mod morning;
mod protected;
mod recording;
mod replay;
mod report_causes;
mod report_tasks;
mod resuming;
mod snapshots;
mod summary;
mod support;
mod task_changes;
mod tasks;
mod tasks_decide;

/// The programs under test.
const FORKHESTRA: &str = env!("CARGO_BIN_EXE_forkhestra");
const RALPH_RUNNER: &str = env!("CARGO_BIN_EXE_ralph-runner");
const FORGE_TASKS: &str = env!("CARGO_BIN_EXE_forge-tasks");
