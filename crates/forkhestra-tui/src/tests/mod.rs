//! Whole screens, driven by keys and news and seen through a terminal.

mod contrast;
mod keys;
mod mouse;
mod output;
mod progress;
mod properties;
mod screens;
mod steering;
pub(crate) mod story;
mod terminal;
