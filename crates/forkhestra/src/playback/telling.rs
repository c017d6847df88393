//! A journal that is read as it grows, and the story it tells.

use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::Event;
use forkhestra_core::history::Misfit;
use forkhestra_core::machine::DoesNotFit;
use forkhestra_store::Follower;
use forkhestra_store::history::HistoryError;
use forkhestra_store::replay::ReadError;

use super::story::Story;
use crate::error::{CliError, in_full};

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
    pub(crate) fn begin(journal: &'a Path) -> Result<Self, CliError> {
        let mut follower = Follower::open(journal).map_err(cannot_tell)?;
        let events = follower.news().map_err(cannot_tell)?;
        let Some((first, rest)) = events.split_first() else {
            return Err(cannot_tell(ReadError::Empty { path: journal.to_owned() }));
        };
        let story = Story::begin(first).map_err(|why| misfit(journal, 1, why))?;
        let mut telling = Self { journal, follower, number: 1, story };
        telling.take_in(rest)?;
        Ok(telling)
    }

    /// Reads what is new.
    pub(crate) fn go_on(&mut self) -> Result<(), CliError> {
        let events = self.follower.news().map_err(cannot_tell)?;
        self.take_in(&events)
    }

    fn take_in(&mut self, events: &[Event]) -> Result<(), CliError> {
        for event in events {
            self.number += 1;
            let number = self.number;
            self.story.take_in(event).map_err(|why| misfit(self.journal, number, why))?;
        }
        Ok(())
    }
}

fn misfit(journal: &Path, number: usize, why: DoesNotFit) -> CliError {
    cannot_tell(HistoryError::Misfit { path: journal.to_owned(), misfit: Misfit { number, why } })
}

fn cannot_tell(error: impl Into<HistoryError>) -> CliError {
    CliError::wrong(Diagnostic::error(in_full(&error.into())))
}
