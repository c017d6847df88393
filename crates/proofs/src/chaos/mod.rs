//! `cargo xtask chaos`: disturbs runs of random agents at random moments.
//!
//! A seed and the number of a round determine everything but the timing. Each round is one run,
//! with several sessions: a session is one start or resume of the run, until its processes have
//! ended ([`RunSession`](run_session::RunSession)). Some sessions are disturbed, then the run is left alone
//! until it ends. After every session a [model](model::RunModel) checks what must hold.

mod chaos_round;
mod chaos_tally;
mod disturber;
mod lanes;
mod model;
mod output_reader;
mod progress;
mod question_responder;
mod round_log;
mod run_processes;
mod run_session;
mod script;
mod session;
mod session_facts;
mod steering;

pub(crate) use self::session::{Args, run};
