//! Rendering of everything that forkhestra prints.

pub(crate) mod agent;
pub(crate) mod bisect;
pub(crate) mod diagnostic;
pub(crate) mod doctor;
pub(crate) mod logs;
pub(crate) mod plan;
pub(crate) mod rewind;
pub(crate) mod run;
pub(crate) mod run_report;
pub(crate) mod runs;
pub(crate) mod show;
pub(crate) mod snapshot_list;
pub(crate) mod stats;
pub(crate) mod summary_page;
pub(crate) mod text;
pub(crate) mod what_if;
