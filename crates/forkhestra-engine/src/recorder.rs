//! Recording what agents do, for whoever wants to play it back one day.

use std::path::Path;
use std::time::{Duration, Instant};

use forkhestra_core::cost::Spend;
use forkhestra_core::event::{AgentEnd, Ending, EventKind, Heard, OutcomeClass};
use forkhestra_core::id::UnitId;

use crate::active::Active;
use crate::dispatcher::Dispatcher;
use crate::effects::Effects;

/// Records what agents do. What they print it gets from the [`Logs`](crate::Logs) of the same caller.
///
/// A recorder that fails does no harm: a person is told why, and the unit is not recorded.
pub trait Recorder: Send + Sync {
    /// Where it writes. What is there is no work of agents, even inside the work tree.
    fn place(&self) -> &Path;

    /// An agent is about to be started.
    fn begin(&self, unit: UnitId) -> Result<(), String>;

    /// An agent is gone, with everything it started. All that it printed has been kept, and nothing has
    /// changed since.
    fn end(&self, unit: UnitId, deeds: Deeds) -> Result<(), String>;
}

/// What an agent did, its output excepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deeds {
    /// How it ended.
    pub end: AgentEnd,
    /// How long it took until everything that it had started was gone.
    pub duration: Duration,
    /// Why we ended it, if we did.
    pub ending: Option<Ending>,
    /// How it went, if it is one that we understand.
    pub class: Option<OutcomeClass>,
    /// What it says it has spent.
    pub spend: Option<Spend>,
    /// What it made of the repository, or why nobody knows.
    pub effects: Result<Effects, String>,
}

/// What is known of an agent before anybody has looked at the repository.
#[derive(Debug)]
pub(crate) struct Gone {
    pub(crate) end: AgentEnd,
    pub(crate) duration: Duration,
    pub(crate) ending: Option<Ending>,
    pub(crate) class: Option<OutcomeClass>,
    pub(crate) spend: Option<Spend>,
}

/// How far the recording of the agent at work is.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// It can be started, and is, at this time.
    begun: Option<(UnitId, Instant)>,
    /// Why we end it.
    ending: Option<Ending>,
}

impl Dispatcher<'_> {
    /// Begins to record an agent that is to be started, if somebody wants that. A message will tell.
    pub(crate) fn begin_recording(&mut self, unit: UnitId) {
        self.recording = Progress::default();
        if self.setting.recorder.is_none() || !self.looker.begin_recording(unit) {
            self.recording_begun(unit);
        }
    }

    pub(crate) fn recording_begun(&mut self, unit: UnitId) {
        self.recording.begun = Some((unit, Instant::now()));
    }

    /// Whether an agent need not wait for its recording to begin.
    pub(crate) fn is_recording(&self, unit: UnitId) -> bool {
        self.recording.begun.is_some_and(|(begun, _)| begun == unit)
    }

    /// Takes note of what is worth recording.
    pub(crate) fn note_for_recording(&mut self, kind: &EventKind) {
        if let EventKind::AgentEnding { why, .. } = kind {
            self.recording.ending = Some(*why);
        }
    }

    /// Has what an agent did recorded, now that it is gone. Whatever is asked for next comes after it.
    pub(crate) fn end_recording(&mut self, unit: UnitId, active: &Active, heard: Option<&Heard>) {
        let (Some(_), Some(end)) = (&self.setting.recorder, active.end.clone()) else { return };
        let gone = Gone {
            end,
            duration: self.recording.begun.map(|(_, began)| began.elapsed()).unwrap_or_default(),
            ending: self.recording.ending,
            class: heard.map(|heard| heard.outcome.class),
            spend: self.machine.state().steps[unit.step - 1].spending,
        };
        self.looker.end_recording(unit, gone);
    }
}
