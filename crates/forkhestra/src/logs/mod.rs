//! Plays again what agents printed, try after try, and goes on with what they are printing.
//!
//! A `RunAttempts` is what the journal tells: which tries there were and are. A [`LogSelection`] says which of
//! them are wanted, and a [`LogStart`] where to begin if only the end is. The [`LogPlayer`] reads their
//! logs by offset, a `LogRendering` makes of the bytes what a person wants to see, and the [`LogWriter`] says
//! it. Nothing of the run is changed or locked by that.

mod journal_tail;
mod last_lines;
mod log_player;
mod log_rendering;
mod log_selection;
mod log_start;
mod log_writer;
mod rendered_stream;
mod run_attempts;
mod stream_cursor;
#[cfg(test)]
mod tests;

pub(crate) use journal_tail::JournalTail;
pub(crate) use log_player::LogPlayer;
pub(crate) use log_rendering::LogRendering;
pub(crate) use log_selection::{LogSelection, LogSelectionArgs};
pub(crate) use log_start::{LogSource, LogStart};
pub(crate) use log_writer::{LogWriter, wait_a_moment};
pub(crate) use run_attempts::AgentAttempt;
#[cfg(test)]
pub(crate) use run_attempts::RunAttempts;
pub(crate) use stream_cursor::StreamLog;
