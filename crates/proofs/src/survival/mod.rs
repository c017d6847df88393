//! What the proofs of survival stand on: a world in which runs are started and disturbed, and ways
//! to look at what came of them that are not the program's own.
//!
//! A [`ProofWorld`](world::ProofWorld) is a project with agents, [`ProofJournal`](journal::ProofJournal) is what the program says has happened,
//! [`Notes`](notes::Notes) are what the agents say, and [`leftovers`] is what must not be there any more.

pub(crate) mod journal;
pub(crate) mod leftovers;
pub(crate) mod notes;
pub(crate) mod world;
