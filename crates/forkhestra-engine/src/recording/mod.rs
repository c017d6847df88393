//! Records agents: the state of the repository before and after, and the outcome.

pub(crate) mod recording_capture;
pub(crate) mod unit_recorder;
