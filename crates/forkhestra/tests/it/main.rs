//! Black-box tests of the `forkhestra` program: command lines and everything they print.

mod acceptance;
pub(crate) mod cli;
pub(crate) mod config;
pub(crate) mod dry_run;
pub(crate) mod flow;
mod founding_documents;
mod founding_examples;
mod notify_webhook;
pub(crate) mod past;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod support;
mod why;

use testkit::{CommandOutput, TestEnv};

const FORKHESTRA: &str = env!("CARGO_BIN_EXE_forkhestra");

/// The project's config file.
const CONFIG: &str = "forge/orch/chains.json";

/// The user's config file, below the home directory.
const USER_CONFIG: &str = ".config/forkhestra/chains.json";

/// The start of a plan with one step.
const ONE_STEP: &str = "  1. tool - run once\n";

/// Runs `forkhestra` in the project of a test.
fn forkhestra(env: &TestEnv, args: &[&str]) -> CommandOutput {
    env.run(FORKHESTRA, args)
}

/// A project with only this config.
fn project(config: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write(CONFIG, config);
    env
}

/// The steps of a dry run without warnings.
#[track_caller]
fn planned(env: &TestEnv, args: &[&str]) -> String {
    without_name_warning(forkhestra(env, &[&["--dry-run", "--quiet"], args].concat())).success()
}

/// The output without the warning that a program of a test has the name of a built-in agent.
fn without_name_warning(output: CommandOutput) -> CommandOutput {
    let is_one =
        |line: &str| line.starts_with("warning: `") && line.contains("; the built-in agent");
    let kept = output.stderr.split_inclusive('\n').filter(|line| !is_one(line));
    CommandOutput { stderr: kept.collect(), ..output }
}

/// The error message of a dry run that is refused: exit code 2, and nothing on standard output.
#[track_caller]
fn refused(env: &TestEnv, args: &[&str]) -> String {
    forkhestra(env, &[&["--dry-run"], args].concat()).failure(2)
}

/// The first line of each step, without its number.
fn headings(plan: &str) -> String {
    let is_heading = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let without_number = |line: &str| line.trim().split_once(". ").map(|(_, rest)| rest.to_owned());
    let headings: Vec<String> =
        plan.lines().filter(is_heading).filter_map(without_number).collect();
    headings.join(", ")
}
