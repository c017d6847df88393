//! One file for each thing the programs can do.

pub(crate) mod demo;
pub(crate) mod list;
pub(crate) mod logs;
pub(crate) mod ralph;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod schema;
pub(crate) mod show;
