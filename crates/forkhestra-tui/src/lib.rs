//! Watches runs in a terminal, and steers them.
//!
//! Everything that is shown comes from a [`RunSource`], which reads journals and logs and never writes
//! them. What a person wants of a run is asked of the run itself.

pub mod app;
mod feed;
mod hits;
mod keys;
pub mod msg;
pub mod output;
pub mod terminal;
#[cfg(test)]
mod tests;
mod theme;
pub mod update;
pub mod view;
pub mod world;

pub use app::{App, WatchSettings};
pub use msg::{Cmd, Msg, RunNews};
pub use terminal::{LoopInbox, LoopRemote, run};
pub use update::update;
pub use view::draw;
pub use world::{
    ChangedFile, FeedChunk, IterationChanges, OutputFeed, OutputPortion, OutputRendering,
    RunCondition, RunFeed, RunListItem, RunScope, RunSource, TaskBoard, TaskCard, TaskDetails,
};
