//! Whether an agent that claims completion has done any work.

use crate::event::StreamSummary;

/// Whether an agent seems to have done nothing. `changed` is unknown if the work tree could not be
/// compared.
///
/// For an agent whose stream is parsed the tool calls are known, so the work tree need not be. For
/// any other program only the work tree decides.
pub const fn did_no_work(heard: Option<&StreamSummary>, changed: Option<bool>) -> bool {
    match (heard, changed) {
        (_, Some(true)) => false,
        (Some(heard), Some(false) | None) => {
            // Denied calls did nothing.
            heard.activity.tool_calls <= heard.activity.denials
        }
        (None, changed) => changed.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{AgentActivity, AgentOutcome, OutcomeClass};

    #[test]
    fn nothing_is_done_without_a_tool_or_a_change() {
        let heard = |tool_calls| StreamSummary {
            outcome: AgentOutcome::of(OutcomeClass::Finished),
            activity: AgentActivity { tool_calls, ..AgentActivity::default() },
        };
        let (idle, busy) = (heard(0), heard(1));
        let mut denied = heard(2);
        denied.activity.denials = 2;
        let table = [
            (Some(&idle), None, true),
            (Some(&idle), Some(false), true),
            (Some(&idle), Some(true), false),
            (Some(&denied), None, true),
            (Some(&denied), Some(true), false),
            (Some(&busy), None, false),
            (Some(&busy), Some(false), false),
            (Some(&busy), Some(true), false),
            (None, None, false),
            (None, Some(false), true),
            (None, Some(true), false),
        ];
        for (heard, changed, expected) in table {
            assert_eq!(did_no_work(heard, changed), expected, "{heard:?} {changed:?}");
        }
    }
}
