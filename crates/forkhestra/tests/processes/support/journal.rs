//! Reads the journal of a run.

use std::path::Path;

use serde_json::Value;

/// The events of a journal, in order, without a torn last line.
pub(crate) fn events(journal: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(journal).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The outcomes of iterations and steps, without what differs from run to run.
pub(crate) fn outcome(events: &[Value]) -> Vec<String> {
    let is_interrupted = |event: &Value| {
        let cancelled = event["verdict"]["why"] == "cancelled" || event["reason"] == "interrupted";
        cancelled
            || event["verdict"]["kind"] == "interrupted"
            || event["end"]["kind"] == "interrupted"
    };
    let outcomes = events.iter().filter(|event| !is_interrupted(event));
    outcomes
        .filter_map(|event| match event["event"].as_str()? {
            "iteration_finished" => {
                let unit = &event["unit"];
                let verdict = &event["verdict"]["kind"];
                Some(format!("{}.{} {verdict}", unit["step"], unit["iteration"]))
            }
            "step_finished" => Some(format!("step {} {}", event["step"], event["reason"])),
            "run_finished" => Some(format!("run {}", event["end"]["kind"])),
            _ => None,
        })
        .collect()
}
