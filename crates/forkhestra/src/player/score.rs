//! What is played: how much of the output, and when the work tree changes.

use std::io;
use std::path::Path;

use forkhestra_core::plan::{Fault, FaultKind};
use forkhestra_core::words;
use forkhestra_store::recording::RecordedStream;

use super::outline::Outline;
use super::trouble::Trouble;

/// What is played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Score {
    /// So many bytes of the standard output are printed before a fault ends it.
    pub(super) stop_at: Option<u64>,
    /// After so many bytes of the standard output the work tree becomes what it became. That is
    /// before the last line, so that whoever reads it finds what was done.
    pub(super) effects_at: u64,
}

impl Score {
    /// The score of a unit, with what goes wrong in it.
    pub(crate) fn of(unit: &Path, fault: Option<FaultKind>) -> Result<Self, Trouble> {
        let wanted = fault.and_then(line_of);
        let path = unit.join(RecordedStream::Stdout.file());
        let outline = Outline::of_file(&path, wanted).map_err(|error: io::Error| {
            Trouble::Cannot(format!("{} cannot be read: {error}", path.display()))
        })?;
        let stop_at = match (wanted, outline.wanted.clone()) {
            (Some(wanted), None) => return Err(Trouble::Cannot(no_such_line(wanted, &outline))),
            (None, _) => None,
            (Some(_), Some(line)) => Some(match fault {
                Some(FaultKind::Truncate(_)) => line.start + (line.end - line.start) / 2,
                _ => line.start,
            }),
        };
        Ok(Self { stop_at, effects_at: outline.last_line })
    }
}

/// Says why a fault cannot happen in a unit, if it cannot.
pub(crate) fn check_fault(unit: &Path, fault: Fault) -> Result<(), String> {
    match Score::of(unit, Some(fault.kind)) {
        Ok(_) | Err(Trouble::OutputClosed) => Ok(()),
        Err(Trouble::Cannot(why)) => Err(format!("the fault `{fault}` cannot happen: {why}")),
    }
}

/// The line that a fault is about.
fn line_of(fault: FaultKind) -> Option<u32> {
    match fault {
        FaultKind::Limit(line) | FaultKind::Truncate(line) | FaultKind::Crash(line) => {
            Some(line.get())
        }
        FaultKind::Hang => None,
    }
}

fn no_such_line(wanted: u32, outline: &Outline) -> String {
    let lines = usize::try_from(outline.lines).unwrap_or(usize::MAX);
    format!("there is no line {wanted}, the recorded output has {}", words::count(lines, "line"))
}
