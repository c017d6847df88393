//! The option that raises the limit which ended a run. Without it a resumed run would end again at
//! once.

use std::time::Duration;

use super::end_entry::EndEntry;
use super::raised_cost::{dearer, of_limit};
use super::remedy::is_cost_unreported;
use crate::cost::Dollars;
use crate::event::{AgentOutcome, OutcomeClass, RunEnd, StepEnd};
use crate::limit::{HumanDuration, Limit, Usd};
use crate::machine::RunState;
use crate::text::count::Count;
use crate::time::Timestamp;

/// A limit that can end a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaisedLimit {
    /// `--max-iterations`.
    Iterations,
    /// `--step-time`.
    StepTime,
    /// `--max-time`.
    RunTime,
    /// `--step-cost`.
    StepCost,
    /// `--max-cost`.
    RunCost,
    /// Either cost limit: the cost is unknown.
    UnknownCost,
    /// `--max-wait`.
    MaxWait,
}

/// The limits of a run and its incomplete steps, and how much of them is used.
struct Allowances {
    time: Limit<HumanDuration>,
    used: Duration,
    cost: Limit<Usd>,
    spent: Dollars,
    steps: Vec<Allowance>,
    now: Timestamp,
}

/// The limits of an incomplete step, and how much of them is used.
struct Allowance {
    /// One-based.
    step: usize,
    /// The maximum iterations of a loop.
    most: Option<u32>,
    time: Limit<HumanDuration>,
    used: Duration,
    cost: Limit<Usd>,
    spent: Dollars,
    /// Whether the cost of the last agent is unknown for a reason that no other limit or price
    /// changes: it was stopped before it reported, or reported an implausible figure.
    is_cost_unreported: bool,
    max_wait: Limit<HumanDuration>,
}

/// The option that raises the limit which ended a past run, if one did.
pub fn raising_option(state: &RunState, now: Timestamp) -> Option<String> {
    let steps = state.plan.steps.iter().zip(&state.steps);
    let left = steps.filter(|(_, step)| !step.allows_next_step()).map(|(plan, step)| Allowance {
        step: plan.number,
        most: plan.iterations.map(Count::get),
        time: plan.limits.time.value,
        used: step.elapsed,
        cost: plan.limits.cost.value,
        spent: state.spend_of(plan.number).dollars,
        is_cost_unreported: step.has_unusable_figure || is_cost_unreported(step.last.as_ref()),
        max_wait: plan.limits.max_wait.value,
    });
    let allowances = Allowances {
        time: state.plan.limits.time.value,
        used: state.elapsed,
        cost: state.plan.limits.cost.value,
        spent: state.spend().dollars,
        steps: left.collect(),
        now,
    };
    allowances.raised(state.end.as_ref()?)
}

impl Allowances {
    /// A new step limit applies to all remaining steps, so it must not be too low for any of them.
    fn raised(&self, end: &RunEnd) -> Option<String> {
        let RunEnd::Incomplete { step, end } = end else { return None };
        let step = self.steps.iter().find(|other| other.step == *step)?;
        let all = self.steps.iter();
        match EndEntry::bare(end).raises? {
            RaisedLimit::Iterations => {
                let most = all.filter_map(|step| step.most);
                let most = most.chain(step.most?.checked_mul(2)).max()?;
                Some(format!("--max-iterations {most}"))
            }
            RaisedLimit::StepTime => {
                let limits = all.filter_map(|step| duration(step.time));
                let most = limits.chain(more(step.time, step.used)).max()?;
                Some(format!("--step-time {}", typed(most)))
            }
            RaisedLimit::RunTime => {
                Some(format!("--max-time {}", typed(more(self.time, self.used)?)))
            }
            RaisedLimit::StepCost => {
                let limits = all.filter_map(|step| of_limit(step.cost));
                let most = limits.chain(dearer(step.cost, step.spent)).max()?;
                Some(format!("--step-cost {most}"))
            }
            // Resume accepts an unknown cost.
            RaisedLimit::UnknownCost if step.is_cost_unreported => None,
            RaisedLimit::UnknownCost => {
                let run = (self.cost != Limit::Off).then_some("--max-cost off");
                let step = (step.cost != Limit::Off).then_some("--step-cost off");
                let options: Vec<&str> = run.into_iter().chain(step).collect();
                (!options.is_empty()).then(|| options.join(" "))
            }
            RaisedLimit::RunCost => Some(format!("--max-cost {}", dearer(self.cost, self.spent)?)),
            RaisedLimit::MaxWait => {
                let StepEnd::Blocked(outcome) = end else { return None };
                let limits = all.filter_map(|step| duration(step.max_wait));
                let most = limits.chain(longer(step.max_wait, outcome, self.now)).max()?;
                Some(format!("--max-wait {}", typed(most)))
            }
        }
    }
}

