//! Plays again what agents printed, try after try, and goes on with what they are printing.
//!
//! A `Story` is what the journal tells: which tries there were and are. A [`Choice`] says which of
//! them are wanted, and a [`Beginning`] where to begin if only the end is. The [`Player`] reads their
//! logs by offset, a `Reading` makes of the bytes what a person wants to see, and the [`Voice`] says
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

pub(crate) use beginning::{Beginning, Source};
pub(crate) use choice::{Choice, Wish};
pub(crate) use player::Player;
pub(crate) use reading::Reading;
#[cfg(test)]
pub(crate) use story::Story;
pub(crate) use story::Try;
pub(crate) use strand::Kept;
pub(crate) use telling::Telling;
pub(crate) use voice::{Voice, wait_a_moment};
