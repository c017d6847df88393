//! Caches beside the journal of a finished run.
//!
//! A note holds a value that was made from the journal, together with the journal's length and a
//! digest of all of it. The note is valid while the journal has that length and that last line;
//! otherwise the journal is read. Notes can be deleted at any time.

use std::fs;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use forkhestra_core::text::digest::ContentHasher;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::disk::file_error::FileError;
use crate::disk::{files, reading};
use crate::format::{self, LineHash};
use crate::journal::journal_contents::JournalContents;
use crate::runs::run_dir::RunDir;

/// How many bytes at the end of a journal hold the last line's hash.
const MAX_HASH_SUFFIX: usize = 64;

/// A cache file beside the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SealedNote {
    journal_length: u64,
    /// A digest of the rest and of the last line's hash. Without it the note was changed, or an older version wrote it.
    #[serde(default)]
    seal: Option<String>,
    /// The text of the value, which the seal covers.
    run: Box<RawValue>,
}

/// The journal that a note is made for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NotedJournal {
    length: u64,
    hash: Option<LineHash>,
}

impl NotedJournal {
    /// The journal as it is now. The caller must hold its lock: another process could append before
    /// the length is known.
    pub(crate) fn now(run: &RunDir) -> Result<Self, FileError> {
        let journal = run.journal();
        let length = fs::metadata(&journal).map_err(FileError::of("read", &journal))?.len();
        let hash = last_hash(run).map_err(FileError::of("read", &journal))?;
        Ok(Self { length, hash })
    }

    /// The journal as it was read. If it has changed since, the note is invalid.
    pub(crate) fn read(recorded: &JournalContents) -> Self {
        Self { length: recorded.length_read(), hash: recorded.last_hash }
    }
}

/// Writes a note.
pub(crate) fn write<T: Serialize>(
    run: &RunDir,
    path: &Path,
    value: &T,
    journal: NotedJournal,
) -> Result<(), FileError> {
    let value = serde_json::value::to_raw_value(value).expect("texts and numbers are JSON");
    let seal = Some(seal(&value, journal.length, journal.hash));
    let note = SealedNote { journal_length: journal.length, seal, run: value };
    let text = serde_json::to_vec(&note).expect("texts and numbers are JSON");
    files::replace(run.disk(), path, &text)
}

/// The value of a note, if it is valid: written for a journal of this length and with this last line, and not changed.
pub(crate) fn read<T: DeserializeOwned>(run: &RunDir, path: &Path) -> Option<T> {
    let note: SealedNote = serde_json::from_slice(&reading::read(path).ok()?).ok()?;
    let length = fs::symlink_metadata(run.journal()).ok()?.len();
    if note.journal_length != length {
        return None;
    }
    let expected = seal(&note.run, length, last_hash(run).ok()?);
    if note.seal != Some(expected) {
        return None;
    }
    serde_json::from_str(note.run.get()).ok()
}

/// Removes a note.
pub(crate) fn remove(run: &RunDir, path: &Path) -> Result<(), FileError> {
    match run.disk().remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(FileError::of("remove", path)),
    }
}

/// The length of the journal when its run ended, as a note says. `None` without a file of this version.
pub(crate) fn noted_length(path: &Path) -> Option<u64> {
    let note: SealedNote = serde_json::from_slice(&reading::read(path).ok()?).ok()?;
    note.seal.map(|_| note.journal_length)
}

/// The digest that shows whether a value was changed.
fn seal(value: &RawValue, journal_length: u64, hash: Option<LineHash>) -> String {
    let mut hasher = ContentHasher::default();
    hasher.update(&journal_length.to_le_bytes());
    hasher.update(&hash.unwrap_or_default());
    hasher.update(value.get().as_bytes());
    hasher.finish().to_string()
}

/// The hash of the journal's last line, if it has one.
fn last_hash(run: &RunDir) -> io::Result<Option<LineHash>> {
    let journal = reading::open(&run.journal())?;
    let length = journal.metadata()?.len();
    let mut end = [0; MAX_HASH_SUFFIX];
    let start = length.saturating_sub(end.len() as u64);
    let read = journal.read_at(&mut end, start)?;
    let line = end[..read].strip_suffix(b"\n").unwrap_or_default();
    Ok(format::split(line).map(|(_, hash)| hash))
}