/// Time for a few more attempts, if the reset time is unknown.
const fn few_tries(class: OutcomeClass) -> Duration {
    match class {
        OutcomeClass::UsageLimit => Duration::from_secs(3600),
        _ => Duration::from_secs(600),
    }
}

/// Long enough for a limit with a known reset time, in whole hours; else twice as long as before.
fn longer(limit: Limit<HumanDuration>, outcome: &AgentOutcome, now: Timestamp) -> Option<Duration> {
    let limit = duration(limit)?;
    let twice = limit.checked_mul(2)?;
    let Some(resets) = outcome.resets else { return Some(twice.max(few_tries(outcome.class))) };
    // A wait goes on a little after the reset.
    let left = resets.saturating_since(now) + Duration::from_secs(60);
    Some(twice.max(Duration::from_secs(left.as_secs().div_ceil(3600) * 3600)))
}

/// Twice the limit, or twice the used time if that is more, since an agent may exceed the limit
/// before it ends.
fn more(limit: Limit<HumanDuration>, used: Duration) -> Option<Duration> {
    let limit = duration(limit)?;
    let twice = limit.checked_mul(2)?;
    if used < twice { Some(twice) } else { Duration::from_secs(used.as_secs() + 1).checked_mul(2) }
}

const fn duration(limit: Limit<HumanDuration>) -> Option<Duration> {
    match limit {
        Limit::At(time) => Some(time.duration()),
        Limit::Off => None,
    }
}

/// A duration as one word of a command, rounded up to whole seconds.
fn typed(duration: Duration) -> String {
    let fraction = u64::from(duration.subsec_nanos() > 0);
    HumanDuration::from_secs(duration.as_secs() + fraction).to_string().replace(' ', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::LimitQuantity;

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
            let time = HumanDuration::parse(limit).expect("it is a time");
            let typed = typed(more(Limit::At(time), used).expect("there is more"));
            assert_eq!(typed, expected);
            assert!(
                HumanDuration::parse(&typed).is_ok_and(|time| time.duration() > used),
                "{typed}"
            );
        }
    }

    #[test]
    fn a_new_wait_is_long_enough_for_the_reset() {
        let now = Timestamp::from_milliseconds(0);
        let limit = Limit::At(HumanDuration::parse("6h").expect("a time"));
        let hours = |hours: u64| Some(Duration::from_secs(hours * 3600));
        for (resets_in_hours, expected) in
            [(None, hours(12)), (Some(7), hours(12)), (Some(70), hours(71))]
        {
            let reset = |hours: i64| Timestamp::from_milliseconds(hours * 3_600_000);
            let resets = resets_in_hours.map(reset);
            let outcome = AgentOutcome { resets, ..AgentOutcome::of(OutcomeClass::UsageLimit) };
            assert_eq!(longer(limit, &outcome, now), expected);
        }
        let short = Limit::At(HumanDuration::parse("10s").expect("a time"));
        for (class, minutes) in [(OutcomeClass::UsageLimit, 60), (OutcomeClass::Overloaded, 10)] {
            let expected = Some(Duration::from_secs(60 * minutes));
            assert_eq!(longer(short, &AgentOutcome::of(class), now), expected);
        }
    }
}
