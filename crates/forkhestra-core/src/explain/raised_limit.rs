//! The option that raises the limit which ended a run. Without it a resumed run would end again at
//! once.

use std::num::NonZeroU32;
use std::time::Duration;

use super::end_entry::EndEntry;
use super::raised_cost::raised_cost_limit;
use super::remedy::is_cost_unreported;
use crate::cost::Dollars;
use crate::event::{AgentOutcome, OutcomeClass, RunEnd, StepEnd};
use crate::limit::{HumanDuration, Limit, LimitChanges, Usd};
use crate::machine::RunState;
use crate::plan::{Flow, PlanStep};
use crate::policy::is_too_long;
use crate::quota::{ExceededQuota, QuotaLimits, QuotaThreshold};
use crate::text::count::Count;
use crate::time::Timestamp;

/// A limit that can end a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaisedLimit {
    Iterations,
    Rounds,
    StepTime,
    GroupTime,
    RunTime,
    StepCost,
    GroupCost,
    RunCost,
    /// Either cost limit: the cost is unknown.
    UnknownCost,
    MaxWait,
    Quota,
}

/// The limits of a run and its incomplete steps, and how much of them is used.
struct Allowances {
    time: Limit<HumanDuration>,
    used: Duration,
    cost: Limit<Usd>,
    spent: Dollars,
    groups: Vec<GroupAllowance>,
    steps: Vec<Allowance>,
    now: Timestamp,
}

/// The limits of an incomplete step, and how much of them is used.
struct Allowance {
    /// One-based.
    step: usize,
    /// The maximum iterations of a loop.
    max_iterations: Option<u32>,
    /// The iterations that are over.
    iterations: u32,
    time: Limit<HumanDuration>,
    used: Duration,
    cost: Limit<Usd>,
    spent: Dollars,
    /// Whether the cost of the last agent is unknown for a reason that no other limit or price
    /// changes: it was stopped before it reported, or reported an implausible figure.
    is_cost_unreported: bool,
    max_wait: Limit<HumanDuration>,
    quota: Limit<QuotaLimits>,
    /// The windows that are fuller than the quota now.
    exceeded: Vec<ExceededQuota>,
}

/// The option that raises the limit which ended a past run, if one did.
pub fn raising_option(state: &RunState, now: Timestamp) -> Option<String> {
    let steps = state.plan.steps.iter().zip(&state.steps);
    let left = steps.filter(|(_, step)| !step.allows_next_step()).map(|(plan, step)| Allowance {
        step: plan.number,
        max_iterations: plan.iterations.map(Count::get),
        iterations: step.finished_in_round(),
        time: plan.limits.time.value,
        used: step.elapsed,
        cost: plan.limits.cost.value,
        spent: state.spend_of(plan.number).dollars,
        is_cost_unreported: step.has_unusable_figure || is_cost_unreported(step.last.as_ref()),
        max_wait: plan.limits.max_wait.value,
        quota: plan.limits.quota.value,
        exceeded: exceeded(state, plan, now),
    });
    let allowances = Allowances {
        time: state.plan.limits.time.value,
        used: state.elapsed,
        cost: state.plan.limits.cost.value,
        spent: state.spend().dollars,
        groups: state
            .plan
            .flow
            .iter()
            .flat_map(Flow::groups)
            .map(|group| GroupAllowance {
                steps: group.stages.steps(),
                time: group.limits.time.value,
                used: state.group_elapsed(group),
                cost: group.limits.cost.value,
                spent: state.spend_of_group(group).dollars,
            })
            .collect(),
        steps: left.collect(),
        now,
    };
    allowances.raised(state.end.as_ref()?).map(|raised| raised.command_options().join(" "))
}

/// The limits of a group and what is used of them.
#[derive(Debug)]
struct GroupAllowance {
    /// The steps in it.
    steps: Vec<usize>,
    time: Limit<HumanDuration>,
    used: Duration,
    cost: Limit<Usd>,
    spent: Dollars,
}

impl GroupAllowance {
    fn has_used_its_time(&self) -> bool {
        self.time.value().is_some_and(|limit| self.used >= limit.duration())
    }

