//! The view of one run.

pub(crate) mod activity_line;
pub(crate) mod chain_row;
pub(crate) mod header;
pub(crate) mod lane_rows;
pub(crate) mod limit_bars;
pub(crate) mod messages;
pub(crate) mod output;
pub(crate) mod question_rows;
pub(crate) mod run_screen;
pub(crate) mod sparkline;
pub(crate) mod step_details;
pub(crate) mod task_line;
pub(crate) mod tasks;
pub(crate) mod timeline;
