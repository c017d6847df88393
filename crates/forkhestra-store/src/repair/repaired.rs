//! Repairs a journal and describes the repair.

use std::path::PathBuf;

use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::time::Timestamp;

use super::journal_cut::{JournalCut, RepairError};
use super::removed_output;
use super::replace;
use crate::format::encode;
use crate::journal::journal_lock::JournalLock;
use crate::runs::work_tree_lock::LockProof;

/// What a repair did to a journal.
#[derive(Debug)]
pub struct Repaired {
    pub cut: JournalCut,
    /// The path of the damaged journal.
    pub original: PathBuf,
    /// The directory with the output of removed iterations, if there is any.
    pub output: Option<PathBuf>,
}

/// Repairs the journal of a run, whose lock the caller holds. Afterwards the lock is that of the
/// new file.
///
/// The new journal has a warning that describes the removal. It is the last line, or the one before
/// `run_finished`: only a resume may follow the end of a run.
pub fn repair(
    lock: &mut JournalLock,
    lock_proof: &LockProof,
    now: Timestamp,
) -> Result<Repaired, RepairError> {
    let run = lock.run().clone();
    lock_proof.check(&run.work_tree())?;
    let cut = JournalCut::find(&run.journal())?;
    let message = format!("{cut}; run again: {}", cut.run_again);
    let warning = Event::new(now, cut.state.elapsed, EventKind::Warning { message });
    // First the output: a kill afterwards leaves the damaged journal, which can be repaired again.
    let output = removed_output::move_removed_output(&run, &cut.kept_units, now)?;
    let original = replace::replace(lock, &with_warning(&cut, warning), now)?;
    Ok(Repaired { cut, original, output })
}

/// The lines before the cut and the warning.
fn with_warning(cut: &JournalCut, mut warning: Event) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = cut.kept.split_inclusive(|byte| *byte == b'\n').collect();
    if let Some(end) = &cut.end {
        lines.pop();
        warning.at = end.at;
    }
    let added = (lines.len() as u64..).zip([Some(&warning), cut.end.as_ref()]);
    let added = added.filter_map(|(seq, event)| Some(encode(event?, seq) + "\n"));
    let added: String = added.collect();
    [lines.concat().as_slice(), added.as_bytes()].concat()
}