    fn has_spent_its_cost(&self) -> bool {
        self.cost.value().is_some_and(|limit| self.spent.at_least(limit))
    }
}

impl Allowances {
    /// A new step limit applies to all remaining steps, so it must not be too low for any of them.
    fn raised(&self, end: &RunEnd) -> Option<LimitChanges> {
        let RunEnd::Incomplete { step, end } = end else { return None };
        let step = self.steps.iter().find(|other| other.step == *step)?;
        let all = self.steps.iter();
        let mut raised = LimitChanges::default();
        match EndEntry::without_facts(end).raises? {
            RaisedLimit::Iterations => {
                // A lowered limit may be below the iterations that are over.
                let more = step.max_iterations?.max(step.iterations).checked_mul(2);
                let highest = all.filter_map(|step| step.max_iterations).chain(more).max()?;
                raised.iterations = NonZeroU32::new(highest).map(Count::new);
            }
            RaisedLimit::Rounds => {
                let StepEnd::MaxRounds(rounds) = end else { return None };
                let more = rounds.checked_mul(2)?;
                raised.rounds = NonZeroU32::new(more).map(Count::new);
            }
            RaisedLimit::StepTime => {
                let limits = all.filter_map(|step| step.time.value());
                raised.step_time =
                    limits.chain(raised_time(step.time, step.used)).max().map(Limit::At);
            }
            // As for steps: the new limit applies to all groups.
            RaisedLimit::GroupTime => {
                let limits = self.groups.iter().filter_map(|group| group.time.value());
                let enclosing = self.groups.iter().filter(|group| group.steps.contains(&step.step));
                let reached = enclosing.filter(|group| group.has_used_its_time());
                let more = reached.filter_map(|group| raised_time(group.time, group.used));
                raised.group_time = limits.chain(more).max().map(Limit::At);
            }
            RaisedLimit::GroupCost => {
                let limits = self.groups.iter().filter_map(|group| group.cost.value());
                let enclosing = self.groups.iter().filter(|group| group.steps.contains(&step.step));
                let reached = enclosing.filter(|group| group.has_spent_its_cost());
                let more = reached.filter_map(|group| raised_cost_limit(group.cost, group.spent));
                raised.group_cost = limits.chain(more).max().map(Limit::At);
            }
            RaisedLimit::RunTime => {
                raised.run_time = raised_time(self.time, self.used).map(Limit::At);
            }
            RaisedLimit::StepCost => {
                let limits = all.filter_map(|step| step.cost.value());
                raised.step_cost =
                    limits.chain(raised_cost_limit(step.cost, step.spent)).max().map(Limit::At);
            }
            RaisedLimit::RunCost => {
                raised.run_cost = raised_cost_limit(self.cost, self.spent).map(Limit::At);
            }
            // Resume accepts an unknown cost.
            RaisedLimit::UnknownCost if step.is_cost_unreported => {}
            RaisedLimit::UnknownCost => {
                raised.run_cost = self.cost.value().map(|_| Limit::Off);
                let is_limited = |group: &GroupAllowance| {
                    group.steps.contains(&step.step) && group.cost.value().is_some()
                };
                raised.group_cost = self.groups.iter().any(is_limited).then_some(Limit::Off);
                raised.step_cost = step.cost.value().map(|_| Limit::Off);
            }
            RaisedLimit::MaxWait => {
                let StepEnd::Blocked(outcome) = end else { return None };
                let limits = all.filter_map(|step| step.max_wait.value());
                let longer = raised_wait(step.max_wait, outcome, self.now);
                raised.max_wait = limits.chain(longer).max().map(Limit::At);
            }
            RaisedLimit::Quota => {
                let StepEnd::Quota(exceeded) = end else { return None };
                if self.steps.iter().all(|other| other.quota == step.quota) {
                    let windows = step.too_long(exceeded, self.now);
                    raised.quota = Some(raised_quota(step.quota.value()?, windows));
                } else {
                    // It would replace the other quotas.
                    raised.max_wait = self.wait_until(exceeded.until);
                }
            }
        }
        (raised != LimitChanges::default()).then_some(raised)
    }
}

