//! Streams of bytes of other programs, for a person to read: nothing in them may move the cursor or
//! hide a line, however they are cut into pieces.

mod escape_sequence;
mod stream_sanitizer;
#[cfg(test)]
mod tests;

pub use stream_sanitizer::{SanitizedBytes, StreamSanitizer};
