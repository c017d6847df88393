//! What became of the lines of a damaged journal.

use std::fmt;
use std::path::PathBuf;

use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::machine::{Mended, Piece};
use forkhestra_core::words;

use super::found_line::FoundLine;
use super::found_lines::FoundLines;
use crate::format::DecodeError;
use crate::format::events::Body;

/// More than anybody wants to read in one line.
const MOST_TOLD: usize = 20;

/// What became of the lines of a damaged journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// Where the damaged journal is kept.
    pub original: PathBuf,
    /// Lines that are not in the new journal.
    pub dropped: Vec<DroppedLine>,
    /// How many lines were not even there as damaged ones.
    pub vanished: u64,
    /// Events that must have been there.
    pub inferred: Vec<InferredEvent>,
}

/// A line that is not in the new journal.
#[derive(Debug, Clone, PartialEq)]
pub struct DroppedLine {
    /// Its number, from one.
    pub line: u64,
    /// What it said, if that is known.
    pub event: Option<Event>,
    /// Why it was dropped.
    pub why: String,
    pub(super) is_empty: bool,
}

/// An event that must have been there.
#[derive(Debug, Clone, PartialEq)]
pub struct InferredEvent {
    /// The event.
    pub event: Event,
    /// The number of the line that tells so, from one.
    pub before_line: u64,
}

impl Repaired {
    pub(super) fn new(found: &FoundLines<'_>, mended: &Mended) -> Self {
        let known: Vec<(&FoundLine<'_>, &Event)> = found.known().collect();
        let mut dropped = found.dropped.clone();
        dropped.extend(
            mended.dropped.iter().map(|drop| DroppedLine::misplaced(known[drop.index].0, drop.why)),
        );
        dropped.sort_by_key(|dropped| dropped.line);
        let mut inferred = Vec::new();
        let mut before_line = 0;
        for piece in mended.pieces.iter().rev() {
            match piece {
                Piece::Kept(index) => before_line = known[*index].0.number,
                Piece::Inferred(event) => {
                    inferred.push(InferredEvent { event: Event::clone(event), before_line });
                }
            }
        }
        inferred.reverse();
        Self { original: PathBuf::new(), dropped, vanished: found.vanished(), inferred }
    }
}

/// In one line, for the journal itself.
impl fmt::Display for Repaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the journal was damaged and has been repaired")?;
        let dropped: Vec<String> = self.dropped.iter().map(ToString::to_string).collect();
        if !dropped.is_empty() {
            write!(f, "; dropped: {}", listed(dropped))?;
        }
        if self.vanished > 0 {
            let lines = usize::try_from(self.vanished).unwrap_or(usize::MAX);
            write!(f, "; {} missing", words::count(lines, "line"))?;
        }
        let inferred: Vec<String> = self.inferred.iter().map(ToString::to_string).collect();
        if !inferred.is_empty() {
            write!(f, "; inferred: {}", listed(inferred))?;
        }
        Ok(())
    }
}

fn listed(mut items: Vec<String>) -> String {
    let more = items.len().saturating_sub(MOST_TOLD);
    items.truncate(MOST_TOLD);
    if more > 0 {
        items.push(format!("{more} more"));
    }
    items.join(", ")
}

impl DroppedLine {
    pub(super) fn unreadable(line: u64, bytes: &[u8], why: &DecodeError) -> Self {
        Self { line, event: None, why: why.to_string(), is_empty: bytes.is_empty() }
    }

    pub(super) fn misplaced(line: &FoundLine<'_>, why: &str) -> Self {
        let (event, why) = (line.event.clone(), why.to_owned());
        Self { line: line.number, event, why, is_empty: false }
    }
}

/// `line 5 (is not UTF-8)`, or `line 5, iteration_finished of 1.3.1 (the iteration was over)`.
impl fmt::Display for DroppedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(event) = &self.event {
            write!(f, ", {}", called(&event.kind))?;
        }
        write!(f, " ({})", self.why)
    }
}

/// `iteration_finished of 1.3.1 before line 9`.
impl fmt::Display for InferredEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} before line {}", called(&self.event.kind), self.before_line)
    }
}

/// The name of an event, and what it is about.
fn called(kind: &EventKind) -> String {
    let name = Body::from(kind).name();
    match kind {
        EventKind::IterationStarted { unit }
        | EventKind::AgentStarted { unit, .. }
        | EventKind::CompletionRequested { unit, .. }
        | EventKind::AgentEnding { unit, .. }
        | EventKind::Spent { unit, .. }
        | EventKind::AgentFinished { unit, .. }
        | EventKind::TasksChanged { unit, .. }
        | EventKind::CheckFinished { unit, .. }
        | EventKind::IterationFinished { unit, .. } => format!("{name} of {unit}"),
        EventKind::ErrandStarted { errand, .. } => format!("{name} of {errand}"),
        EventKind::StepStarted { step, .. }
        | EventKind::BackingOff { step, .. }
        | EventKind::Waiting { step, .. }
        | EventKind::Surveyed { step, .. }
        | EventKind::StepFinished { step, .. } => format!("{name} of step {step}"),
        _ => name.to_owned(),
    }
}
