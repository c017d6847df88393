//! Reads the progress of a session while it runs.

use std::fs;
use std::path::PathBuf;

use crate::survival::journal::ProofJournal;
use crate::survival::world::ProofWorld;

/// The state at the start of a session.
#[derive(Debug)]
pub(super) struct SessionProgress {
    journal: Vec<u8>,
    notes: usize,
}

impl SessionProgress {
    pub(super) fn from_now(world: &ProofWorld) -> Self {
        Self { journal: journal_bytes(world), notes: note_count(world) }
    }

    /// The number of events of a kind that this session has recorded.
    pub(super) fn events(&self, world: &ProofWorld, kind: &str) -> usize {
        let bytes = journal_bytes(world);
        let new = String::from_utf8_lossy(bytes.get(self.journal.len()..).unwrap_or_default());
        let mark = format!(r#""event":"{kind}"#);
        new.lines().filter(|line| line.contains(&mark)).count()
    }

    /// The number of notes that its agents have written.
    pub(super) fn notes(&self, world: &ProofWorld) -> usize {
        note_count(world).saturating_sub(self.notes)
    }
}

/// The iteration that was started last.
pub(super) fn current_iteration(world: &ProofWorld) -> Option<(u64, u64)> {
    let journal = ProofJournal::parse(&journal_bytes(world)).ok()?;
    journal.started().last().map(|unit| unit.step_and_iteration())
}

/// The journal of the only run with events. Others were killed before their first event.
pub(super) fn journal(world: &ProofWorld) -> Option<PathBuf> {
    begun(world).map(|(path, _)| path)
}

fn journal_bytes(world: &ProofWorld) -> Vec<u8> {
    begun(world).map(|(_, bytes)| bytes).unwrap_or_default()
}

fn begun(world: &ProofWorld) -> Option<(PathBuf, Vec<u8>)> {
    let journals = world.runs().into_iter().map(|run| run.join("journal.jsonl"));
    let read = journals.filter_map(|path| fs::read(&path).ok().map(|bytes| (path, bytes)));
    read.into_iter().find(|(_, bytes)| bytes.contains(&b'\n'))
}

fn note_count(world: &ProofWorld) -> usize {
    let notes = fs::read(world.shared_file("notes")).unwrap_or_default();
    notes.iter().filter(|byte| **byte == b'\n').count()
}
