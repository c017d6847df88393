//! Lanes: several agents at once, each in a clone of the repository, and their merge queue.

pub(crate) mod lane_events;
pub(crate) mod lanes_state;
pub(crate) mod other_lanes;
