//! What must be said to go on with a run that a limit ended, or it would end again at once.

use std::time::Duration;

use forkhestra_core::event::{Event, EventKind, RunEnd, StepEnd};
use forkhestra_core::limit::{Limit, Time};

use super::tally::Tally;

/// The option that raises the limit which ended a run of the past, if one did.
pub(crate) fn raising_option(events: &[Event]) -> Option<String> {
    let EventKind::RunStarted { plan, .. } = &events.first()?.kind else { return None };
    let EventKind::RunFinished { end } = &events.last()?.kind else { return None };
    let mut tally = Tally::new(plan);
    events.iter().for_each(|event| tally.absorb(event));
    option(&tally, end)
}

/// The option that raises the limit which ended the run, if one did. A new limit of steps holds for
/// all that are left, so it must not be too low for any of them.
pub(super) fn option(tally: &Tally, end: &RunEnd) -> Option<String> {
    let RunEnd::Incomplete { step, end } = end else { return None };
    let step = tally.step(*step)?;
    let left = || tally.steps.iter().filter(|step| !step.is_complete());
    match end {
        StepEnd::MaxIterations => {
            let most = left().filter_map(|step| step.most);
            let most = most.chain(step.most?.checked_mul(2)).max()?;
            Some(format!("--max-iterations {most}"))
        }
        StepEnd::StepTime => {
            let limits = left().filter_map(|step| duration(step.limit));
            let most = limits.chain(more(step.limit, step.time())).max()?;
            Some(format!("--step-time {}", typed(most)))
        }
        StepEnd::RunTime => {
            Some(format!("--max-time {}", typed(more(tally.limit, tally.elapsed)?)))
        }
        _ => None,
    }
}

/// Twice the time that there was; or that was used, since an agent may take its time to end.
fn more(limit: Limit<Time>, used: Duration) -> Option<Duration> {
    let limit = duration(limit)?;
    let twice = limit.checked_mul(2)?;
    if used < twice { Some(twice) } else { Duration::from_secs(used.as_secs() + 1).checked_mul(2) }
}

const fn duration(limit: Limit<Time>) -> Option<Duration> {
    match limit {
        Limit::At(time) => Some(time.duration()),
        Limit::Off => None,
    }
}

/// A duration as one word of a command, in whole seconds, of which a fraction is one more.
fn typed(duration: Duration) -> String {
    let fraction = u64::from(duration.subsec_nanos() > 0);
    Time::from_secs(duration.as_secs() + fraction).to_string().replace(' ', "")
}

#[cfg(test)]
mod tests {
    use forkhestra_core::limit::Quantity;

    use super::*;

    #[test]
    fn a_new_time_can_be_typed_and_is_long_enough() {
        let seconds = Duration::from_secs;
        for (limit, used, expected) in [
            ("45m", seconds(2700), "1h30m"),
            ("90s", seconds(91), "3m"),
            ("1h 30m 10s", seconds(5500), "3h20s"),
            ("1s", seconds(11), "24s"),
            ("300ms", Duration::from_millis(301), "1s"),
        ] {
            let time = Time::parse(limit).expect("it is a time");
            let typed = typed(more(Limit::At(time), used).expect("there is more"));
            assert_eq!(typed, expected);
            assert!(Time::parse(&typed).is_ok_and(|time| time.duration() > used), "{typed}");
        }
    }
}