impl Allowances {
    /// A maximum wait that reaches this moment, in whole hours, and is no shorter than that of any
    /// step.
    fn wait_until(&self, until: Timestamp) -> Option<Limit<HumanDuration>> {
        let left = until.saturating_since(self.now);
        let left = (!left.is_zero()).then(|| whole_hours(left))?;
        let limits = self.steps.iter().map(|step| step.max_wait.value());
        let longest: Option<Vec<HumanDuration>> = limits.chain([Some(left)]).collect();
        Some(longest.and_then(|limits| limits.into_iter().max()).map_or(Limit::Off, Limit::At))
    }
}

impl Allowance {
    /// The window that ended the step, and those that would end it again.
    fn too_long(&self, ended: &ExceededQuota, now: Timestamp) -> Vec<ExceededQuota> {
        let others = self.exceeded.iter().filter(|other| {
            let wait = other.until.saturating_since(now);
            other.window != ended.window && is_too_long(wait, self.max_wait)
        });
        others.chain([ended]).copied().collect()
    }
}

/// The windows of a step's account that are fuller than its quota.
fn exceeded(state: &RunState, plan: &PlanStep, now: Timestamp) -> Vec<ExceededQuota> {
    let (quota, account) = (plan.limits.quota.value.value(), state.account(plan.number));
    let found = quota.zip(account);
    let found = found.map(|(quota, account)| quota.all_exceeded(&state.quotas, account, now));
    found.into_iter().flatten().collect()
}

/// Time for a few more attempts, if the reset time is unknown.
const fn retry_allowance(class: OutcomeClass) -> Duration {
    match class {
        OutcomeClass::UsageLimit => Duration::from_secs(3600),
        _ => Duration::from_secs(600),
    }
}

/// Long enough for a limit with a known reset time, in whole hours; else twice as long as before.
fn raised_wait(
    limit: Limit<HumanDuration>,
    outcome: &AgentOutcome,
    now: Timestamp,
) -> Option<HumanDuration> {
    let twice = limit.value()?.duration().checked_mul(2)?;
    let Some(resets) = outcome.resets else {
        return Some(whole_seconds(twice.max(retry_allowance(outcome.class))));
    };
    Some(whole_seconds(twice).max(whole_hours(resets.saturating_since(now))))
}

/// The wait in whole hours: it goes on a little after its end.
fn whole_hours(wait: Duration) -> HumanDuration {
    HumanDuration::from_secs((wait.as_secs() + 60).div_ceil(3600) * 3600)
}

/// The next multiple of ten percent above what is used of each window; without its limit if all of
/// the window is used.
fn raised_quota(limits: QuotaLimits, exceeded: Vec<ExceededQuota>) -> Limit<QuotaLimits> {
    let raised = exceeded.into_iter().try_fold(limits, |limits, exceeded| {
        let more = (exceeded.used / 10 + 1) * 10;
        let more = u8::try_from(more).ok().filter(|percent| *percent <= 100);
        limits.with(exceeded.window, more.map(QuotaThreshold::Percent))
    });
    raised.map_or(Limit::Off, Limit::At)
}

/// Twice the limit, or twice the used time if that is more, since an agent may exceed the limit
/// before it ends.
fn raised_time(limit: Limit<HumanDuration>, used: Duration) -> Option<HumanDuration> {
    let twice = limit.value()?.duration().checked_mul(2)?;
    let more = if used < twice {
        twice
    } else {
        Duration::from_secs(used.as_secs() + 1).checked_mul(2)?
    };
    Some(whole_seconds(more))
}

