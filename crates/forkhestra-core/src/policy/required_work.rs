//! Whether an agent that claims completion has done any work.

use crate::event::StreamSummary;

/// Whether an agent seems to have done nothing. `changed` is unknown if the work tree could not be
/// compared.
///
/// For an agent whose stream is parsed the tool calls are known, so the work tree need not be. For
/// any other program only the work tree decides.
pub const fn did_no_work(stream_summary: Option<&StreamSummary>, changed: Option<bool>) -> bool {
    match (stream_summary, changed) {
        (_, Some(true)) => false,
        (Some(stream_summary), Some(false) | None) => {
            // Denied calls did nothing.
            stream_summary.activity.tool_calls <= stream_summary.activity.denials
        }
        (None, changed) => changed.is_some(),
    }
}

/// Whether the work that a step requires is missing: a change of the files, the index or the tasks. A commit that changes
/// none of them is no work. `changed` is unknown if the work tree could not be compared; then a tool call counts.
pub const fn lacks_required_work(
    stream_summary: Option<&StreamSummary>,
    changed: Option<bool>,
) -> bool {
    match changed {
        Some(changed) => !changed,
        None => stream_summary.is_some() && did_no_work(stream_summary, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{AgentActivity, AgentOutcome, OutcomeClass};

    #[test]
    fn no_work_means_no_tool_call_and_no_change() {
        let stream_summary = |tool_calls| StreamSummary {
            outcome: AgentOutcome::of(OutcomeClass::Finished),
            activity: AgentActivity { tool_calls, ..AgentActivity::default() },
        };
        let (idle, busy) = (stream_summary(0), stream_summary(1));
        let mut denied = stream_summary(2);
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
        for (stream_summary, changed, expected) in table {
            let what = format!("{stream_summary:?} {changed:?}");
            assert_eq!(did_no_work(stream_summary, changed), expected, "{what}");
            let is_missing = changed.map_or(expected, |changed| !changed);
            assert_eq!(lacks_required_work(stream_summary, changed), is_missing, "{what}");
        }
    }
}
