//! When a completion claim of an agent with a parsed stream is accepted.

use serde_json::json;

use crate::scripted_stream::ScriptedStream;
use crate::support::AgentProject;

const DONE: &str = "Everything is done.\nFORKHESTRA_COMPLETE\n";

#[test]
fn the_marker_in_the_last_message_completes_a_loop() {
    let project = AgentProject::new(&[
        ScriptedStream::new().runs("make", "ok").model_message("One task of two.").succeeds(0.01),
        ScriptedStream::new().runs("make", "ok").model_message(DONE).succeeds(0.01),
    ]);
    let output = project.run(&["worker:5"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(project.started(), ["1", "2"]);
    let requested = project.all("completion_requested");
    assert_eq!(requested.len(), 1, "{requested:?}");
    assert_eq!(
        (&requested[0]["by"]["message"], &requested[0]["by"]["line"]),
        (&json!(2), &json!(2))
    );
}

#[test]
fn a_marker_outside_the_last_message_is_ignored() {
    let stream = || ScriptedStream::new().runs("make", "ok");
    let elsewhere = [
        (
            "in an earlier message",
            stream().model_message(DONE).runs("ls", "a").model_message("bye").succeeds(0.01),
        ),
        (
            "in the output of a tool",
            stream().runs("cat x", DONE).model_message("bye").succeeds(0.01),
        ),
        ("in a command", stream().runs(DONE, "").model_message("bye").succeeds(0.01)),
        ("in thoughts", stream().model_message("bye").thinks(DONE).succeeds(0.01)),
        ("by a subagent", stream().model_message("bye").subagent_says(DONE).succeeds(0.01)),
        ("in a sentence", stream().model_message("I will say FORKHESTRA_COMPLETE.").succeeds(0.01)),
        ("in the prompt that is repeated", stream().raw(DONE).model_message("bye").succeeds(0.01)),
        (
            "in an example",
            stream().model_message("Say\n```\nFORKHESTRA_COMPLETE\n```\nwhen done.").succeeds(0.01),
        ),
        (
            "before the turn limit",
            stream().model_message(DONE).ends(&json!({
                "subtype": "error_max_turns", "is_error": true, "terminal_reason": "max_turns",
                "errors": ["Reached maximum number of turns (3)"], "total_cost_usd": 0.01,
            })),
        ),
        (
            "before an error",
            stream().model_message(DONE).ends(&json!({
                "subtype": "error_during_execution", "is_error": true,
                "terminal_reason": "aborted_streaming", "total_cost_usd": 0.01,
            })),
        ),
    ];
    for (place, stream) in elsewhere {
        let project = AgentProject::new(&[stream]);
        let output = project.run(&["worker:1"]);
        assert_eq!(output.code, Some(1), "{place}: {output}");
        assert!(project.all("step_finished")[0]["reason"] != "marker", "{place}: {output}");
    }
}

#[test]
fn a_second_result_replaces_the_first() {
    let project = AgentProject::new(&[ScriptedStream::new()
        .runs("make", "ok")
        .model_message(DONE)
        .succeeds(0.01)
        .model_message("No, the background task failed.")
        .succeeds(0.02)]);
    let output = project.run(&["worker:1"]);
    assert_eq!(output.code, Some(1), "{output}");
}

#[test]
fn a_fake_agent_without_a_stream_is_treated_as_a_plain_program() {
    let echo = ScriptedStream::default().raw("Working.").raw("FORKHESTRA_COMPLETE");
    let project = AgentProject::new(&[echo]);
    let output = project.run(&["worker:3"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("\nWorking.\nFORKHESTRA_COMPLETE\n"), "{output}");
}

#[test]
fn completion_without_tool_calls_is_refused_where_work_is_required() {
    let stream = || ScriptedStream::new().model_message(DONE).succeeds(0.01);
    let project = AgentProject::new(&[stream()]);
    let output = project.run(&["worker:3"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr.contains("used no tool and changed nothing"), "{output}");

    let config = r#"{
        "agents": { "worker": { "systemPromptText": "" } },
        "chains": { "strict": { "steps": [
            { "agent": "worker", "iterations": 2, "requireWork": true }
        ] } }
    }"#;
    let project = AgentProject::with_config(config, &[stream()]);
    let output = project.run(&["--chain", "strict"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.started(), ["1", "2"]);
    assert_eq!(project.all("iteration_finished")[0]["verdict"]["kind"], "refused");
}

#[test]
fn an_agent_that_runs_once_is_judged_by_its_exit_code() {
    let stream = || ScriptedStream::new().model_message("Planned.").succeeds(0.01);
    let project = AgentProject::new(&[stream()]);
    assert_eq!(project.run(&["worker"]).code, Some(0));
    let project = AgentProject::new(&[stream()]).exits(1, 3);
    let output = project.run(&["worker"]);
    assert_eq!(output.code, Some(1), "{output}");
}
