//! Plays again what agents printed, try after try, and goes on with what they are printing.
//!
//! A `RunAttempts` is what the journal tells: which tries there were and are. A [`LogSelection`] says which of
//! them are wanted, and a [`LogStart`] where to begin if only the end is. The [`LogPlayer`] reads their
//! logs by offset, a `LogRendering` makes of the bytes what a person wants to see, and the [`LogWriter`] says
//! it. Nothing of the run is changed or locked by that.

mod beginning;
mod choice;
mod last_lines;
mod player;
mod reading;
mod story;
mod strand;
mod telling;
#[cfg(test)]
mod tests;
mod understood;
mod voice;

pub(crate) use beginning::{LogSource, LogStart};
pub(crate) use choice::{LogSelection, LogSelectionArgs};
pub(crate) use player::LogPlayer;
pub(crate) use reading::LogRendering;
pub(crate) use story::AgentAttempt;
#[cfg(test)]
pub(crate) use story::RunAttempts;
pub(crate) use strand::StreamLog;
pub(crate) use telling::JournalTail;
pub(crate) use voice::{LogWriter, wait_a_moment};
