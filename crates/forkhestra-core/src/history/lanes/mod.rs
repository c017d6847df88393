//! The lanes of a run and its merge queue, for display.

pub(super) mod landing_counts;
pub(super) mod landing_record;
pub(super) mod lane_activity;
pub(super) mod lanes_history;
pub(super) mod queue_activity;
