//! Shared parts of the proofs: a project in which runs are started and disturbed, and checks that
//! are independent of the production code.
//!
//! A [`ProofWorld`](world::ProofWorld) is a project with agents,
//! [`ProofJournal`](journal::ProofJournal) is the program's record, [`Notes`](notes::Notes) are the
//! agents' records, and [`leftovers`] finds what must not be left.

pub(crate) mod journal;
mod lane_rules;
pub(crate) mod lane_work;
pub(crate) mod leftovers;
pub(crate) mod notes;
pub(crate) mod world;
