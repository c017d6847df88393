//! Repairing a journal that is damaged in the middle.
//!
//! Everything that can be read is [mended](forkhestra_core::machine::mend) and written to a new file,
//! which takes the place of the journal in one step. The damaged one is kept beside it, so there is a
//! journal at every moment, and nothing is lost that a person could still make sense of.

mod found_line;
mod found_lines;
mod replace;
mod report;
mod sequence;

use std::fs;
use std::path::{Path, PathBuf};

use forkhestra_core::machine::{Mended, mend};
use forkhestra_core::time::Timestamp;

use crate::error::FileError;
use crate::format::Version;
use crate::journal_lock::JournalLock;
use crate::lock::Hold;
use found_lines::FoundLines;

pub use report::{DroppedLine, InferredEvent, Repaired};

/// Why a journal cannot be repaired. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// The line that holds the plan cannot be read.
    #[error("{} cannot be repaired: its first line is lost, which held the plan of the run", path.display())]
    NoPlan {
        /// The journal.
        path: PathBuf,
    },
    /// It was written by a newer version, whose lines we would misunderstand.
    #[error("{} is written in format {found}, and {} is the newest that can be repaired", path.display(), Version::CURRENT)]
    NewerFormat {
        /// The journal.
        path: PathBuf,
        /// Its version.
        found: Version,
    },
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Whether a journal can be repaired, and what would become of it. Nothing is changed.
pub fn examine(path: &Path) -> Result<Repaired, RepairError> {
    let bytes = fs::read(path).map_err(FileError::of("read", path))?;
    let (found, mended) = mended(path, &bytes)?;
    Ok(Repaired::new(&found, &mended))
}

/// Repairs the journal of a run that nobody else writes. Afterwards the lock is that of the new file.
pub fn repair(
    lock: &mut JournalLock,
    hold: &Hold,
    now: Timestamp,
) -> Result<Repaired, RepairError> {
    let run = lock.run().clone();
    hold.check(&run.work_tree())?;
    let path = run.journal();
    let bytes = fs::read(&path).map_err(FileError::of("read", &path))?;
    let (found, mended) = mended(&path, &bytes)?;
    let mut repaired = Repaired::new(&found, &mended);
    let content = sequence::written(&found, &mended, &repaired, now);
    repaired.original = replace::replace(lock, &content, now)?;
    Ok(repaired)
}

fn mended<'a>(path: &Path, bytes: &'a [u8]) -> Result<(FoundLines<'a>, Mended), RepairError> {
    let found = FoundLines::read(bytes);
    let path = path.to_owned();
    if let Some(found) = found.format.filter(|format| !format.is_writable()) {
        return Err(RepairError::NewerFormat { path, found });
    }
    match mend(&found.readable()) {
        Ok(mended) => Ok((found, mended)),
        Err(_) => Err(RepairError::NoPlan { path }),
    }
}
