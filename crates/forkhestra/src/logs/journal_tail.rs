//! Reads a journal while it grows.

use std::path::Path;

use forkhestra_core::event::Event;
use forkhestra_core::history::HistoryMismatch;
use forkhestra_core::machine::UnexpectedEvent;
use forkhestra_store::JournalFollower;
use forkhestra_store::journal::journal_contents::JournalReadError;
use forkhestra_store::journal::recorded_run::HistoryError;

use super::run_attempts::RunAttempts;

/// A growing journal with the attempts read so far.
pub(crate) struct JournalTail<'a> {
    journal: &'a Path,
    follower: JournalFollower<'a>,
    /// Number of events read.
    number: usize,
    /// The attempts in the events read so far.
    pub(crate) attempts: RunAttempts,
}

impl<'a> JournalTail<'a> {
    /// Opens a journal and reads its events.
    pub(crate) fn begin(journal: &'a Path) -> Result<Self, HistoryError> {
        let mut follower = JournalFollower::open(journal)?;
        let events = follower.read_new_events()?;
        let Some((first, rest)) = events.split_first() else {
            return Err(JournalReadError::Empty { path: journal.to_owned() }.into());
        };
        let attempts =
            RunAttempts::begin(first).map_err(|why| inconsistent_event(journal, 1, why))?;
        let mut tail = Self { journal, follower, number: 1, attempts };
        tail.apply(rest)?;
        Ok(tail)
    }

    /// Reads new events.
    pub(crate) fn poll(&mut self) -> Result<(), HistoryError> {
        let events = self.follower.read_new_events()?;
        self.apply(&events)
    }

    fn apply(&mut self, events: &[Event]) -> Result<(), HistoryError> {
        for event in events {
            self.number += 1;
            let number = self.number;
            self.attempts
                .apply(event)
                .map_err(|why| inconsistent_event(self.journal, number, why))?;
        }
        Ok(())
    }
}

fn inconsistent_event(journal: &Path, number: usize, why: UnexpectedEvent) -> HistoryError {
    HistoryError::Misfit { path: journal.to_owned(), misfit: HistoryMismatch { number, why } }
}
