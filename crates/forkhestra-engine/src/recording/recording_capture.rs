//! Captures the state of the repository before and after an agent, for the recorder.

use std::sync::Arc;

use forkhestra_core::id::UnitId;
use forkhestra_core::recording::{RecordedEffects, RecordedState};

use crate::effects::{EffectsError, EffectsFiles, capture, state_of};
use crate::recording::unit_recorder::{UnitOutcome, UnitRecorder};
use crate::run_loop::operator_notices::OperatorNotices;
use crate::work_tree::WorkTree;

/// Captures the changes of the running agent.
pub(crate) struct RecordingCapture {
    recorder: Option<Arc<dyn UnitRecorder>>,
    notices: OperatorNotices,
    /// The agent that is recorded, and the state before it.
    begun: Option<(UnitId, Result<Option<RecordedState>, EffectsError>)>,
}

impl RecordingCapture {
    pub(crate) const fn new(
        recorder: Option<Arc<dyn UnitRecorder>>,
        notices: OperatorNotices,
    ) -> Self {
        Self { recorder, notices, begun: None }
    }

    /// Captures the state before an agent.
    pub(crate) fn begin(&mut self, tree: &mut WorkTree, unit: UnitId) {
        let Some(recorder) = &self.recorder else { return };
        let before = state_of(tree);
        self.begun = match recorder.begin(unit) {
            Ok(()) => Some((unit, before)),
            Err(why) => {
                self.notices.report_once([not_recorded(unit, &why)]);
                None
            }
        };
    }

    /// Captures and records the changes of an agent.
    pub(crate) fn end(&mut self, tree: &mut WorkTree, unit: UnitId, outcome: UnitOutcome) {
        let (Some(recorder), Some((begun, before))) = (&self.recorder, self.begun.take()) else {
            return;
        };
        if begun != unit {
            return;
        }
        let effects = match effects(tree, before) {
            Ok(captured) => {
                let why = captured.0.inexact_because.as_ref();
                let say =
                    |why| format!("the recording of {} is not exact: {why}", unit_label(unit));
                self.notices.report_once(why.map(say));
                Ok(captured)
            }
            // The run is over: the unit stays incomplete.
            Err(EffectsError::Over) => return,
            Err(error @ EffectsError::NoRepository(_)) => {
                self.notices.report_once([format!("only what agents print is recorded: {error}")]);
                Err(error.to_string())
            }
            Err(error) => {
                let what = format!("what {} made of the files is not recorded", unit_label(unit));
                self.notices.report_once([format!("{what}: {error}")]);
                Err(error.to_string())
            }
        };
        if let Err(why) = recorder.end(unit, outcome, effects) {
            self.notices.report_once([not_recorded(unit, &why)]);
        }
    }
}

fn effects(
    tree: &mut WorkTree,
    before: Result<Option<RecordedState>, EffectsError>,
) -> Result<(RecordedEffects, EffectsFiles), EffectsError> {
    let after = state_of(tree)?;
    match (before?, after) {
        (Some(start), Some(end)) => capture(tree, start, end),
        (None, Some(_)) => Err(EffectsError::Git("there was no git repository before".to_owned())),
        (_, None) => Err(EffectsError::NoRepository(tree.places().directory.clone())),
    }
}

fn unit_label(unit: UnitId) -> String {
    format!("step {}, iteration {}", unit.step, unit.iteration)
}

fn not_recorded(unit: UnitId, why: &str) -> String {
    format!("{} is not recorded: {why}", unit_label(unit))
}
