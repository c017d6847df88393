//! The scope of an event.

use crate::id::UnitId;

/// The scope of an event: the whole run, a step, or one attempt of one iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventScope {
    Run,
    /// One-based.
    Step(usize),
    /// One attempt of one iteration.
    Unit(UnitId),
}

impl EventScope {
    /// The scope of a unit, or else the run.
    pub(super) const fn of_unit(unit: Option<UnitId>) -> Self {
        match unit {
            Some(unit) => Self::Unit(unit),
            None => Self::Run,
        }
    }

    /// The unit, if the scope is one.
    pub const fn unit(self) -> Option<UnitId> {
        match self {
            Self::Unit(unit) => Some(unit),
            Self::Run | Self::Step(_) => None,
        }
    }

    /// The step, also that of a unit.
    pub const fn step(self) -> Option<usize> {
        match self {
            Self::Run => None,
            Self::Step(step) => Some(step),
            Self::Unit(unit) => Some(unit.step),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{AuxJob, EventKind, HookMoment};
    use crate::hook::HookPoint;

    #[test]
    fn an_event_is_about_its_unit_or_its_step_or_the_run() {
        let unit = UnitId { step: 2, iteration: 3, attempt: 1 };
        let aux_job = |aux_job| EventKind::AuxJobStarted { aux_job, pid: 7 };
        let hook = |unit| {
            let moment = HookMoment { point: HookPoint::OnComplete, unit };
            aux_job(AuxJob::Hook { moment, number: 1 })
        };
        let table = [
            (EventKind::Paused, EventScope::Run, None),
            (EventKind::SkipRequested { group: None, step: 2 }, EventScope::Step(2), Some(2)),
            (EventKind::IterationStarted { unit, fallback: None }, EventScope::Unit(unit), Some(2)),
            (aux_job(AuxJob::Check { unit, number: 1 }), EventScope::Unit(unit), Some(2)),
            (hook(Some(unit)), EventScope::Unit(unit), Some(2)),
            (hook(None), EventScope::Run, None),
        ];
        for (kind, scope, step) in table {
            assert_eq!((kind.scope(), kind.scope().step()), (scope, step), "{kind:?}");
        }
    }
}
