//! The verbs, one file each.

pub(crate) mod archive;
pub(crate) mod board;
pub(crate) mod check;
pub(crate) mod claim;
mod context;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod edit;
pub(crate) mod graph;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod merge_file;
pub(crate) mod release;
pub(crate) mod search;
pub(crate) mod view;

pub(crate) use context::{CommandContext, CommandResult};
