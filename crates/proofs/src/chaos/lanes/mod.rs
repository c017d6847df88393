//! Rounds with lanes: random agents that work at the same time, a user who edits and commits
//! meanwhile, and what must hold for the work of all of them.

mod lane_agents;
mod lane_model;
mod lane_round;
mod user_edits;

pub(super) use self::lane_round::{is_lane_round, play};
