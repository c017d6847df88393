//! Prints the recorded output of agents, attempt by attempt, and follows new output.
//!
//! `RunAttempts` holds the attempts that the journal records. A [`LogSelection`] selects some of
//! them, and a [`LogStart`] says where to start if only the last lines are wanted. The
//! [`LogPlayer`] reads the logs by offset, a `LogRendering` converts the bytes, and the
//! [`LogWriter`] prints them. The run is neither changed nor locked.

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
pub(crate) use log_writer::{LogWriter, wait_for_poll_interval};
pub(crate) use run_attempts::AgentAttempt;
#[cfg(test)]
pub(crate) use run_attempts::RunAttempts;
pub(crate) use stream_cursor::StreamLog;
