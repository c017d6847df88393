//! Whole screens, driven by keys and news and seen through a terminal.

mod contrast;
mod keys;
mod mouse;
mod output;
mod progress;
mod properties;
pub(crate) mod run_script;
mod screens;
mod steering;
mod test_screen;
