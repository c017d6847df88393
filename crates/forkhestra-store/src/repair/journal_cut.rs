//! Finds the place where a damaged journal is cut.

use std::path::{Path, PathBuf};

use forkhestra_core::event::{Event, EventKind, EventScope};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::RunState;

use super::lost_iterations::LostIterations;
use crate::disk::file_error::FileError;
use crate::format::{DecodeError, Decoded, Line, Version};
use crate::journal::torn_tail::decoded;

/// Why a journal cannot be repaired. The file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// The line that holds the plan cannot be read.
    #[error("{} cannot be repaired: its first line, which holds the plan of the run, cannot be read", path.display())]
    NoPlan { path: PathBuf },
    /// A newer version of the program wrote lines of it.
    #[error("{} is written in format {found}, and {} is the newest that can be repaired", path.display(), Version::CURRENT)]
    NewerFormat { path: PathBuf, found: Version },
    /// Every line can be read and follows from those before it.
    #[error("{} is not damaged", path.display())]
    NotDamaged { path: PathBuf },
    #[error(transparent)]
    File(#[from] FileError),
}

/// Where a journal is cut, and what the cut removes.
#[derive(Debug)]
pub(super) struct JournalCut {
    /// The state after the lines before the cut.
    pub(super) state: RunState,
    /// The number of lines before the cut.
    pub(super) lines: u64,
    /// Their length in bytes.
    pub(super) length: usize,
    /// What is wrong with the first line after the cut.
    pub(super) why: String,
    /// The number of lines after the cut.
    pub(super) removed: u64,
    /// Iterations that only the removed lines record.
    pub(super) lost: LostIterations,
    /// Attempts that the lines before the cut record.
    pub(super) kept_units: Vec<UnitId>,
}

impl JournalCut {
    /// Finds the first bad line: one that cannot be read, has a wrong number, or does not follow
    /// from the lines before it.
    pub(super) fn find(path: &Path, bytes: &[u8]) -> Result<Self, RepairError> {
        let path = || path.to_owned();
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let read: Vec<Result<Line, DecodeError>> =
            lines.iter().map(|line| decoded(line.strip_suffix(b"\n").unwrap_or(line))).collect();
        if let Some(found) =
            read.iter().filter_map(format).max().filter(|found| !found.is_writable())
        {
            return Err(RepairError::NewerFormat { path: path(), found });
        }
        let mut state = first_event(&read)
            .and_then(|first| RunState::begin(first).ok())
            .ok_or_else(|| RepairError::NoPlan { path: path() })?;
        let why_bad = |index: usize| {
            let is_complete = lines[index].ends_with(b"\n");
            follow(&mut state, &read[index], index, is_complete).err().map(|why| (index, why))
        };
        let bad = (1..lines.len()).find_map(why_bad);
        let Some((kept, why)) = bad else { return Err(RepairError::NotDamaged { path: path() }) };
        let removed = read[kept..].iter().filter_map(event);
        let lost = LostIterations::of(&state, removed);
        let kept_units = read[..kept].iter().filter_map(event).filter_map(unit).collect();
        Ok(Self {
            kept_units,
            state,
            lines: kept as u64,
            length: lines[..kept].iter().map(|line| line.len()).sum(),
            why,
            removed: (lines.len() - kept) as u64,
            lost,
        })
    }
}

fn format(line: &Result<Line, DecodeError>) -> Option<Version> {
    match line {
        Ok(line) => line.format,
        Err(DecodeError::NewerFormat { found }) => Some(*found),
        Err(_) => None,
    }
}

fn event(line: &Result<Line, DecodeError>) -> Option<&Event> {
    match line {
        Ok(Line { decoded: Decoded::Known(event), .. }) => Some(event),
        _ => None,
    }
}

fn unit(event: &Event) -> Option<UnitId> {
    match event.scope() {
        EventScope::Unit(unit) => Some(unit),
        EventScope::Run | EventScope::Step(_) => None,
    }
}

/// The first event, if it holds the plan.
fn first_event(lines: &[Result<Line, DecodeError>]) -> Option<&Event> {
    let line = lines.first()?;
    let is_start = |event: &&Event| matches!(event.kind, EventKind::RunStarted { .. });
    format(line).and(event(line)).filter(is_start)
}

/// Applies a line to the state, or returns what is wrong with it.
fn follow(
    state: &mut RunState,
    line: &Result<Line, DecodeError>,
    index: usize,
    is_complete: bool,
) -> Result<(), String> {
    let line = line.as_ref().map_err(ToString::to_string)?;
    if !is_complete {
        return Err("is not complete".to_owned());
    }
    if line.seq != index as u64 {
        return Err(format!("has the number {} instead of {index}", line.seq));
    }
    match &line.decoded {
        Decoded::Known(event) => state.apply(event).map_err(|misfit| misfit.to_string()),
        Decoded::Unknown(_) => Ok(()),
    }
}
