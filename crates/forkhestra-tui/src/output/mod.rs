//! Output of agents as sanitized lines.

mod buffer_window;
mod output_buffer;
mod output_line;
mod output_line_reader;
mod sgr;
#[cfg(test)]
mod tests;

pub(crate) use buffer_window::BufferWindow;
pub use output_buffer::{BufferPatch, OutputBuffer};
pub use output_line::OutputLine;
pub use output_line_reader::OutputLineReader;
