//! Output of agents and diffs as sanitized lines.

mod buffer_window;
mod diff_lines;
mod output_buffer;
mod output_line;
mod output_line_reader;
mod sgr;
#[cfg(test)]
mod tests;

pub(crate) use buffer_window::BufferWindow;
pub(crate) use diff_lines::diff_lines;
pub use output_buffer::{BufferPatch, OutputBuffer};
pub use output_line::OutputLine;
pub use output_line_reader::OutputLineReader;
