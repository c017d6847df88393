//! Tests of whole screens, driven by keys and news and read through a terminal emulator.

mod answers;
mod contrast;
mod keys;
mod lanes;
mod mouse;
mod output;
mod progress;
mod properties;
pub(crate) mod run_script;
mod screens;
mod steering;
mod test_screen;
mod time_travel;
