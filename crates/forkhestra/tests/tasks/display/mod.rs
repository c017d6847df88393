//! The output of `forge-tasks`.

pub(crate) mod list;
pub(crate) mod screens;
pub(crate) mod search;
pub(crate) mod view;
