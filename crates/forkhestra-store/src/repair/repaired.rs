//! Repairs a journal and describes the repair.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::machine::RunState;
use forkhestra_core::text;
use forkhestra_core::time::Timestamp;

use super::journal_cut::{JournalCut, RepairError};
use super::lost_iterations::LostIterations;
use super::removed_output;
use super::replace;
use crate::disk::file_error::FileError;
use crate::format::encode;
use crate::journal::journal_lock::JournalLock;
use crate::runs::work_tree_lock::LockProof;

/// What a repair did to a journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The path of the damaged journal.
    pub original: PathBuf,
    /// The directory with the output of removed iterations, if there is any.
    pub output: Option<PathBuf>,
    /// The number of the first bad line, from one.
    pub line: u64,
    /// What is wrong with that line.
    pub why: String,
    /// The number of removed lines: the bad one and those after it.
    pub removed: u64,
    pub run_again: LostIterations,
}

/// Checks whether a journal can be repaired, without changing it. Returns the state of the run after
/// a repair.
pub fn examine(path: &Path) -> Result<RunState, RepairError> {
    let bytes = fs::read(path).map_err(FileError::of("read", path))?;
    JournalCut::find(path, &bytes).map(|cut| cut.state)
}

/// Repairs the journal of a run, whose lock the caller holds. Afterwards the lock is that of the
/// new file.
///
/// The new journal ends with a warning that describes the removal, unless the run had ended there:
/// only a resume may follow the end of a run.
pub fn repair(
    lock: &mut JournalLock,
    hold: &LockProof,
    now: Timestamp,
) -> Result<Repaired, RepairError> {
    let run = lock.run().clone();
    hold.check(&run.work_tree())?;
    let path = run.journal();
    let mut content = fs::read(&path).map_err(FileError::of("read", &path))?;
    let JournalCut { state, lines, length, why, removed, lost, kept_units } =
        JournalCut::find(&path, &content)?;
    let mut repaired = Repaired {
        original: PathBuf::new(),
        output: None,
        line: lines + 1,
        why,
        removed,
        run_again: lost,
    };
    content.truncate(length);
    if state.end.is_none() {
        let kind = EventKind::Warning { message: repaired.to_string() };
        let warning = Event { at: now, elapsed: state.elapsed, kind };
        content.extend_from_slice(encode(&warning, lines).as_bytes());
        content.push(b'\n');
    }
    // First the output: a kill afterwards leaves the damaged journal, which can be repaired again.
    repaired.output = removed_output::put_aside(&run, &kept_units, now)?;
    repaired.original = replace::replace(lock, &content, now)?;
    Ok(repaired)
}

/// `line 5 of the journal is not UTF-8; it was removed, with the 3 lines after it`.
impl fmt::Display for Repaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, why, removed, .. } = self;
        write!(f, "line {line} of the journal {why}; it was removed")?;
        match usize::try_from(removed.saturating_sub(1)).unwrap_or(usize::MAX) {
            0 => Ok(()),
            after => write!(f, ", with the {} after it", text::count(after, "line")),
        }
    }
}
