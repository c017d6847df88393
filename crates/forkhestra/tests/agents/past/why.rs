//! `forkhestra show --why` of runs that the provider or the cost ended.

use serde_json::json;

use crate::scripted_stream::ScriptedStream;
use crate::support::AgentProject;

#[track_caller]
fn assert_why(project: &AgentProject, parts: &[&str]) {
    let shown = project.run(&["show", "--why"]).success();
    for part in parts {
        assert!(shown.contains(part), "`{part}` is missing in:\n{shown}");
    }
}

#[test]
fn the_limit_of_cost_is_named_with_what_was_spent() {
    let stream = ScriptedStream::default().ends(&json!({
        "subtype": "success", "is_error": false, "num_turns": 4, "result": "One.",
        "total_cost_usd": 0.25,
    }));
    let project = AgentProject::new(&[stream]);
    assert_eq!(project.run(&["worker:5", "--max-cost", "0.40"]).code, Some(1));
    assert_why(
        &project,
        &[
            "step 1, worker, the cost limit is reached",
            "--max-cost $0.40: $0.50",
            "Last iterations of step 1:",
            "--max-cost 1",
        ],
    );
}

#[test]
fn a_failed_login_shows_the_message_of_the_agent() {
    let stream = ScriptedStream::default().ends(&json!({
        "subtype": "success", "is_error": true, "num_turns": 1,
        "result": "Invalid API key · Fix external API key", "total_cost_usd": 0,
    }));
    let project = AgentProject::new(&[stream]).exits(1, 1);
    assert_eq!(project.run(&["worker:5"]).code, Some(1));
    assert_why(
        &project,
        &["authentication failed", "said", "Invalid API key", "What to do: set ANTHROPIC_API_KEY"],
    );
}

#[test]
fn a_usage_limit_without_a_wait_shows_its_reset_time() {
    let project = crate::provider_waits::limited(7200);
    assert_eq!(project.run(&["worker:5", "--max-wait", "1h"]).code, Some(1));
    assert_why(
        &project,
        &["--max-wait 1h: the limit of the provider is reset at 20", "To resume: ", "--max-wait "],
    );
}
