//! Decides what a step does next when none of its agents is running.

use std::time::Duration;

use super::limits::cost_limits::end_by_cost;
use super::state::run_state::RunState;
use super::state::step_state::StepState;
use crate::config::OnCycle;
use crate::event::{
    AgentOutcome, IterationReport, OutcomeClass, ProcessEnd, StepEnd, StopReason, Verdict,
    WaitCause,
};
use crate::limit::Limit;
use crate::plan::PlanStep;
use crate::policy::{StagnationKind, backoff};
use crate::time::Timestamp;

/// With the backoff in between this takes some minutes.
const MAX_FAILED_STARTS: u32 = 10;

/// What a step does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NextAction {
    /// Run the agent after a delay.
    Iterate {
        delay: Duration,
    },
    /// Wait for the agent's provider or account.
    Wait {
        why: WaitCause,
        until: Timestamp,
    },
    End(StepEnd),
}

/// The facts that decide a step's next action.
#[derive(Debug, Clone)]
struct StepSituation<'a> {
    step: &'a StepState,
    plan: &'a PlanStep,
    /// The time limit that is used up.
    time: Option<StepEnd>,
    /// The cost limit that is reached.
    cost: Option<StopReason>,
    /// What it has to do about its provider, if anything.
    provider: Option<NextAction>,
}

impl RunState {
    /// What an open step (one-based) would do next if none of its agents is running.
    pub(crate) fn next_action(&self, step: usize, now: Timestamp) -> NextAction {
        next_action(StepSituation {
            step: &self.steps[step - 1],
            plan: &self.plan.steps[step - 1],
            time: self.used_up_time(step),
            cost: self.reached_cost_limit(step),
            provider: self.provider_action(step, now),
        })
    }

    /// What a step (one-based) has to do about its provider before its next agent. Only an overload is
    /// waited for on the same back-end if there is a fallback.
    fn provider_action(&self, step: usize, now: Timestamp) -> Option<NextAction> {
        let max_wait = self.plan.steps[step - 1].limits.max_wait.value;
        let postponement = &self.steps[step - 1].postponement;
        match self.next_backend(step, now) {
            Some(choice) if !postponement.is_for_overload() => {
                choice.next_action(postponement, max_wait, now)
            }
            _ => {
                let own = postponement.next(max_wait, now);
                let of_account = || {
                    let limit = self.usage_limit_of_account(step, now)?;
                    limit.next_action(postponement, max_wait, now)
                };
                own.or_else(of_account)
            }
        }
    }
}

/// Decides a step's next action after an iteration, in the order of precedence.
///
/// A step also ends elsewhere: without an agent by a done file, a skip or its tasks, at a time limit
/// during a wait, by a failed hook, and with a cancelled run.
fn next_action(situation: StepSituation<'_>) -> NextAction {
    let StepSituation { step, plan, time, cost, provider } = situation;
    if let Some(end) = outcome(step, plan) {
        return NextAction::End(end);
    }
    if let Some(end) = time {
        return NextAction::End(end);
    }
    if let Some(end) = cost.and_then(end_by_cost) {
        return NextAction::End(end);
    }
    if let Some(end) = stagnation_end(step, plan) {
        return NextAction::End(end);
    }
    if plan.iterations.is_some_and(|limit| step.used_iterations() >= limit.get()) {
        return NextAction::End(StepEnd::MaxIterations);
    }
    provider.unwrap_or_else(|| NextAction::Iterate { delay: backoff(step.crashes) })
}

/// The end that the last iteration alone decides.
fn outcome(step: &StepState, plan: &PlanStep) -> Option<StepEnd> {
    let report = step.last.as_ref()?;
    let once = plan.iterations.is_none();
    let failed = |end: &Option<ProcessEnd>| end.clone().map(StepEnd::Failed);
    match (&report.verdict, &report.end) {
        (Verdict::Complete(completion), _) => Some(StepEnd::Complete(completion.clone())),
        // An agent that cannot be started will not start next time either, unless the host was
        // short of a resource; retries for that are bounded.
        (_, Some(ProcessEnd::NotStarted { transient, .. }))
            if !transient || step.crashes >= MAX_FAILED_STARTS =>
        {
            failed(&report.end)
        }
        (Verdict::Incomplete, _) if once && plan.accepts_by_marker() => Some(StepEnd::NotAccepted),
        // Without its fallback, the step waits for its primary back-end.
        (Verdict::Blocked, _) if plan.runs_fallback() => None,
        // An attempt without an outcome decides nothing.
        (Verdict::Interrupted, _) | (_, Some(ProcessEnd::NotStarted { .. })) => None,
        (Verdict::Blocked, _) => Some(StepEnd::Blocked(reported_outcome(report))),
        (Verdict::AgentStopped(StopReason::RunTime), _) => Some(StepEnd::RunTime),
        (Verdict::AgentStopped(StopReason::GroupTime), _) => Some(StepEnd::GroupTime),
        (Verdict::AgentStopped(StopReason::StepTime), _) => Some(StepEnd::StepTime),
        (Verdict::AgentStopped(StopReason::Skipped), _) => Some(StepEnd::Skipped),
        (
            Verdict::AgentStopped(
                why @ (StopReason::StepCost
                | StopReason::GroupCost
                | StopReason::RunCost
                | StopReason::CostUnknown),
            ),
            _,
        ) => end_by_cost(*why),
        (Verdict::Refused(why), _) if once => Some(StepEnd::Refused(*why)),
        (Verdict::AgentStopped(stop_reason), _) if once => {
            Some(StepEnd::AgentStopped(*stop_reason))
        }
        (Verdict::Crashed, _) if once => failed(&report.end),
        (
            Verdict::Incomplete
            | Verdict::Crashed
            | Verdict::Refused(_)
            | Verdict::AgentStopped(_)
            | Verdict::Postponed,
            _,
        ) => None,
    }
}

/// The outcome reported by the agent's stream. A report in an old journal may lack it.
fn reported_outcome(report: &IterationReport) -> AgentOutcome {
    let outcome = report.stream_summary.as_ref().map(|outcome| outcome.outcome.clone());
    outcome.unwrap_or_else(|| AgentOutcome::of(OutcomeClass::Crashed))
}

fn stagnation_end(step: &StepState, plan: &PlanStep) -> Option<StepEnd> {
    let stops = plan.on_cycle.as_ref().is_some_and(|what| what.value == OnCycle::Stop);
    if stops && step.stagnation.repeats().is_some() {
        return Some(StepEnd::Cycling(1));
    }
    let Limit::At(limit) = plan.limits.stagnation.value else { return None };
    step.stagnation.stagnation(limit.get()).map(|stagnation| match stagnation {
        StagnationKind::Stagnated(iterations) => StepEnd::Stagnated(iterations),
        StagnationKind::Cycling(iterations) => StepEnd::Cycling(iterations),
    })
}
