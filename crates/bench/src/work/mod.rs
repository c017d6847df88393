//! The measurements, one file each.

pub(crate) mod clean_rooms;
pub(crate) mod iterations;
pub(crate) mod lanes;
pub(crate) mod latency;
pub(crate) mod observations;
pub(crate) mod output;
pub(crate) mod questions;
pub(crate) mod resume;
pub(crate) mod runs;
pub(crate) mod sandboxes;
pub(crate) mod startup;
pub(crate) mod streams;
pub(crate) mod tasks;
pub(crate) mod time_travel;
pub(crate) mod understood;
pub(crate) mod views;
pub(crate) mod watch;