fn whole_seconds(duration: Duration) -> HumanDuration {
    HumanDuration::from_secs(duration.as_secs() + u64::from(duration.subsec_nanos() > 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Backend;
    use crate::limit::LimitQuantity;
    use crate::quota::QuotaWindow;

    #[test]
    fn a_new_time_can_be_typed_and_is_long_enough() {
        let seconds = Duration::from_secs;
        for (limit, used, expected) in [
            ("45m", seconds(2700), "1h 30m"),
            ("90s", seconds(91), "3m"),
            ("1h 30m 10s", seconds(5500), "3h 20s"),
            ("1s", seconds(11), "24s"),
            ("300ms", Duration::from_millis(301), "1s"),
        ] {
            let time = HumanDuration::parse(limit).expect("it is a time");
            let more = raised_time(Limit::At(time), used).expect("there is more");
            assert_eq!(more.to_string(), expected);
            assert!(more.duration() > used, "{more}");
        }
    }

    #[test]
    fn a_new_number_of_iterations_is_above_those_that_are_over() {
        for (highest, iterations, expected) in [(3, 3, 6), (1, 5, 10), (4, 2, 8)] {
            let step = Allowance {
                step: 1,
                max_iterations: Some(highest),
                iterations,
                time: Limit::Off,
                used: Duration::ZERO,
                cost: Limit::Off,
                spent: Dollars::ZERO,
                is_cost_unreported: false,
                max_wait: Limit::Off,
                quota: Limit::Off,
                exceeded: Vec::new(),
            };
            let allowances = Allowances {
                time: Limit::Off,
                used: Duration::ZERO,
                cost: Limit::Off,
                spent: Dollars::ZERO,
                groups: Vec::new(),
                steps: vec![step],
                now: Timestamp::from_milliseconds(0),
            };
            let end = RunEnd::Incomplete { step: 1, end: StepEnd::MaxIterations };
            let raised = allowances.raised(&end).and_then(|raised| raised.iterations);
            assert_eq!(raised.map(Count::get), Some(expected), "{iterations} of {highest}");
        }
    }

    #[test]
    fn a_new_wait_is_long_enough_for_the_reset() {
        let now = Timestamp::from_milliseconds(0);
        let limit = Limit::At(HumanDuration::parse("6h").expect("a time"));
        let hours = |hours: u64| Some(HumanDuration::from_secs(hours * 3600));
        for (resets_in_hours, expected) in
            [(None, hours(12)), (Some(7), hours(12)), (Some(70), hours(71))]
        {
            let reset = |hours: i64| Timestamp::from_milliseconds(hours * 3_600_000);
            let resets = resets_in_hours.map(reset);
            let outcome = AgentOutcome { resets, ..AgentOutcome::of(OutcomeClass::UsageLimit) };
            assert_eq!(raised_wait(limit, &outcome, now), expected);
        }
        let short = Limit::At(HumanDuration::parse("10s").expect("a time"));
        for (class, minutes) in [(OutcomeClass::UsageLimit, 60), (OutcomeClass::Overloaded, 10)] {
            let expected = Some(HumanDuration::from_secs(60 * minutes));
            assert_eq!(raised_wait(short, &AgentOutcome::of(class), now), expected);
        }
    }

    #[test]
    fn a_new_quota_is_above_what_is_used_and_keeps_the_other_window() {
        let limits = QuotaLimits::parse("5h=even,7d=60%").expect("it is a quota");
        for (window, used, expected) in [
            (QuotaWindow::SevenDays, 61, "5h=even,7d=70%"),
            (QuotaWindow::SevenDays, 90, "5h=even,7d=100%"),
            (QuotaWindow::SevenDays, 100, "5h=even"),
            (QuotaWindow::FiveHours, 44, "5h=50%,7d=60%"),
            (QuotaWindow::FiveHours, 999, "7d=60%"),
        ] {
            let exceeded = ExceededQuota {
                backend: Backend::Claude,
                window,
                used,
                limit: limits.threshold(window).expect("it has one"),
                until: Timestamp::from_milliseconds(0),
            };
            assert_eq!(raised_quota(limits, vec![exceeded]).to_string(), expected);
        }
        let only = QuotaLimits::parse("5h=90%").expect("it is a quota");
        let exceeded = ExceededQuota {
            backend: Backend::Claude,
            window: QuotaWindow::FiveHours,
            used: 100,
            limit: QuotaThreshold::Percent(90),
            until: Timestamp::from_milliseconds(0),
        };
        assert_eq!(raised_quota(only, vec![exceeded]), Limit::Off);
    }
}
