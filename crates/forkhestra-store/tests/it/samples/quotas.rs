//! Sample events of version 2.3: what agents tell of their accounts, and limits of it.

use forkhestra_core::config::Backend;
use forkhestra_core::event::{
    Event, EventKind, LimitChanges, Observation, RunEnd, StepEnd, WaitCause,
};
use forkhestra_core::limit::Limit;
use forkhestra_core::plan::{Sourced, ValueOrigin};
use forkhestra_core::quota::{ExceededQuota, QuotaThreshold, QuotaWindow};
use forkhestra_core::time::Timestamp;

use super::{event, iteration_finished, iteration_started, plan, started_with, unit};
use crate::temporary_dir::timestamp;

/// A run that waits for its account, and then ends because it would have to wait too long.
pub(crate) fn samples() -> Vec<Event> {
    let mut plan = plan();
    let quota = Limit::parse("5h=90%,7d=even").expect("it is a quota");
    plan.steps[0].limits.quota = Sourced::new(quota, ValueOrigin::Flag("--quota".into()));
    let off = LimitChanges { quota: Some(Limit::Off), ..LimitChanges::default() };
    let higher = Limit::parse("5h=even,7d=100%").expect("it is a quota");
    let higher = LimitChanges { quota: Some(higher), ..LimitChanges::default() };
    let end = StepEnd::Quota(exceeded());
    let kinds = vec![
        started_with(plan),
        EventKind::StepStarted { instead_of: None, step: 1, observation: Observation::default() },
        iteration_started(1),
        told(QuotaWindow::FiveHours, 62, 4),
        told(QuotaWindow::SevenDays, 41, 50),
        told(QuotaWindow::FiveHours, 104, 4),
        iteration_finished(1, forkhestra_core::event::Verdict::Incomplete),
        EventKind::Waiting { step: 1, why: WaitCause::Quota, until: hours(4) },
        EventKind::LimitsChanged { changes: off },
        EventKind::LimitsChanged { changes: higher },
        EventKind::StepFinished { step: 1, end: end.clone() },
        EventKind::RunFinished { end: RunEnd::Incomplete { step: 1, end } },
    ];
    kinds.into_iter().enumerate().map(|(number, kind)| event(number, kind)).collect()
}

pub(crate) fn exceeded() -> ExceededQuota {
    ExceededQuota {
        backend: Backend::Claude,
        window: QuotaWindow::SevenDays,
        used: 41,
        limit: QuotaThreshold::Even,
        until: hours(26),
    }
}

fn told(window: QuotaWindow, used: u16, resets_in: i64) -> EventKind {
    let (unit, backend, resets) = (unit(1), Backend::Claude, hours(resets_in));
    EventKind::Quota { unit, backend, window, used, resets }
}

fn hours(hours: i64) -> Timestamp {
    Timestamp::from_milliseconds(timestamp().milliseconds() + hours * 3_600_000)
}
