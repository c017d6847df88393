//! Attacks on a run: by its agent, by another user, by a repository, by a stream and by a full machine. Each test is one
//! attack, and fails if the guard against it is removed. `docs/security.md` lists the promises with these tests.

mod checks;
mod control;
mod cost;
mod files;
mod git;
mod processes;
mod sandbox;
mod screens;
mod secrets;
#[path = "../verified/support.rs"]
mod support;

const FORKHESTRA: &str = env!("CARGO_BIN_EXE_forkhestra");
const RALPH_RUNNER: &str = env!("CARGO_BIN_EXE_ralph-runner");
const FORGE_TASKS: &str = env!("CARGO_BIN_EXE_forge-tasks");
