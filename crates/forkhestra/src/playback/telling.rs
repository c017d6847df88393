//! A journal that is read as it grows, and the story it tells.

use std::path::Path;

use forkhestra_core::event::Event;
use forkhestra_core::history::Misfit;
use forkhestra_core::machine::DoesNotFit;
use forkhestra_store::Follower;
use forkhestra_store::history::HistoryError;
use forkhestra_store::replay::ReadError;

use super::story::Story;

/// A journal that is read as it grows.
pub(crate) struct Telling<'a> {
    journal: &'a Path,
    follower: Follower<'a>,
    /// How many events were read.
    number: usize,
    /// What was read.
    pub(crate) story: Story,
}

impl<'a> Telling<'a> {
    /// Reads what is there.
    pub(crate) fn begin(journal: &'a Path) -> Result<Self, HistoryError> {
        let mut follower = Follower::open(journal)?;
        let events = follower.news()?;
        let Some((first, rest)) = events.split_first() else {
            return Err(ReadError::Empty { path: journal.to_owned() }.into());
        };
        let story = Story::begin(first).map_err(|why| misfit(journal, 1, why))?;
        let mut telling = Self { journal, follower, number: 1, story };
        telling.take_in(rest)?;
        Ok(telling)
    }

    /// Reads what is new.
    pub(crate) fn go_on(&mut self) -> Result<(), HistoryError> {
        let events = self.follower.news()?;
        self.take_in(&events)
    }

    fn take_in(&mut self, events: &[Event]) -> Result<(), HistoryError> {
        for event in events {
            self.number += 1;
            let number = self.number;
            self.story.take_in(event).map_err(|why| misfit(self.journal, number, why))?;
        }
        Ok(())
    }
}

fn misfit(journal: &Path, number: usize, why: DoesNotFit) -> HistoryError {
    HistoryError::Misfit { path: journal.to_owned(), misfit: Misfit { number, why } }
}
