//! Repairs a journal and describes the repair.

use std::path::PathBuf;

use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::time::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::journal_cut::{JournalCut, RepairError};
use super::removed_output;
use super::replace;
use crate::format::{LineHashes, encode, without_hash};
use crate::journal::journal_lock::JournalLock;
use crate::runs::run_overview::RunOverview;
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
/// The new journal has a warning that describes the removal, with the time of the repair. It is the
/// last line, or the one before `run_finished`: only a resume may follow the end of a run.
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
    // It has the length of the damaged journal.
    RunOverview::remove_note(&run)?;
    let original = replace::replace(lock, &with_warning(&cut, &warning), now)?;
    Ok(Repaired { cut, original, output })
}

/// The lines before the cut and the warning. `run_finished` gets another number and hash, and keeps every other byte: a
/// newer version may have written members that this one does not know.
fn with_warning(cut: &JournalCut, warning: &Event) -> Vec<u8> {
    let mut content = cut.kept.clone();
    let mut chain = LineHashes::default();
    for line in lines(&content) {
        chain.check(line).expect("the cut is before the first line that does not fit");
    }
    let seq = lines(&content).count() as u64;
    let end = cut.end.trim_end_matches('\n').as_bytes();
    let end = (!end.is_empty()).then(|| renumbered(&without_hash(end), seq + 1));
    for line in [Some(encode(warning, seq)), end].into_iter().flatten() {
        let start = content.len();
        content.extend_from_slice(line.as_bytes());
        chain.seal(&mut content, start);
        content.push(b'\n');
    }
    content
}

/// Complete lines without their line breaks.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').filter_map(|line| line.strip_suffix(b"\n"))
}

/// A line of the journal, with the text of its number.
#[derive(Deserialize)]
struct NumberedLine<'a> {
    #[serde(borrow)]
    seq: &'a RawValue,
}

/// A readable line with another number. Only the bytes of the number change.
fn renumbered(line: &[u8], seq: u64) -> String {
    let line = str::from_utf8(line).expect("the line was decoded");
    let NumberedLine { seq: old } = serde_json::from_str(line).expect("the line was decoded");
    let start = old.get().as_ptr().addr() - line.as_ptr().addr();
    format!("{}{seq}{}", &line[..start], &line[start + old.get().len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_number_of_a_line_changes() {
        for (line, expected) in [
            ("{\"seq\":8,\"at\":8}\n", "{\"seq\":9,\"at\":8}\n"),
            ("{ \"at\": 8, \"seq\" : 8 }", "{ \"at\": 8, \"seq\" : 9 }"),
            (r#"{"x":{"seq":8},"seq":8}"#, r#"{"x":{"seq":8},"seq":9}"#),
        ] {
            assert_eq!(renumbered(line.as_bytes(), 9), expected);
        }
    }
}
