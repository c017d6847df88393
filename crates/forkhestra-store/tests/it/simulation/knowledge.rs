//! What the writer of a journal may rely on.

use forkhestra_core::event::{Event, Safety};

use super::history::{Entry, Note};

/// What was done to a journal by whoever wrote it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Knowledge {
    /// The run, if it has a journal.
    pub(crate) run: Option<u64>,
    /// The events that were appended, as far as anybody was told.
    pub(crate) appended: Vec<Event>,
    safety: Safety,
    /// How many of them must survive a power failure.
    durable: usize,
    /// An event that may or may not be there.
    appending: Option<Event>,
}

/// What happened to the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Accident {
    /// The process is gone, and the system goes on.
    Killed,
    /// The system is gone as well.
    PowerFailure,
}

impl Knowledge {
    /// What is known after these entries.
    pub(crate) fn after(entries: &[Entry]) -> Self {
        let mut knowledge = Self::default();
        for entry in entries {
            if let Entry::Noted(note) = entry {
                knowledge.add(note);
            }
        }
        knowledge
    }

    fn add(&mut self, note: &Note) {
        match note {
            Note::Begun(run) => *self = Self { run: Some(*run), ..Self::default() },
            Note::Appending(event) => self.appending = Some(Event::clone(event)),
            Note::Appended => {
                let event = self.appending.take().expect("it was announced");
                let must_be_durable = self.safety.must_be_durable(&event.kind);
                self.appended.push(event);
                if must_be_durable {
                    self.durable = self.appended.len();
                }
            }
            Note::Found(events) => {
                self.appended.clone_from(events);
                self.appending = None;
            }
        }
    }

    /// How many events must be there.
    pub(crate) fn promised(&self, accident: Accident) -> usize {
        match accident {
            Accident::Killed => self.appended.len(),
            Accident::PowerFailure => self.durable,
        }
    }

    /// Says what is wrong with what was found in the journal.
    pub(crate) fn verify(&self, found: &[Event], accident: Accident) -> Result<(), String> {
        let promised = self.promised(accident);
        if found.len() < promised {
            return Err(format!("{} of {promised} events are left", found.len()));
        }
        let mut possible = self.appended.clone();
        possible.extend(self.appending.clone());
        if possible.starts_with(found) {
            Ok(())
        } else {
            Err(format!("there are other events than those appended: {found:?}"))
        }
    }
}
