//! Texts about lanes and what became of their work.

pub(crate) mod landings;
pub(crate) mod lane_activities;
