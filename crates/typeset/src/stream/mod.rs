//! Sanitizes streams of bytes from other programs, in pieces of any size.

mod escape_sequence;
mod stream_sanitizer;
#[cfg(test)]
mod tests;

pub use stream_sanitizer::{SanitizedBytes, StreamSanitizer};
