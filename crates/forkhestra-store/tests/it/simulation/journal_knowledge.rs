//! What the writer of a journal may rely on.

use forkhestra_core::event::{DurabilityTracker, Event};

use super::disk::disk_history::{DiskLogEntry, JournalNote};

/// The state of a journal from its writer's point of view.
#[derive(Debug, Clone, Default)]
pub(crate) struct JournalKnowledge {
    /// The number of the run, if it has a journal.
    pub(crate) run: Option<u64>,
    /// The events whose append succeeded.
    pub(crate) appended: Vec<Event>,
    safety: DurabilityTracker,
    /// The number of events that must survive a power failure.
    durable: usize,
    /// An event that may or may not be in the file.
    appending: Option<Event>,
}

/// What happened to the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum MachineFailure {
    /// Only the process is gone.
    Killed,
    /// The operating system is gone as well.
    PowerFailure,
}

impl JournalKnowledge {
    /// The state after these entries.
    pub(crate) fn after(entries: &[DiskLogEntry]) -> Self {
        let mut knowledge = Self::default();
        for entry in entries {
            if let DiskLogEntry::Noted(note) = entry {
                knowledge.add(note);
            }
        }
        knowledge
    }

    fn add(&mut self, note: &JournalNote) {
        match note {
            JournalNote::Begun(run) => *self = Self { run: Some(*run), ..Self::default() },
            JournalNote::Appending(event) => self.appending = Some(Event::clone(event)),
            JournalNote::Appended => {
                let event = self.appending.take().expect("it was announced");
                let must_be_durable = self.safety.must_be_durable(&event.kind);
                self.appended.push(event);
                if must_be_durable {
                    self.durable = self.appended.len();
                }
            }
            JournalNote::Found(events) => {
                self.appended.clone_from(events);
                self.appending = None;
            }
        }
    }

    /// The number of events that must be in the journal.
    pub(crate) fn promised(&self, accident: MachineFailure) -> usize {
        match accident {
            MachineFailure::Killed => self.appended.len(),
            MachineFailure::PowerFailure => self.durable,
        }
    }

    /// Compares the events found in the journal with the expected ones.
    pub(crate) fn verify(&self, found: &[Event], accident: MachineFailure) -> Result<(), String> {
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
