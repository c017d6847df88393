//! What must be said to go on with a run that a limit ended, or it would end again at once.

use std::time::Duration;

use forkhestra_core::count::Count;
use forkhestra_core::event::{RunEnd, StepEnd};
use forkhestra_core::limit::{Limit, Time};
use forkhestra_core::machine::RunState;

use super::tally::Tally;

/// What there is for a step that is not complete, and how much of it is used.
struct Allowance {
    /// The step, from one.
    step: usize,
    /// The most iterations of a loop.
    most: Option<u32>,
    time: Limit<Time>,
    used: Duration,
}

/// The option that raises the limit which ended a run of the past, if one did.
pub(crate) fn raising_option(state: &RunState) -> Option<String> {
    let steps = state.plan.steps.iter().zip(&state.steps);
    let left = steps.filter(|(_, step)| !step.is_complete()).map(|(plan, step)| Allowance {
        step: plan.number,
        most: plan.iterations.map(Count::get),
        time: plan.limits.time.value,
        used: step.elapsed,
    });
    let more_time = || more(state.plan.limits.time.value, state.elapsed);
    raised(state.end.as_ref()?, &left.collect::<Vec<_>>(), more_time)
}

/// The same for a run that has just ended.
pub(super) fn option(tally: &Tally, end: &RunEnd) -> Option<String> {
    let left = tally.steps.iter().filter(|step| !step.is_complete()).map(|step| Allowance {
        step: step.number,
        most: step.most,
        time: step.limit,
        used: step.time(),
    });
    raised(end, &left.collect::<Vec<_>>(), || more(tally.limit, tally.elapsed))
}

/// A new limit of steps holds for all that are left, so it must not be too low for any of them.
fn raised(
    end: &RunEnd,
    left: &[Allowance],
    more_time: impl FnOnce() -> Option<Duration>,
) -> Option<String> {
    let RunEnd::Incomplete { step, end } = end else { return None };
    let step = left.iter().find(|other| other.step == *step)?;
    match end {
        StepEnd::MaxIterations => {
            let most = left.iter().filter_map(|step| step.most);
            let most = most.chain(step.most?.checked_mul(2)).max()?;
            Some(format!("--max-iterations {most}"))
        }
        StepEnd::StepTime => {
            let limits = left.iter().filter_map(|step| duration(step.time));
            let most = limits.chain(more(step.time, step.used)).max()?;
            Some(format!("--step-time {}", typed(most)))
        }
        StepEnd::RunTime => Some(format!("--max-time {}", typed(more_time()?))),
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
