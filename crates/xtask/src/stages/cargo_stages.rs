//! The stages that are one command of cargo.

use devkit::cargo::cargo;
use devkit::command;
use devkit::error::Result;

use super::stage::{StageContext, Tier};
use crate::fuzz;

/// What the quick check leaves out: few changes touch these packages.
pub(super) const NOT_IN_CHECK: [&str; 4] = ["--exclude", "bench", "--exclude", "proofs"];

pub(super) fn fmt(context: &StageContext<'_>) -> Result<()> {
    command::run(&mut cargo(context.workspace, ["fmt", "--all", "--check"]))?;
    fuzz::fmt(context.workspace)
}

pub(super) fn clippy(context: &StageContext<'_>) -> Result<()> {
    let mut clippy =
        cargo(context.workspace, ["clippy", "--workspace", "--all-targets", "--locked"]);
    if context.tier == Tier::Check {
        clippy.args(NOT_IN_CHECK);
    }
    command::run(clippy.args(["--", "-Dwarnings"]))
}

pub(super) fn doc(context: &StageContext<'_>) -> Result<()> {
    let mut doc = cargo(context.workspace, ["doc", "--workspace", "--no-deps", "--locked"]);
    doc.arg("--document-private-items");
    command::run(doc.env("RUSTDOCFLAGS", "-Dwarnings"))
}

pub(super) fn doctests(context: &StageContext<'_>) -> Result<()> {
    command::run(&mut cargo(context.workspace, ["test", "--workspace", "--doc", "--locked"]))
}
