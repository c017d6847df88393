//! The stages of `cargo xtask test`, cheapest verdicts first.

use crate::cargo::cargo;
use crate::chaos;
use crate::command;
use crate::crash;
use crate::error::Result;
use crate::fuzz;
use crate::generate;
use crate::licences;
use crate::packages;
use crate::real_agents;
use crate::workspace::Workspace;

/// One named part of the check.
pub(super) struct Stage {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) run: fn(&Workspace) -> Result<()>,
}

pub(super) const STAGES: &[Stage] = &[
    Stage { name: "fmt", about: "every crate is formatted", run: fmt },
    Stage { name: "clippy", about: "no warnings from the compiler or clippy", run: clippy },
    Stage { name: "doc", about: "no warnings from rustdoc", run: doc },
    Stage {
        name: "licences",
        about: "dependencies come from crates.io, are permissively licensed and shipped once",
        run: licences::run,
    },
    Stage { name: "tests", about: "unit and integration tests", run: tests },
    Stage {
        name: "chaos",
        about: "runs survive whatever agents and signals do to them",
        run: chaos::run_briefly,
    },
    Stage {
        name: "crash",
        about: "killed at every call, the program goes on as if nothing had happened",
        run: crash::run_all,
    },
    Stage { name: "doctests", about: "examples in the documentation", run: doctests },
    Stage { name: "tidy", about: "the house rules no compiler knows", run: tidy },
    Stage { name: "generated", about: "generated files are up to date", run: generate::check },
    Stage {
        name: "fuzz",
        about: "a short search for inputs that break the parsers",
        run: fuzz::run_briefly,
    },
];

fn fmt(workspace: &Workspace) -> Result<()> {
    command::run(&mut cargo(workspace, ["fmt", "--all", "--check"]))?;
    fuzz::fmt(workspace)
}

fn clippy(workspace: &Workspace) -> Result<()> {
    command::run(&mut cargo(
        workspace,
        ["clippy", "--workspace", "--all-targets", "--locked", "--", "-Dwarnings"],
    ))?;
    fuzz::clippy(workspace)
}

fn doc(workspace: &Workspace) -> Result<()> {
    command::run(
        cargo(
            workspace,
            ["doc", "--workspace", "--no-deps", "--document-private-items", "--locked"],
        )
        .env("RUSTDOCFLAGS", "-Dwarnings"),
    )
}

fn tests(workspace: &Workspace) -> Result<()> {
    for shell in ["zsh", "fish"] {
        packages::wish_for(shell, "to complete command lines in it");
    }
    packages::wish_for("groff", "to set manual pages");
    // It knows no `--version`.
    if !command::answers(std::process::Command::new("tmux").arg("-V")) {
        packages::try_to_install("tmux", "to watch runs in it");
    }
    let (variable, agents) = real_agents::for_tests(workspace)?;
    if command::answers(&mut cargo(workspace, ["nextest", "--version"])) {
        let mut nextest = cargo(workspace, ["nextest", "run", "--workspace", "--locked"]);
        return command::run(nextest.env(variable, agents));
    }
    println!("cargo-nextest is not installed, `cargo test` runs the tests instead");
    let mut test =
        cargo(workspace, ["test", "--workspace", "--lib", "--bins", "--tests", "--locked"]);
    command::run(test.env(variable, agents))
}

fn doctests(workspace: &Workspace) -> Result<()> {
    command::run(&mut cargo(workspace, ["test", "--workspace", "--doc", "--locked"]))
}

/// Runs the tidy test once more, by itself: only here are its lists of the largest files and
/// functions seen.
fn tidy(workspace: &Workspace) -> Result<()> {
    command::run(&mut cargo(
        workspace,
        [
            "test",
            "--package",
            "xtask",
            "--test",
            "tidy",
            "--locked",
            "--",
            "--nocapture",
            // One rule after the other, or their lines would be mixed.
            "--test-threads=1",
        ],
    ))
}
