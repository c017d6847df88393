//! Lanes: several agents at once, each in a clone of the repository, and their merge queue.
//!
//! The machine of a run has a machine for each lane. It is of the same type, works on the state of
//! its lane ([`lanes_state::LaneState`]), and knows by its [`machine_role::MachineRole`] that it is one. The
//! machine of the run passes inputs to them, takes their effects over, and has the merge queue.

pub(crate) mod at_rest;
pub(crate) mod best_attempt;
pub(crate) mod landing;
pub(crate) mod landing_checks;
pub(crate) mod lane_events;
pub(crate) mod lane_machine;
pub(crate) mod lane_machines;
pub(crate) mod lanes_effect;
pub(crate) mod lanes_input;
pub(crate) mod lanes_stage;
pub(crate) mod lanes_state;
pub(crate) mod machine_role;
pub(crate) mod other_lanes;
pub(crate) mod running_lanes;
