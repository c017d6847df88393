//! Finds the completion marker in what an agent prints.
//!
//! A marker counts alone on its line. What a terminal does not show (colours and other escape
//! codes), white space around it and surrounding `*`, `_` and backticks are ignored; a marker in a
//! sentence is only mentioned. In a fenced code block it is an example, unless the block holds
//! nothing else and ends the output.
//!
//! [`MarkerScanner`] takes the output in pieces as they come and needs little memory, however long the
//! lines are. The way of a byte: [`MarkerScanner`] cuts pieces into lines, `hints` passes over those that
//! cannot matter, `patterns` says what a single line is (a `Line`), and `blocks` knows
//! which of them stand in a fenced block, from two `Reading`s of the fences.

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

/// A line that has this many bytes more than the longest literal marker is not looked at: so much
/// white space, decoration and escape codes around a marker is no marker any more.
pub const DECORATION_LIMIT: usize = 4 * 1024;

/// With a regular expression among the markers, lines up to this length are looked at.
pub const REGEX_LINE_LIMIT: usize = 64 * 1024;
