//! One stage, and the tiers that stages belong to.

use devkit::error::Result;
use devkit::workspace::Workspace;

use crate::real_agents::AgentInstallation;

/// How much is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tier {
    /// `cargo xtask check`: while working on a change.
    Check,
    /// `cargo xtask test`: before a change is proposed, and in CI.
    Test,
    /// `cargo xtask test --all`: every night, and before a release.
    All,
}

/// One named part of the test.
pub(super) struct TestStage {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) tiers: &'static [Tier],
    /// The tiers in which it runs at the same time as the stage before it.
    pub(super) beside: &'static [Tier],
    pub(super) run: fn(&StageContext<'_>) -> Result<()>,
}

/// What a stage runs with.
pub(super) struct StageContext<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) tier: Tier,
    pub(super) agents: AgentInstallation,
    /// Whether other stages run at the same time.
    pub(super) is_beside_others: bool,
}
