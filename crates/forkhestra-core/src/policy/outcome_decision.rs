//! What the outcome that an agent's own stream tells makes of an iteration. This is the whole table.

use crate::event::{AgentActivity, OutcomeClass};

/// What an outcome makes of an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeDecision {
    /// The exit code decides, and what the agent said about its work.
    ByExitCode,
    /// There is more to do.
    Incomplete,
    /// The agent failed.
    Crashed,
    /// Its provider would not serve it: the number is used again after a wait.
    Postponed,
    /// Nothing will come of it before somebody does something about it.
    Blocked,
}

/// Judges by the class of an outcome.
///
/// A loop tries again wherever a fresh start may help, and an iteration that did something is used
/// up by that. An agent that runs once has no next iteration, so that all it can wait for is its
/// provider.
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
        // What filled the context was the agent's own work; a fresh one may have room.
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
        // In a loop without a tool call and with one, then once without and with one.
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
