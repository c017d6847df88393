//! Has recorded what agents do: looks at the repository before and after, and tells the recorder.

use std::sync::Arc;

use forkhestra_core::id::UnitId;

use crate::effects::{Effects, EffectsError, Mark, capture_with, mark_with};
use crate::notices::Notices;
use crate::recorder::{Deeds, Gone, Recorder};
use crate::work_tree::WorkTree;

/// Whoever writes down what agents do, between two looks.
pub(crate) struct Scribe {
    recorder: Option<Arc<dyn Recorder>>,
    notices: Notices,
    /// The agent that is recorded, and what was there before it.
    begun: Option<(UnitId, Result<Option<Mark>, EffectsError>)>,
}

impl Scribe {
    pub(crate) const fn new(recorder: Option<Arc<dyn Recorder>>, notices: Notices) -> Self {
        Self { recorder, notices, begun: None }
    }

    /// Sees what is there before an agent.
    pub(crate) fn begin(&mut self, tree: &mut WorkTree, unit: UnitId) {
        let Some(recorder) = &self.recorder else { return };
        let before = mark_with(tree);
        self.begun = match recorder.begin(unit) {
            Ok(()) => Some((unit, before)),
            Err(why) => {
                self.notices.extend([not_recorded(unit, &why)]);
                None
            }
        };
    }

    /// Sees what an agent made.
    pub(crate) fn end(&mut self, tree: &mut WorkTree, unit: UnitId, gone: Gone) {
        let (Some(recorder), Some((begun, before))) = (&self.recorder, self.begun.take()) else {
            return;
        };
        if begun != unit {
            return;
        }
        let effects = match effects(tree, before) {
            Ok(effects) => {
                let why = effects.why_inexact.as_ref();
                let say = |why| format!("the recording of {} is not exact: {why}", called(unit));
                self.notices.extend(why.map(say));
                Ok(effects)
            }
            // Half a truth is worse than none.
            Err(EffectsError::Over) => return,
            Err(EffectsError::NoRepository(directory)) => {
                let why = format!("{} is not in a git repository", directory.display());
                self.notices.extend([format!("only what agents print is recorded: {why}")]);
                Err(why)
            }
            Err(error) => {
                let what = format!("what {} made of the files is not recorded", called(unit));
                self.notices.extend([format!("{what}: {error}")]);
                Err(error.to_string())
            }
        };
        let Gone { end, duration, ending, class, spend } = gone;
        let deeds = Deeds { end, duration, ending, class, spend, effects };
        if let Err(why) = recorder.end(unit, deeds) {
            self.notices.extend([not_recorded(unit, &why)]);
        }
    }
}

fn effects(
    tree: &mut WorkTree,
    before: Result<Option<Mark>, EffectsError>,
) -> Result<Effects, EffectsError> {
    let after = mark_with(tree)?;
    match (before?, after) {
        (Some(start), Some(end)) => capture_with(tree, start, end),
        (None, Some(_)) => Err(EffectsError::Git("there was no git repository before".to_owned())),
        (_, None) => Err(EffectsError::NoRepository(tree.places().directory.clone())),
    }
}

fn called(unit: UnitId) -> String {
    format!("step {}, iteration {}", unit.step, unit.iteration)
}

fn not_recorded(unit: UnitId, why: &str) -> String {
    format!("{} is not recorded: {why}", called(unit))
}
