//! The initial state of a simulation: empty, or with an interrupted run.

use std::fs;
use std::path::Path;

use forkhestra_core::event::Event;
use forkhestra_store::format::encode;
use forkhestra_store::journal::journal_contents;

use super::disk::disk_contents::DiskContents;
use super::disk::disk_history::JournalNote;
use super::run_scripts::{CHECKED_RUN, REST_OF_A_RUN, WHOLE_RUN};
use super::simulated_writer::{SimulatedState, SimulatedWriter, WriterFailure};
use crate::samples::{event, warning};

/// The initial state of a disk.
#[derive(Debug)]
pub(crate) struct DiskScenario {
    contents: DiskContents,
    /// The events in the journal; empty if there is none.
    recorded: Vec<Event>,
    /// The events that the process is to append.
    to_come: &'static [Event],
}

impl DiskScenario {
    /// An empty disk.
    pub(crate) fn new() -> Self {
        Self::before(&WHOLE_RUN)
    }

    /// An empty disk, for a run with checks.
    pub(crate) fn with_checks() -> Self {
        Self::before(&CHECKED_RUN)
    }

    fn before(to_come: &'static [Event]) -> Self {
        Self { contents: SimulatedState::empty(), recorded: Vec::new(), to_come }
    }

    /// Disks with a run that was interrupted, in several ways.
    pub(crate) fn cut_off(place: &Path) -> Vec<Self> {
        let ways = [(0, String::new()), (40, String::new()), (0, "\0\0\0\0\n".to_owned())];
        let ways = ways.into_iter().chain([(0, later_lines())]).enumerate();
        ways.map(|(number, (missing, behind))| {
            Self::with_end(&place.join(number.to_string()), missing, &behind)
        })
        .collect()
    }

    /// A disk whose journal lacks its last `missing` bytes and ends with `behind` instead.
    fn with_end(place: &Path, missing: usize, behind: &str) -> Self {
        let state = SimulatedState::new(place, &SimulatedState::empty());
        let mut process = SimulatedWriter::start(&state, 1).expect("nothing fails");
        process.append_all(&WHOLE_RUN[..9]).expect("nothing fails");
        drop(process);
        let mut contents = DiskContents::read(place);
        let journal = contents.journal();
        journal.truncate(journal.len() - missing);
        journal.extend_from_slice(behind.as_bytes());
        let path = state.run(1).expect("it is there").journal();
        fs::write(&path, journal).expect("there is room");
        let recorded = journal_contents::read(&path).expect("it can be read").events;
        Self { contents, recorded, to_come: &REST_OF_A_RUN }
    }

    /// Creates the disk, and returns the length of the history that this took.
    pub(crate) fn set(&self, place: &Path) -> (SimulatedState, usize) {
        let state = SimulatedState::new(place, &self.contents);
        if !self.recorded.is_empty() {
            state.disk.note(JournalNote::Begun(1));
        }
        for event in &self.recorded {
            state.disk.note(JournalNote::Appending(Box::new(event.clone())));
            state.disk.note(JournalNote::Appended);
        }
        let before = state.disk.history().len();
        (state, before)
    }

    /// Starts a process that begins the run, with this number if it is new, or resumes it.
    pub(crate) fn begin(
        &self,
        state: &SimulatedState,
        number: u64,
    ) -> Result<SimulatedWriter, WriterFailure> {
        match state.run(1).filter(|_| !self.recorded.is_empty()) {
            Some(run) => SimulatedWriter::resume(state, &run, number),
            None => SimulatedWriter::start(state, number),
        }
    }

    /// The events that the process is to append.
    pub(crate) fn to_come(&self) -> &'static [Event] {
        self.to_come
    }

    /// The events in the journal at the end.
    pub(crate) fn whole(&self) -> Vec<Event> {
        [&self.recorded, self.to_come()].concat()
    }
}

/// A line that never reached the disk, and two later ones that did.
fn later_lines() -> String {
    let line = |seq: u64| encode(&event(9, warning(&"there all the same ".repeat(9))), seq) + "\n";
    "\0".repeat(80) + &line(10) + &line(11)
}
