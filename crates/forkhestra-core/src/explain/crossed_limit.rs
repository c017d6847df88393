//! The limit that ended a step, and the value that crossed it.

use std::time::Duration;

use crate::cost::Spend;
use crate::event::{AgentOutcome, StepEnd, StopReason};
use crate::limit::{Limit, LimitChanges, OFF};
use crate::machine::RunState;
use crate::quota::ExceededQuota;
use crate::time::Timestamp;

/// The limit that ended a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossedLimit {
    /// The option that sets it, with its dashes.
    pub option: String,
    /// Its value, as text.
    pub value: String,
    pub reached: LimitReached,
}

/// The value that crossed a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitReached {
    Iterations(u32),
    Rounds(u32),
    /// Consecutive iterations without a new state.
    NothingNew(u32),
    Time(Duration),
    /// No progress for the time of the limit.
    Silence,
    Cost(Spend),
    /// A wait for a provider, with the reset time if known.
    Wait(Option<Timestamp>),
    /// A window of the account that is too full.
    Quota(ExceededQuota),
}

impl CrossedLimit {
    /// The limit that ended a step (one-based); none if no limit did, or if it is off by now.
    pub fn of(end: &StepEnd, state: &RunState, step: usize) -> Option<Self> {
        let (plan, step_state) = (state.plan.step(step)?, state.step(step)?);
        let (of_run, of_step) = (&state.plan.limits, &plan.limits);
        let none = LimitChanges::default;
        let run_cost = || LimitChanges { run_cost: Some(of_run.cost.value), ..none() };
        let step_cost = || LimitChanges { step_cost: Some(of_step.cost.value), ..none() };
        let spent_by_run = LimitReached::Cost(state.spend());
        let spent_by_step = LimitReached::Cost(state.spend_of(step));
        match end {
            StepEnd::MaxIterations => {
                let limit = LimitChanges { iterations: plan.iterations, ..none() };
                crossed(&limit, LimitReached::Iterations(step_state.finished_in_round()))
            }
            StepEnd::MaxRounds(rounds) => {
                let mut enclosing = state.plan.enclosing_repeated_groups(step).into_iter();
                let max =
                    enclosing.find_map(|group| group.rounds.filter(|max| max.get() <= *rounds));
                let limit = LimitChanges { rounds: max, ..none() };
                crossed(&limit, LimitReached::Rounds(*rounds))
            }
            StepEnd::Stagnated(number) | StepEnd::Cycling(number) => {
                let limit = LimitChanges { stagnation: Some(of_step.stagnation.value), ..none() };
                crossed(&limit, LimitReached::NothingNew(*number))
            }
            StepEnd::StepTime => {
                let limit = LimitChanges { step_time: Some(of_step.time.value), ..none() };
                crossed(&limit, LimitReached::Time(step_state.elapsed))
            }
            StepEnd::RunTime => {
                let limit = LimitChanges { run_time: Some(of_run.time.value), ..none() };
                crossed(&limit, LimitReached::Time(state.elapsed))
            }
            StepEnd::GroupTime => {
                let groups = state.plan.enclosing_groups(step).into_iter();
                let mut limited = groups.filter_map(|group| {
                    Some((group.limits.time.value.value()?, state.group_elapsed(group)))
                });
                let (limit, used) = limited.find(|(limit, used)| *used >= limit.duration())?;
                let limit = LimitChanges { group_time: Some(Limit::At(limit)), ..none() };
                crossed(&limit, LimitReached::Time(used))
            }
            StepEnd::GroupCost => {
                let groups = state.plan.enclosing_groups(step).into_iter();
                let mut limited = groups.filter_map(|group| {
                    Some((group.limits.cost.value.value()?, state.spend_of_group(group)))
                });
                let (limit, spend) =
                    limited.find(|(limit, spend)| spend.dollars.at_least(*limit))?;
                let limit = LimitChanges { group_cost: Some(Limit::At(limit)), ..none() };
                crossed(&limit, LimitReached::Cost(spend))
            }
            StepEnd::StepCost => crossed(&step_cost(), spent_by_step),
            StepEnd::RunCost => crossed(&run_cost(), spent_by_run),
            StepEnd::CostUnknown => {
                crossed(&step_cost(), spent_by_step).or_else(|| crossed(&run_cost(), spent_by_run))
            }
            StepEnd::AgentStopped(StopReason::Timeout) => {
                let limit = LimitChanges { timeout: Some(of_step.timeout.value), ..none() };
                crossed(&limit, LimitReached::Time(step_state.last.as_ref()?.duration))
            }
            StepEnd::AgentStopped(StopReason::Idle) => {
                let limit =
                    LimitChanges { idle_timeout: Some(of_step.idle_timeout.value), ..none() };
                crossed(&limit, LimitReached::Silence)
            }
            StepEnd::Blocked(AgentOutcome { class, resets, .. }) if class.is_waited_for() => {
                let limit = LimitChanges { max_wait: Some(of_step.max_wait.value), ..none() };
                crossed(&limit, LimitReached::Wait(*resets))
            }
            StepEnd::Quota(exceeded) => {
                let limit = LimitChanges { quota: Some(of_step.quota.value), ..none() };
                crossed(&limit, LimitReached::Quota(*exceeded))
            }
            _ => None,
        }
    }
}

/// The one limit that is set, with its name from the table of limits.
fn crossed(limit: &LimitChanges, reached: LimitReached) -> Option<CrossedLimit> {
    let (option, value) = limit.options().pop().filter(|(_, value)| value != OFF)?;
    Some(CrossedLimit { option: format!("--{option}"), value: value.replace(' ', ""), reached })
}
