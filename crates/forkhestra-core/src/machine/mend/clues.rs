//! What events say beside what they add up to.

use crate::event::{Completion, Ending, EventKind};
use crate::id::UnitId;

/// What is known of the agent at work, and of the life that the run is in.
#[derive(Debug, Clone)]
pub(super) struct Clues {
    /// The last agent that was started.
    pub(super) started: Option<UnitId>,
    /// The last one that said it was done.
    requested: Option<(UnitId, Completion)>,
    /// The last one that we began to end.
    ending: Option<(UnitId, Ending)>,
    /// The run was resumed, and nothing has happened to its steps since.
    pub(super) just_resumed: bool,
    /// The version of the program.
    pub(super) program: String,
}

impl Clues {
    pub(super) fn new(first: &EventKind) -> Self {
        let mut clues = Self {
            started: None,
            requested: None,
            ending: None,
            just_resumed: false,
            program: String::new(),
        };
        clues.note(first);
        clues
    }

    pub(super) fn note(&mut self, kind: &EventKind) {
        match kind {
            EventKind::RunStarted { program, .. } => self.program.clone_from(program),
            EventKind::RunResumed { program, .. } => {
                self.program.clone_from(program);
                self.just_resumed = true;
            }
            EventKind::StepStarted { .. }
            | EventKind::IterationStarted { .. }
            | EventKind::BackingOff { .. }
            | EventKind::Waiting { .. }
            | EventKind::StepFinished { .. } => self.just_resumed = false,
            EventKind::AgentStarted { unit, .. } => self.started = Some(*unit),
            EventKind::CompletionRequested { unit, by } => {
                self.requested = Some((*unit, by.clone()));
            }
            EventKind::AgentEnding { unit, why } => self.ending = Some((*unit, *why)),
            EventKind::IterationFinished { .. }
            | EventKind::Spent { .. }
            | EventKind::Cancelled { .. }
            | EventKind::Paused
            | EventKind::Continued
            | EventKind::MachineSlept { .. }
            | EventKind::Warning { .. }
            | EventKind::RunFinished { .. } => {}
        }
    }

    /// How an agent said that it was done.
    pub(super) fn request_of(&self, unit: UnitId) -> Option<&Completion> {
        self.requested.as_ref().filter(|(of, _)| *of == unit).map(|(_, by)| by)
    }

    /// Why we ended an agent, unless it was only that the run was cancelled.
    pub(super) fn ending_of(&self, unit: UnitId) -> Option<Ending> {
        let (_, why) = self.ending.filter(|(of, _)| *of == unit)?;
        (why != Ending::Cancelled).then_some(why)
    }
}
