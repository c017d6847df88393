//! Recordings: output, ends and changes of agents, to be played back.
//!
//! A recording is a directory with a description of the run, and a directory for every try of an
//! iteration:
//!
//! ```text
//! recording.json          what was recorded, and in which version of the format
//! 1-2-1/unit.json         step, iteration, try: how it went; written last
//! 1-2-1/stdout            all that was printed, secrets masked
//! 1-2-1/stderr
//! 1-2-1/timing.jsonl      which bytes came when
//! 1-2-1/commit-1.txt      a commit as git keeps it
//! 1-2-1/commit-1.patch    what it changed
//! 1-2-1/staged.patch      what was staged and not committed in the end
//! 1-2-1/rest.patch        what was not committed in the end
//! ```
//!
//! A directory without `unit.json` is incomplete and is ignored: its writer was killed.
//! `docs/recordings.md` describes the format for people.
//!
//! A minor version may add members and files. Whatever else changes is a new major version. So a
//! reader skips what it does not know, and refuses a newer major version.

mod error;
mod manifest;
mod recorded_chunks;
mod recording_directory;
#[cfg(test)]
mod tests;
mod unit_recording;
mod unit_recording_writer;

pub use error::RecordingError;
pub use manifest::RecordingManifest;
pub use recorded_chunks::{RecordedChunk, RecordedChunks};
pub use recording_directory::Recording;
pub use unit_recording::{EndRecord, UnitRecord, UnitRecording};
pub use unit_recording_writer::UnitRecordingWriter;

use crate::format::Version;

/// The version of the format that we write.
pub const VERSION: Version = Version { major: 1, minor: 0 };
