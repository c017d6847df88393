//! The limit that ended a step, and the value that crossed it.

use std::time::Duration;

use crate::cost::Spend;
use crate::event::{AgentOutcome, StepEnd, StopReason};
use crate::limit::{HumanDuration, Limit};
use crate::machine::RunState;
use crate::time::Timestamp;

/// The limit that ended a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossedLimit {
    /// The option that sets it.
    pub option: &'static str,
    /// Its value in the option's syntax.
    pub value: String,
    pub reached: LimitReached,
}

/// The value that crossed a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitReached {
    Iterations(u32),
    /// Consecutive iterations without a new state.
    NothingNew(u32),
    Time(Duration),
    /// No progress for the time of the limit.
    Silence,
    Cost(Spend),
    /// A wait for a provider, with the reset time if known.
    Wait(Option<Timestamp>),
}

impl CrossedLimit {
    /// The limit that ended a step (one-based); none if no limit did, or if it is off by now.
    pub fn of(end: &StepEnd, state: &RunState, step: usize) -> Option<Self> {
        let (plan, step_state) = (state.plan.step(step)?, state.step(step)?);
        let limits = &plan.limits;
        let time = |option, limit: Limit<HumanDuration>, used| {
            crossed(option, limit, LimitReached::Time(used))
        };
        let spent = |step| LimitReached::Cost(state.spend_of(step));
        let of_run = LimitReached::Cost(state.spend());
        match end {
            StepEnd::MaxIterations => {
                let reached = LimitReached::Iterations(step_state.finished);
                Some(Self {
                    option: "--max-iterations",
                    value: plan.iterations?.to_string(),
                    reached,
                })
            }
            StepEnd::Stagnated(number) | StepEnd::Cycling(number) => {
                crossed("--stagnation", limits.stagnation.value, LimitReached::NothingNew(*number))
            }
            StepEnd::StepTime => time("--step-time", limits.time.value, step_state.elapsed),
            StepEnd::RunTime => time("--max-time", state.plan.limits.time.value, state.elapsed),
            StepEnd::StepCost => crossed("--step-cost", limits.cost.value, spent(step)),
            StepEnd::RunCost => crossed("--max-cost", state.plan.limits.cost.value, of_run),
            StepEnd::CostUnknown => crossed("--step-cost", limits.cost.value, spent(step))
                .or_else(|| crossed("--max-cost", state.plan.limits.cost.value, of_run)),
            StepEnd::Ended(StopReason::Timeout) => {
                let last = step_state.last.as_ref()?;
                time("--timeout", limits.timeout.value, last.duration)
            }
            StepEnd::Ended(StopReason::Idle) => {
                crossed("--idle-timeout", limits.idle_timeout.value, LimitReached::Silence)
            }
            StepEnd::Blocked(AgentOutcome { class, resets, .. }) if class.is_waited_for() => {
                crossed("--max-wait", limits.max_wait.value, LimitReached::Wait(*resets))
            }
            _ => None,
        }
    }
}

fn crossed<T: std::fmt::Display>(
    option: &'static str,
    limit: Limit<T>,
    reached: LimitReached,
) -> Option<CrossedLimit> {
    match limit {
        Limit::Off => None,
        Limit::At(value) => {
            let value = value.to_string().replace(' ', "");
            Some(CrossedLimit { option, value, reached })
        }
    }
}
