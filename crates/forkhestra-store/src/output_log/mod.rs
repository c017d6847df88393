//! The log of one output stream on disk: its first and its last bytes.
//!
//! A small log is one plain file with every byte of the output. When that file is full, the rest
//! goes to a second file beside it, named like the first with `.tail` appended. It is a ring: new
//! bytes replace the oldest. Overwriting in place keeps a log of endless output cheap, since it
//! allocates no new pages and no new disk blocks.
//!
//! Bytes are addressed by their offset in the output. In the first file that is their offset in the
//! file, too; the header of a [tail file](self#the-tail-file) maps offsets to places in it. A
//! secret is replaced by as many asterisks, so offsets do not change.
//!
//! Files are created with the first byte, and never synced. The log survives the death of the
//! program at any moment, with all appended bytes. After a power failure it may be older than the
//! journal, or garbled.
//!
//! # The tail file
//!
//! ```text
//! forkhestra tail 1
//! from  00000000000033554432     the offset of the first byte that was ever kept in this file
//! size  00000000000008650752     how many bytes fit
//! spare 00000000000000262144     the most that is written at once
//! end   00000000000123456789     the offset after the last byte that is in the file
//! again 00000000000123456789     the same, so that half a number is not taken for a whole one
//! ```
//!
//! The byte with offset `n` is at `4096 + (n - from) % size`. `end` is changed after the bytes
//! before it are in place. While bytes after it are being written, up to `spare` of the oldest
//! bytes may be overwritten. So those from `end + spare - size` on are valid at any moment.

mod event_mask;
mod log_capacity;
mod reader;
mod redact;
mod tail;
mod tail_header;
#[cfg(test)]
mod tests;
mod writer;

pub use log_capacity::LogCapacity;
pub use reader::{KeptRange, OutputChunk, OutputLog};
pub(crate) use redact::Redactor;
pub use redact::Secrets;
pub use writer::OutputWriter;
