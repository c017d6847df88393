//! The config entries of lanes, of best of N and of parallel stages.

pub(crate) mod lane_entry;
pub(crate) mod lane_keys;
pub(crate) mod lane_placement;
pub(crate) mod parallel_entry;
pub(crate) mod pick_choice;
