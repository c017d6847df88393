//! The decision table for the outcome in an agent's own stream.

use crate::event::{AgentActivity, OutcomeClass};

/// The consequence of an outcome for its iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeDecision {
    /// The exit code and the completion claim decide.
    ByExitCode,
    /// More work is left.
    Incomplete,
    Crashed,
    /// Its provider did not serve it: the iteration number is used again after a wait.
    Postponed,
    /// A retry cannot succeed until the user resolves the cause.
    Blocked,
}

/// Decides by the class of an outcome.
///
/// A loop retries wherever a fresh start may help, and an iteration that did something counts. An
/// agent that runs once has no next iteration, so it can only wait for its provider.
pub const fn decide_outcome(
    class: OutcomeClass,
    did: AgentActivity,
    loops: bool,
) -> OutcomeDecision {
    let worked = did.tool_calls > 0;
    match (class, loops) {
        (OutcomeClass::Finished, _) => OutcomeDecision::ByExitCode,
        (OutcomeClass::UsageLimit, _) | (OutcomeClass::Overloaded, false) => {
            OutcomeDecision::Postponed
        }
        (OutcomeClass::Overloaded, true) if !worked => OutcomeDecision::Postponed,
        (OutcomeClass::Authentication | OutcomeClass::Billing | OutcomeClass::Misconfigured, _) => {
            OutcomeDecision::Blocked
        }
        (OutcomeClass::TurnLimit | OutcomeClass::Budget, true) => OutcomeDecision::Incomplete,
        // The agent's own work filled the context; a fresh agent has space again.
        (OutcomeClass::ContextTooLong, true) if worked => OutcomeDecision::Incomplete,
        (OutcomeClass::ContextTooLong, true) => OutcomeDecision::Blocked,
        (
            OutcomeClass::Overloaded
            | OutcomeClass::Refused
            | OutcomeClass::Interrupted
            | OutcomeClass::Crashed,
            true,
        ) => OutcomeDecision::Crashed,
        (
            OutcomeClass::TurnLimit
            | OutcomeClass::Budget
            | OutcomeClass::ContextTooLong
            | OutcomeClass::Refused
            | OutcomeClass::Interrupted
            | OutcomeClass::Crashed,
            false,
        ) => OutcomeDecision::Blocked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_with_and_without_work_in_a_loop_and_once() {
        use OutcomeDecision::{Blocked, ByExitCode, Crashed, Incomplete, Postponed};
        // Columns: a loop without and with a tool call, then an agent that runs once without and
        // with one.
        let table = [
            (OutcomeClass::Finished, [ByExitCode, ByExitCode, ByExitCode, ByExitCode]),
            (OutcomeClass::TurnLimit, [Incomplete, Incomplete, Blocked, Blocked]),
            (OutcomeClass::Budget, [Incomplete, Incomplete, Blocked, Blocked]),
            (OutcomeClass::UsageLimit, [Postponed, Postponed, Postponed, Postponed]),
            (OutcomeClass::Overloaded, [Postponed, Crashed, Postponed, Postponed]),
            (OutcomeClass::Authentication, [Blocked, Blocked, Blocked, Blocked]),
            (OutcomeClass::Billing, [Blocked, Blocked, Blocked, Blocked]),
            (OutcomeClass::ContextTooLong, [Blocked, Incomplete, Blocked, Blocked]),
            (OutcomeClass::Refused, [Crashed, Crashed, Blocked, Blocked]),
            (OutcomeClass::Misconfigured, [Blocked, Blocked, Blocked, Blocked]),
            (OutcomeClass::Interrupted, [Crashed, Crashed, Blocked, Blocked]),
            (OutcomeClass::Crashed, [Crashed, Crashed, Blocked, Blocked]),
        ];
        assert_eq!(table.map(|(class, _)| class), OutcomeClass::ALL);
        for (class, expected) in table {
            let found =
                [(true, 0), (true, 1), (false, 0), (false, 1)].map(|(loops, tool_calls)| {
                    decide_outcome(
                        class,
                        AgentActivity { tool_calls, ..AgentActivity::default() },
                        loops,
                    )
                });
            assert_eq!(found, expected, "{class:?}");
        }
    }
}
