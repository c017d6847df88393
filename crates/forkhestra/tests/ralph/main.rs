//! Black-box tests of the `ralph-runner` program: command lines and everything they print.

mod checks;
mod hooks;
mod planning;
mod preflight;
mod removing;
mod resuming;
mod running;
mod usage;

use testkit::{CommandOutput, TestEnv};

const RALPH_RUNNER: &str = env!("CARGO_BIN_EXE_ralph-runner");

/// Prints a completion marker.
const DONE: &str = "echo '<promise>COMPLETE</promise>'";

/// Runs `ralph-runner` in the project of a test.
fn ralph(env: &TestEnv, args: &[&str]) -> CommandOutput {
    env.run(RALPH_RUNNER, args)
}

/// Runs an agent in a loop of at most `most` iterations.
fn looped(env: &TestEnv, agent: &str, most: u32, more: &[&str]) -> CommandOutput {
    let most = most.to_string();
    ralph(env, &[&["--agent", agent, "--max-iterations", &most], more].concat())
}

/// The steps of a dry run.
#[track_caller]
fn planned(env: &TestEnv, args: &[&str]) -> String {
    ralph(env, &[&["--dry-run", "--quiet"], args].concat()).success()
}

/// A project that is a git repository with one commit, where agents find git.
fn repository() -> TestEnv {
    let env = TestEnv::new();
    env.link_system_program("git").write("README", "begin\n");
    let identity = "-c user.name=Ada -c user.email=ada@localhost -c commit.gpgsign=false";
    let script = format!(
        "git init --quiet && git add --all && git {identity} commit --quiet --message begin"
    );
    env.run("/bin/sh", &["-c", &script]).success();
    env
}

/// The lines of a file that agents, checks and hooks write, in one line.
fn noted(env: &TestEnv, file: &str) -> String {
    env.read(file).lines().collect::<Vec<_>>().join(" ")
}
