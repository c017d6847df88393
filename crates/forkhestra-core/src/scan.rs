//! Finds the completion marker in an agent's output.
//!
//! A marker counts alone on its line. Escape codes, white space around it and surrounding `*`, `_`
//! and backticks are ignored; a marker in a sentence does not count. In a fenced code block it is
//! an example, unless the block holds nothing else and ends the output.
//!
//! [`MarkerScanner`] takes the output in chunks and needs little memory, however long the lines
//! are. The data flow: [`MarkerScanner`] splits chunks into lines, `LineHints` skips those that
//! cannot matter, `MarkerPatterns` classifies a single line (a `ScannedLine`), and `FencedBlocks`
//! tracks which lines are in a fenced block, with two `BlockTracker`s.

mod ansi;
mod block_tracker;
mod fenced_blocks;
mod line_hints;
mod line_start;
mod line_tail;
mod marker_pattern;
mod marker_patterns;
mod marker_scanner;
mod scanned_line;

#[cfg(test)]
mod tests;

pub use ansi::strip as without_codes;
pub use marker_scanner::MarkerScanner;

/// A line that exceeds the longest literal marker by this many bytes is not searched: a marker with
/// that much white space, decoration and escape codes around it does not count.
pub const DECORATION_LIMIT: usize = 4 * 1024;

/// With a regular expression among the markers, lines up to this length are searched.
pub const REGEX_LINE_LIMIT: usize = 64 * 1024;
