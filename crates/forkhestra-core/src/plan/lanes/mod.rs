//! Lanes in a plan: which stages have them, their settings, and best of N.

pub(crate) mod best_of;
pub(crate) mod lane_errors;
mod lane_rules;
pub(crate) mod lane_settings;
pub(crate) mod laned_stage;
pub(crate) mod lanes_draft;
