//! What events say beside what they add up to.

use crate::event::{Completion, Ending, Errand, EventKind, Moment, Verdict};
use crate::hook::HookPoint;
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
            | EventKind::CheckFinished { .. }
            | EventKind::StepFinished { .. } => self.just_resumed = false,
            EventKind::ErrandStarted { errand, .. } => self.just_resumed &= is_of_end(*errand),
            // That an agent was cut off is only said when the run has been resumed.
            EventKind::IterationFinished { report, .. } => {
                self.just_resumed &= report.verdict == Verdict::Interrupted;
            }
            EventKind::AgentStarted { unit, .. } => self.started = Some(*unit),
            EventKind::CompletionRequested { unit, by } => {
                self.requested = Some((*unit, by.clone()));
            }
            EventKind::AgentEnding { unit, why } => self.ending = Some((*unit, *why)),
            EventKind::AgentFinished { .. }
            | EventKind::TasksChanged { .. }
            | EventKind::HookFinished { .. }
            | EventKind::Surveyed { .. }
            | EventKind::Spent { .. }
            | EventKind::StopRequested
            | EventKind::SkipRequested { .. }
            | EventKind::MessageQueued { .. }
            | EventKind::MessagesGiven { .. }
            | EventKind::LimitsChanged { .. }
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

    /// Whether an agent was ended because the run was cancelled.
    pub(super) fn is_cancelled(&self, unit: UnitId) -> bool {
        self.ending == Some((unit, Ending::Cancelled))
    }

    /// Why we ended an agent, unless it was only that the run was cancelled.
    pub(super) fn ending_of(&self, unit: UnitId) -> Option<Ending> {
        let (_, why) = self.ending.filter(|(of, _)| *of == unit)?;
        (why != Ending::Cancelled).then_some(why)
    }
}

/// Whether an errand belongs to the end of a run, which may come before any step goes on.
const fn is_of_end(errand: Errand) -> bool {
    match errand {
        Errand::Hook { moment: Moment { point, .. }, .. } => {
            !matches!(point, HookPoint::PreIteration | HookPoint::PostIteration)
        }
        Errand::Check { .. } | Errand::Setup { .. } => false,
    }
}
