//! Mending: what is left of a damaged journal, made into events that follow from one another.
//!
//! Everything that can be read is kept if it can have happened. Where an event must have been there
//! and is not, the smallest one that explains the rest is inferred: an agent of iteration 4 was
//! started, so iteration 3 had an outcome, and must not be run again. What contradicts the rest is
//! dropped.
//!
//! Not everything can be told. The safe side is this: nothing is called complete that is not known
//! to be, and no iteration that is known to be finished is forgotten. In particular
//!
//! - an agent at work whose outcome is lost, with nothing after it that tells, was cut off;
//! - an outcome of which only is known that there was one brought nothing (`Incomplete`), so it may
//!   have been a crash in truth;
//! - an agent that runs once and of which only is known that it is over has failed: it is tried again
//!   only when somebody wants that;
//! - an agent whose work was being checked is checked again, or has brought nothing;
//! - limits that were changed by a resume that is lost, or by somebody while the run went on, are those
//!   of before, and what somebody said is lost with the line that says it;
//! - a step of which only is known that the next one began is complete, unless something is left that
//!   says that somebody skipped it;
//! - where the beginning of a step with a done file is lost, and nothing tells whether that file was
//!   there, the step begins again with what it has finished, so that an old file completes nothing.

mod check;
mod clues;
mod ends;
mod errands;
mod later;
mod outcome;
mod resume;

use std::time::Duration;

use super::state::{DoesNotFit, RunState};
use crate::event::{Event, EventKind, IterationReport, StepEnd, Verdict};
use crate::time::Timestamp;
use check::Missing;
use clues::Clues;

/// Inferred events beyond those that are known to be lost, in front of one event. Numbers of lines
/// may be wrong, too, but a wrong number alone must not make up a whole run.
const SLACK: usize = 4;

/// An event that could be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Readable {
    /// The event.
    pub event: Event,
    /// How many events in front of it are known to be lost.
    pub lost_before: usize,
}

/// One event of a mended journal.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// The event that could be read at this index.
    Kept(usize),
    /// An event that must have been there.
    Inferred(Box<Event>),
}

/// An event that cannot have happened, given the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropped {
    /// Its index.
    pub index: usize,
    /// Why not.
    pub why: &'static str,
}

/// A mended journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Mended {
    /// Its events, in order.
    pub pieces: Vec<Piece>,
    /// What is left out.
    pub dropped: Vec<Dropped>,
    /// What the events add up to.
    pub state: RunState,
}

/// Mends what could be read. The first event must be the one that holds the plan: without it nothing
/// can be mended.
pub fn mend(readable: &[Readable]) -> Result<Mended, DoesNotFit> {
    let first = readable.first().map(|first| &first.event);
    let mut mender = Mender::new(readable, first.ok_or(DoesNotFit("there is no event"))?)?;
    (1..readable.len()).for_each(|index| mender.take(index));
    let Mender { pieces, dropped, state, .. } = mender;
    Ok(Mended { pieces, dropped, state })
}

struct Mender<'a> {
    readable: &'a [Readable],
    state: RunState,
    clues: Clues,
    pieces: Vec<Piece>,
    dropped: Vec<Dropped>,
    /// Events that are known to be lost and that nothing was inferred for.
    lost: usize,
}

impl<'a> Mender<'a> {
    fn new(readable: &'a [Readable], first: &Event) -> Result<Self, DoesNotFit> {
        let state = RunState::begin(first)?;
        let clues = Clues::new(&first.kind);
        let pieces = vec![Piece::Kept(0)];
        Ok(Self { readable, state, clues, pieces, dropped: Vec::new(), lost: 0 })
    }

