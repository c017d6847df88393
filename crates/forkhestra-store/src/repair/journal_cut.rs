//! Finds the place where a damaged journal is cut.

use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::RunState;
use forkhestra_core::text;

use super::lost_iterations::LostIterations;
use crate::disk::file_error::FileError;
use crate::disk::reading;
use crate::format::{DecodeError, Line, LineHashes, Version};
use crate::journal::torn_tail::decoded;

/// Why a journal cannot be repaired. The file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// The line that holds the plan cannot be read, or was changed.
    #[error("{} cannot be repaired: its first line, which holds the plan of the run, cannot be read or was changed", path.display())]
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

/// Where a repair cuts a journal, and what the cut removes.
#[derive(Debug)]
pub struct JournalCut {
    /// The number of the first bad line, from one.
    pub line: usize,
    /// What is wrong with that line.
    pub why: String,
    /// The number of removed lines: the bad one and those after it.
    pub removed: usize,
    /// The state after the lines before the cut.
    pub state: RunState,
    /// Iterations that run again after the repair.
    pub run_again: LostIterations,
    /// The lines before the cut, without `end`.
    pub(super) kept: Vec<u8>,
    /// The last line before the cut if it is `run_finished`; empty otherwise.
    pub(super) end: String,
    /// Attempts that the lines before the cut record.
    pub(super) kept_units: Vec<UnitId>,
}

impl JournalCut {
    /// Reads a damaged journal and finds the first bad line: one that cannot be read, has a wrong
    /// number, or does not follow from the lines before it. Changes nothing.
    pub fn find(path: &Path) -> Result<Self, RepairError> {
        let mut bytes = Vec::new();
        let read = reading::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
        read.map_err(FileError::of("read", path))?;
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
        let mut chain = LineHashes::default();
        let mut fits = |index: usize| {
            let line = lines[index];
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            chain.check_line(text, format(&read[index])).map_err(|why| why.to_string())
        };
        fits(0).map_err(|_| RepairError::NoPlan { path: path() })?;
        let why_bad = |index: usize| {
            let is_complete = lines[index].ends_with(b"\n");
            let applied = apply_line(&mut state, &read[index], index, is_complete);
            applied.and_then(|()| fits(index)).err().map(|why| (index, why))
        };
        let bad = (1..lines.len()).find_map(why_bad);
        let Some((kept, why)) = bad else { return Err(RepairError::NotDamaged { path: path() }) };
        let is_end = |event: &Event| matches!(event.kind, EventKind::RunFinished { .. });
        let ends = event(&read[kept - 1]).is_some_and(is_end);
        let (before_end, end) = lines[..kept].split_at(kept - usize::from(ends));
        let kept_units =
            read[..kept].iter().filter_map(event).filter_map(|event| event.scope.unit());
        Ok(Self {
            line: kept + 1,
            why,
            removed: lines.len() - kept,
            run_again: LostIterations::of(&state, read[kept..].iter().filter_map(event)),
            state,
            kept: before_end.concat(),
            // A decoded line is UTF-8.
            end: String::from_utf8_lossy(&end.concat()).into_owned(),
            kept_units: kept_units.collect(),
        })
    }
}

/// `line 5 of the journal is not UTF-8; it was removed, with the 3 lines after it`.
impl fmt::Display for JournalCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, why, removed, .. } = self;
        write!(f, "line {line} of the journal {why}; it was removed")?;
        match removed - 1 {
            0 => Ok(()),
            after => write!(f, ", with the {} after it", text::count(after, "line")),
        }
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
    line.as_ref().ok()?.event.as_ref()
}

/// The first event, if it holds the plan.
fn first_event(lines: &[Result<Line, DecodeError>]) -> Option<&Event> {
    let line = lines.first()?;
    let is_start = |event: &&Event| matches!(event.kind, EventKind::RunStarted { .. });
    format(line).and(event(line)).filter(is_start)
}

/// Applies a line to the state, or returns what is wrong with it.
fn apply_line(
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
    match &line.event {
        Some(event) => state.apply(event).map_err(|misfit| misfit.to_string()),
        None => Ok(()),
    }
}
