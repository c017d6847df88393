//! The command line: one file for each group of verbs.

pub(crate) mod analysis;
pub(crate) mod bisect;
pub(crate) mod deferred;
pub(crate) mod fork;
pub(crate) mod forkhestra_cli;
pub(crate) mod limits;
pub(crate) mod logs;
pub(crate) mod plan;
pub(crate) mod ralph;
pub(crate) mod recording;
pub(crate) mod runs;
pub(crate) mod setup;
pub(crate) mod steer;
pub(crate) mod time_travel;
pub(crate) mod work;
