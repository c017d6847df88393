//! The stages that other programs of this workspace perform.
//!
//! `cargo xtask test` takes a sample, with the build that the tests used before. `cargo xtask test
//! --all` tries everything with the shipped build.

use devkit::error::Result;

use super::stage::{StageContext, Tier};
use crate::tools;

pub(super) fn crash(context: &StageContext<'_>) -> Result<()> {
    let arguments: &[&str] = match context.tier {
        Tier::All => &["crash"],
        Tier::Check | Tier::Test => &["crash", "--build", "tests", "--every", "10"],
    };
    tools::run(context.workspace, tools::PROOFS, arguments)
}

pub(super) fn chaos(context: &StageContext<'_>) -> Result<()> {
    let arguments: &[&str] = match context.tier {
        Tier::All => &["chaos", "--minutes", "30"],
        Tier::Check | Tier::Test => &["chaos", "--build", "tests", "--minutes", "1"],
    };
    tools::run(context.workspace, tools::PROOFS, arguments)
}

pub(super) fn bench(context: &StageContext<'_>) -> Result<()> {
    tools::run(context.workspace, tools::BENCH, &[""; 0])
}
