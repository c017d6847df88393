//! Plays again what agents printed, try after try, and goes on with what they are printing.
//!
//! A [`Story`] is what the journal tells: which tries there were and are. A [`Choice`] says which of
//! them are wanted, and a [`Beginning`] where to begin if only the end is. The [`Player`] reads their
//! logs by offset and hands them to the [`Voice`]. Nothing of the run is changed or locked by that.

mod beginning;
mod choice;
mod player;
mod story;
mod strand;
mod telling;
mod voice;

pub(crate) use beginning::Beginning;
pub(crate) use choice::{Choice, Wish};
pub(crate) use player::Player;
pub(crate) use story::Story;
pub(crate) use telling::Telling;
pub(crate) use voice::Voice;
