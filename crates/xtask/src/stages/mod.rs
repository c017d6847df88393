//! `cargo xtask check` and `cargo xtask test`: the stages that a change has to pass.
//!
//! [`table`] lists the stages. Each belongs to one or more tiers: the quick check, the test before
//! a change is proposed, and the full test before a release.

mod attack_stage;
mod cargo_stages;
mod proof_stages;
mod runner;
mod stage;
mod table;
mod test_stages;

pub(crate) use self::runner::{TestArgs, check, test};
