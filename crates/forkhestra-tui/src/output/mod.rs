//! What an agent printed, as lines that are harmless to show.

mod buffer;
mod line;
mod lines;
mod sgr;
#[cfg(test)]
mod tests;
mod window;

pub use buffer::{BufferPatch, OutputBuffer};
pub use line::OutputLine;
pub use lines::OutputLineReader;
pub(crate) use window::BufferWindow;
