//! What an agent printed to one stream, on disk: the first bytes and the last ones.
//!
//! A log that is small is one plain file, which holds every byte as it was printed. When the file
//! is full, what follows goes to a second one beside it, named like the first with `.tail`
//! appended, in which new bytes take the place of the oldest. Overwriting in place is what makes
//! a log of endless output cheap: no page of memory and no block of the disk is asked for again.
//!
//! Bytes are spoken of by their offset in the output. That is also where they stand in the first
//! file; the beginning of a [tail file](self#the-tail-file) says where they stand there. Secrets
//! are replaced by as many asterisks, so that they change no offset.
//!
//! Nothing is created before there is something to keep, and nothing is ever synced: the log
//! survives the death of the program at any moment, with all bytes that were appended, but after
//! a loss of power it may be older than the journal, or garbled.
//!
//! # The tail file
//!
//! ```text
//! forkhestra tail 1
//! from  00000000000033554432     the offset of the first byte that was ever kept in this file
//! size  00000000000008650752     how many bytes fit
//! spare 00000000000000262144     the most that is written at once
//! end   00000000000123456789     the offset behind the last byte that is in the file
//! again 00000000000123456789     the same, so that half a number is not taken for a whole one
//! ```
//!
//! The byte with offset `n` stands at `4096 + (n - from) % size`. `end` is changed after the bytes
//! in front of it are in place. While bytes behind it are being written, up to `spare` of the
//! oldest are not what they were. So those from `end + spare - size` on can be relied upon at any
//! moment.

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
