//! What the end of a step means for the flow around it: a round, and an alternative.

use crate::event::{StepEnd, StopReason};
use crate::plan::PlanStep;

/// Whether the end of a deciding step refuses the round, so that the next one begins. Other ends
/// without completion end the group. Only a complete step accepts a round.
pub fn refuses_round(step: &PlanStep, end: &StepEnd) -> bool {
    match end {
        // A loop that did not complete.
        StepEnd::MaxIterations | StepEnd::Stagnated(_) | StepEnd::Cycling(_) => {
            step.iterations.is_some()
        }
        StepEnd::Failed(end) if end.is_own_failure() => step.agent.kind.direct().is_none(),
        StepEnd::NotAccepted
        | StepEnd::Denied
        | StepEnd::Refused(_)
        // The rounds of an inner group.
        | StepEnd::MaxRounds(_) => true,
        StepEnd::Failed(_)
        | StepEnd::AgentStopped(_)
        | StepEnd::StepTime
        | StepEnd::GroupTime
        | StepEnd::RunTime
        | StepEnd::StepCost
        | StepEnd::GroupCost
        | StepEnd::RunCost
        | StepEnd::CostUnknown
        | StepEnd::Blocked(_)
        | StepEnd::Quota(_)
        | StepEnd::HookFailed(_)
        | StepEnd::CannotCheck(_)
        | StepEnd::TasksBlocked(_)
        | StepEnd::NoTasks
        | StepEnd::NotLanded(_)
        | StepEnd::NoLane(_)
        | StepEnd::Complete(_)
        | StepEnd::Skipped
        | StepEnd::NotNeeded
        | StepEnd::Cancelled => false,
    }
}

/// Whether the alternative after `else` runs: the end concerns the work or the agent, and not the
/// run.
pub const fn leads_to_alternative(end: &StepEnd) -> bool {
    match end {
        StepEnd::MaxIterations
        | StepEnd::MaxRounds(_)
        | StepEnd::Stagnated(_)
        | StepEnd::Cycling(_)
        | StepEnd::Refused(_)
        | StepEnd::NotAccepted
        | StepEnd::Denied
        | StepEnd::Failed(_)
        | StepEnd::StepTime
        | StepEnd::StepCost
        | StepEnd::GroupTime
        | StepEnd::GroupCost
        | StepEnd::Blocked(_)
        | StepEnd::Quota(_)
        | StepEnd::TasksBlocked(_) => true,
        StepEnd::AgentStopped(why) => match why {
            StopReason::Lingering
            | StopReason::Idle
            | StopReason::Futile
            | StopReason::Timeout
            | StopReason::StepTime
            | StopReason::StepCost
            | StopReason::GroupTime
            | StopReason::GroupCost => true,
            StopReason::RunTime
            | StopReason::RunCost
            | StopReason::CostUnknown
            | StopReason::NotPicked
            | StopReason::Skipped
            | StopReason::Cancelled => false,
        },
        StepEnd::RunTime
        | StepEnd::RunCost
        | StepEnd::CostUnknown
        | StepEnd::HookFailed(_)
        | StepEnd::CannotCheck(_)
        | StepEnd::NoTasks
        | StepEnd::NotLanded(_)
        | StepEnd::NoLane(_)
        | StepEnd::Complete(_)
        | StepEnd::Skipped
        | StepEnd::NotNeeded
        | StepEnd::Cancelled => false,
    }
}
