//! What a recording keeps of a unit of work.

pub(crate) mod recording_capture;
pub(crate) mod unit_recorder;