    /// Finds a place for an event, with everything that must have been in front of it.
    fn take(&mut self, index: usize) {
        let Readable { event, lost_before } = &self.readable[index];
        self.lost += lost_before;
        let mut before = Vec::new();
        let mut saved = None;
        let refused = loop {
            match self.check(index, &event.kind) {
                Ok(()) => break None,
                Err(Missing::NoPlace(why)) => break Some(why),
                Err(Missing::Before(_)) if before.len() >= self.lost + SLACK => {
                    break Some("more would be missing than was lost");
                }
                Err(Missing::Before(kind)) => {
                    saved.get_or_insert_with(|| (self.state.clone(), self.clues.clone()));
                    let inferred = self.inferred(event, *kind);
                    before.push(inferred.clone());
                    if self.add(&inferred).is_err() {
                        break Some("what it needs does not fit");
                    }
                }
            }
        };
        let refused = refused.or_else(|| self.needs_proof(&before)).or_else(|| {
            let misfit = self.add(event).is_err();
            misfit.then_some("it does not fit what happened before")
        });
        match (refused, saved) {
            (None, _) => {
                self.lost = self.lost.saturating_sub(before.len());
                self.pieces.extend(before.into_iter().map(Box::new).map(Piece::Inferred));
                self.pieces.push(Piece::Kept(index));
            }
            (Some(why), saved) => {
                if let Some((state, clues)) = saved {
                    (self.state, self.clues) = (state, clues);
                }
                self.dropped.push(Dropped { index, why });
            }
        }
    }

    /// Nothing is called complete because of a number that may be a wrong one. A step whose last
    /// outcome can be read, and was that it is done, is complete whatever the numbers are.
    fn needs_proof(&self, before: &[Event]) -> Option<&'static str> {
        let is_inferred = |step: usize| {
            let is_outcome = |event: &Event| matches!(&event.kind, EventKind::IterationFinished { unit, .. } if unit.step == step);
            let last = self.state.steps[step - 1].last.as_ref().map(|report| &report.verdict);
            before.iter().any(is_outcome) || !matches!(last, Some(Verdict::Complete(_)))
        };
        let completes = |event: &Event| match &event.kind {
            EventKind::StepFinished { step, end: StepEnd::Complete(_) } => is_inferred(*step),
            _ => false,
        };
        let is_doubtful = before.len() > self.lost && before.iter().any(completes);
        is_doubtful.then_some("the steps before it are not known to be complete")
    }

    fn add(&mut self, event: &Event) -> Result<(), DoesNotFit> {
        self.state.apply(event)?;
        self.clues.note(&event.kind);
        Ok(())
    }

    /// What was lost happened at the latest when the next thing happened; but before the run was
    /// resumed, nothing did for a long time.
    fn inferred(&self, next: &Event, kind: EventKind) -> Event {
        let (at, elapsed) = match next.kind {
            EventKind::RunResumed { .. } => (self.last_moment(), self.state.elapsed),
            _ => (next.at, self.state.elapsed.max(next.elapsed)),
        };
        Event { at, elapsed, kind: self.with_what_is_known(kind, elapsed) }
    }

    fn last_moment(&self) -> Timestamp {
        let moment = |piece: &Piece| match piece {
            Piece::Kept(index) => self.readable[*index].event.at,
            Piece::Inferred(event) => event.at,
        };
        self.pieces.last().map(moment).unwrap_or_default()
    }

    fn with_what_is_known(&self, mut kind: EventKind, elapsed: Duration) -> EventKind {
        let (unit, report) = match &mut kind {
            EventKind::IterationFinished { unit, report }
            | EventKind::AgentFinished { unit, report } => (*unit, report),
            _ => return kind,
        };
        let step = &self.state.steps[unit.step - 1];
        match step.unchecked.as_deref() {
            Some((unchecked, known)) if *unchecked == unit => {
                let verdict = report.verdict.clone();
                let end = report.end.clone().or_else(|| known.end.clone());
                *report = IterationReport { verdict, end, ..known.clone() };
            }
            _ => {
                report.duration = elapsed.saturating_sub(step.started);
                report.spend = step.spending;
            }
        }
        kind
    }
}
