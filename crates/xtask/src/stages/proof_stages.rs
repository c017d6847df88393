//! The stages that other programs of this workspace perform.
//!
//! `cargo xtask test` takes a sample, with the build that the tests used before. `cargo xtask test
//! --all` tries everything with the shipped build.

use std::ffi::OsStr;
use std::process::Command;

use devkit::command;
use devkit::error::Result;
use devkit::workspace::Workspace;

use super::stage::{StageContext, Tier};
use crate::tools;

/// The sample has one of so many crash points; of chains with many of them, still fewer.
const CRASH_POINTS: u32 = 25;
/// More than any chain has points.
const FIRST_POINTS: u32 = 1_000_000;

pub(super) fn crash(context: &StageContext<'_>) -> Result<()> {
    let mut arguments = vec!["crash".to_owned()];
    if context.tier != Tier::All {
        let first = first_crash_point(&commit(context.workspace));
        let sample = format!("--build=tests --every={CRASH_POINTS} --first={first}");
        arguments.extend(sample.split(' ').map(str::to_owned));
    }
    prove(context, &arguments)
}

/// Depends on the commit, so that successive commits try different points and the same commit
/// tries the same ones.
fn first_crash_point(commit: &str) -> u32 {
    let number = commit.get(..8).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    number.unwrap_or_default() % FIRST_POINTS + 1
}

/// The hash of the current commit; empty in a source archive.
fn commit(workspace: &Workspace) -> String {
    let mut git = Command::new("git");
    git.args(["rev-parse", "HEAD"]).current_dir(&workspace.root);
    command::stdout_of(&mut git).unwrap_or_default()
}

pub(super) fn chaos(context: &StageContext<'_>) -> Result<()> {
    let arguments: &[&str] = match context.tier {
        Tier::All => &["chaos", "--minutes", "30"],
        Tier::Check | Tier::Test => &["chaos", "--build", "tests", "--minutes", "0.5"],
    };
    prove(context, arguments)
}

fn prove(context: &StageContext<'_>, arguments: &[impl AsRef<OsStr>]) -> Result<()> {
    let run = if context.is_beside_others { tools::run_beside_others } else { tools::run };
    run(context.workspace, tools::PROOFS, arguments)
}

pub(super) fn bench(context: &StageContext<'_>) -> Result<()> {
    tools::run(context.workspace, tools::BENCH, &[""; 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_chooses_the_sample_of_crash_points() {
        assert_eq!(first_crash_point(""), 1);
        assert_eq!(first_crash_point("0000001a41244e77\n"), 27);
        let firsts: Vec<u32> =
            (0..CRASH_POINTS).map(|one| first_crash_point(&format!("{one:08x}"))).collect();
        assert_eq!(firsts, (1..=CRASH_POINTS).collect::<Vec<_>>());
    }
}
