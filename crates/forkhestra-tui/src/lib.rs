//! Terminal UI for watching and steering runs.
//!
//! All displayed data comes from a [`RunSource`], which reads journals and logs and never writes
//! them. Requests of the operator are sent to the run itself.

pub mod app;
mod feed;
mod hit_map;
mod keys;
pub mod msg;
pub mod output;
pub mod run_source;
pub mod terminal;
#[cfg(test)]
mod tests;
mod theme;
pub mod update;
pub mod view;

pub use app::{App, WatchSettings};
pub use msg::{Cmd, Msg, RunNews};
pub use run_source::{
    ChangedFile, FeedChunk, IterationChanges, IterationDiff, OutputFeed, OutputPortion,
    OutputRendering, RunFeed, RunListItem, RunScope, RunSource, StatusOverride, TaskBoard,
    TaskCard, TaskDetails,
};
pub use terminal::{LoopInbox, LoopRemote, run};
pub use update::update;
pub use view::draw;
