//! What an agent made of the work tree, made again.

use std::ffi::OsString;
use std::path::Path;

use forkhestra_engine::effects::{CommitEffect, Effects, EffectsError, Mark, apply, check};
use forkhestra_engine::signal::HeldOff;
use forkhestra_store::recording::{
    CommitRecord, EffectsRecord, MarkRecord, RecordingError, UnitRecording,
};

use super::trouble::Trouble;
use crate::error::in_full;

/// Where something is played.
pub(crate) struct Here<'a> {
    /// The working directory.
    pub(crate) directory: &'a Path,
    /// What is in the work tree and is no work.
    pub(crate) ours: &'a [&'a Path],
    /// What git is asked with.
    pub(crate) environment: &'a [(OsString, OsString)],
}

/// Whether what an agent made is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    /// The work tree is what it was before.
    NotYet,
    /// It is what it was afterwards.
    Already,
}

/// Sees to it that a unit can be played here, or says why not. If an earlier try was cut off, its
/// effects may be there already.
pub(crate) fn fits(unit: &UnitRecording, here: &Here<'_>, again: bool) -> Result<(), String> {
    let Some(effects) = &unit.record.effects else { return Ok(()) };
    compare(effects, here, again).map(|_| ()).map_err(|error| refusal(&error))
}

/// Makes of the work tree what the agent made of it, all of it or nothing.
pub(super) fn make(unit: &UnitRecording, here: &Here<'_>, again: bool) -> Result<(), Trouble> {
    let Some(record) = &unit.record.effects else { return Ok(()) };
    let cannot = |error: EffectsError| Trouble::Cannot(refusal(&error));
    if compare(record, here, again).map_err(cannot)? == Made::Already {
        return Ok(());
    }
    let effects = effects(unit, record)?;
    // Whoever ends us now would leave half of it. What git was doing is taken back if git is ended.
    let _held_off = HeldOff::begin().map_err(|error| Trouble::Cannot(error.to_string()))?;
    apply(here.directory, &effects, here.ours, here.environment).map_err(cannot)
}

fn compare(record: &EffectsRecord, here: &Here<'_>, again: bool) -> Result<Made, EffectsError> {
    let (start, end) = (mark(&record.start), mark(&record.end));
    match check(here.directory, &start, here.ours, here.environment) {
        // A commit of what was there before changes no file.
        Ok(now) if again && now.tree == end.tree && now.head == end.head => Ok(Made::Already),
        Ok(_) => Ok(Made::NotYet),
        Err(EffectsError::OtherTree { found, .. }) if again && found == end.tree => {
            Ok(Made::Already)
        }
        Err(error) => Err(error),
    }
}

fn refusal(error: &EffectsError) -> String {
    match error {
        EffectsError::OtherTree { .. } => format!("the recording does not fit: {}", in_full(error)),
        _ => in_full(error),
    }
}

fn effects(unit: &UnitRecording, record: &EffectsRecord) -> Result<Effects, RecordingError> {
    let file = |name: &Option<String>| name.as_ref().map(|name| unit.file(name)).transpose();
    Ok(Effects {
        start: mark(&record.start),
        end: mark(&record.end),
        commits: record
            .commits
            .iter()
            .map(|commit| self::commit(unit, commit))
            .collect::<Result<_, _>>()?,
        moves_head: record.moves_head,
        staged: file(&record.staged)?,
        rest: file(&record.rest)?,
        why_inexact: record.inexact_because.clone(),
    })
}

fn mark(record: &MarkRecord) -> Mark {
    let MarkRecord { head, branch, index, tree, left_out } = record.clone();
    Mark { head, branch, index, tree, left_out }
}

fn commit(unit: &UnitRecording, record: &CommitRecord) -> Result<CommitEffect, RecordingError> {
    let CommitRecord { id, parents, tree, subject, object, patch } = record.clone();
    let object = unit.file(&object)?;
    let patch = patch.map(|patch| unit.file(&patch)).transpose()?;
    Ok(CommitEffect { id, parents, tree, subject, object, patch })
}
