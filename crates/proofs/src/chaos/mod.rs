//! `cargo xtask chaos`: runs of random agents that are disturbed at random moments.
//!
//! A seed and the number of a round decide everything but the time that things take. Each round is
//! one run: some of its lives are disturbed, then it is left alone until it ends. After every life a
//! [model](model::RunModel) says what must be true.

mod chaos_round;
mod chaos_tally;
mod disturber;
mod life_facts;
mod model;
mod output_reader;
mod progress;
mod round_log;
mod run_life;
mod run_processes;
mod script;
mod session;
mod steering;

pub(crate) use self::session::{Args, run};
