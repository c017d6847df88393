//! What a step does next, now that no agent of it is at work.

use std::time::Duration;

use super::step_state::StepState;
use crate::count::Count;
use crate::event::{AgentEnd, Ending, StepEnd, Verdict};
use crate::limit::{Limit, Time};
use crate::plan::Step;
use crate::policy::{Sameness, backoff};

/// With the waits in between this takes some minutes.
const MOST_FAILED_STARTS: u32 = 10;

/// What a step does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    /// It runs its agent, after a wait.
    Iterate { delay: Duration },
    /// It ends.
    End(StepEnd),
}

/// Decides. This is where a loop stops, and the only place.
pub(super) fn next(step: &StepState, plan: &Step, run_time_left: bool) -> Next {
    if let Some(end) = outcome(step, plan) {
        return Next::End(end);
    }
    if !run_time_left {
        return Next::End(StepEnd::RunTime);
    }
    if is_used_up(step.elapsed, plan.limits.time.value) {
        return Next::End(StepEnd::StepTime);
    }
    if let Some(end) = sameness(step, plan.limits.stagnation.value) {
        return Next::End(end);
    }
    if plan.iterations.is_some_and(|most| step.finished >= most.get()) {
        return Next::End(StepEnd::MaxIterations);
    }
    Next::Iterate { delay: backoff(step.crashes) }
}

/// What the last iteration alone decides.
fn outcome(step: &StepState, plan: &Step) -> Option<StepEnd> {
    let report = step.last.as_ref()?;
    let once = plan.iterations.is_none();
    let failed = |end: &Option<AgentEnd>| end.clone().map(StepEnd::Failed);
    match (&report.verdict, &report.end) {
        (Verdict::Complete(completion), _) => Some(StepEnd::Complete(completion.clone())),
        // What cannot be started will not start the next time either, unless the machine was merely
        // out of something; but not even that is waited for without end.
        (_, Some(AgentEnd::NotStarted { transient, .. }))
            if !transient || step.crashes >= MOST_FAILED_STARTS =>
        {
            failed(&report.end)
        }
        // A try that came to nothing decides nothing.
        (Verdict::Interrupted, _) | (_, Some(AgentEnd::NotStarted { .. })) => None,
        (Verdict::Ended(Ending::RunTime), _) => Some(StepEnd::RunTime),
        (Verdict::Ended(Ending::StepTime), _) => Some(StepEnd::StepTime),
        (Verdict::Ended(ending), _) if once => Some(StepEnd::Ended(*ending)),
        (Verdict::Crashed, _) if once => failed(&report.end),
        (Verdict::Incomplete | Verdict::Crashed | Verdict::Ended(_), _) => None,
    }
}

fn sameness(step: &StepState, limit: Limit<Count>) -> Option<StepEnd> {
    let Limit::At(limit) = limit else { return None };
    step.novelty.sameness(limit.get()).map(|sameness| match sameness {
        Sameness::Stagnated(iterations) => StepEnd::Stagnated(iterations),
        Sameness::Cycling(iterations) => StepEnd::Cycling(iterations),
    })
}

/// Whether a limited time is used up.
pub(super) fn is_used_up(elapsed: Duration, limit: Limit<Time>) -> bool {
    matches!(limit, Limit::At(limit) if elapsed >= limit.duration())
}
