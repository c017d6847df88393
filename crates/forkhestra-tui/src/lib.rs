//! Watches runs in a terminal, and steers them.
//!
//! Everything that is shown comes from a [`World`], which reads journals and logs and never writes
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

pub use app::{App, Settings};
pub use msg::{Cmd, Msg, News};
pub use terminal::{Inbox, Remote, run};
pub use update::update;
pub use view::draw;
pub use world::{
    ChangedFile, Chunk, Form, IterationChanges, Listed, OutputFeed, Portion, RunFeed, Scope,
    Standing, TaskBoard, TaskCard, TaskDetails, World,
};
