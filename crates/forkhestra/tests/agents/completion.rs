//! When a completion claim of an agent with a parsed stream is accepted.

use serde_json::json;

use crate::scripted_stream::ScriptedStream;
use crate::support::AgentProject;

const DONE: &str = "Everything is done.\nFORKHESTRA_COMPLETE\n";

#[test]
fn the_marker_in_the_last_message_completes_a_loop() {
    let world = AgentProject::new(&[
        ScriptedStream::new().runs("make", "ok").says("One task of two.").succeeds(0.01),
        ScriptedStream::new().runs("make", "ok").says(DONE).succeeds(0.01),
    ]);
    let said = world.run(&["worker:5"]);
    assert_eq!(said.code, Some(0), "{said}");
    assert_eq!(world.started(), ["1", "2"]);
    let requested = world.all("completion_requested");
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
        ("in an earlier message", stream().says(DONE).runs("ls", "a").says("bye").succeeds(0.01)),
        ("in the output of a tool", stream().runs("cat x", DONE).says("bye").succeeds(0.01)),
        ("in a command", stream().runs(DONE, "").says("bye").succeeds(0.01)),
        ("in thoughts", stream().says("bye").thinks(DONE).succeeds(0.01)),
        ("by a subagent", stream().says("bye").subagent_says(DONE).succeeds(0.01)),
        ("in a sentence", stream().says("I will say FORKHESTRA_COMPLETE.").succeeds(0.01)),
        ("in the prompt that is repeated", stream().raw(DONE).says("bye").succeeds(0.01)),
        (
            "in an example",
            stream().says("Say\n```\nFORKHESTRA_COMPLETE\n```\nwhen done.").succeeds(0.01),
        ),
        (
            "before the turn limit",
            stream().says(DONE).ends(&json!({
                "subtype": "error_max_turns", "is_error": true, "terminal_reason": "max_turns",
                "errors": ["Reached maximum number of turns (3)"], "total_cost_usd": 0.01,
            })),
        ),
        (
            "before an error",
            stream().says(DONE).ends(&json!({
                "subtype": "error_during_execution", "is_error": true,
                "terminal_reason": "aborted_streaming", "total_cost_usd": 0.01,
            })),
        ),
    ];
    for (place, stream) in elsewhere {
        let world = AgentProject::new(&[stream]);
        let said = world.run(&["worker:1"]);
        assert_eq!(said.code, Some(1), "{place}: {said}");
        assert!(world.all("step_finished")[0]["reason"] != "marker", "{place}: {said}");
    }
}

#[test]
fn a_second_result_replaces_the_first() {
    let world = AgentProject::new(&[ScriptedStream::new()
        .runs("make", "ok")
        .says(DONE)
        .succeeds(0.01)
        .says("No, the background task failed.")
        .succeeds(0.02)]);
    let said = world.run(&["worker:1"]);
    assert_eq!(said.code, Some(1), "{said}");
}

#[test]
fn a_fake_agent_without_a_stream_is_treated_as_a_plain_program() {
    let echo = ScriptedStream::default().raw("Working.").raw("FORKHESTRA_COMPLETE");
    let world = AgentProject::new(&[echo]);
    let said = world.run(&["worker:3"]);
    assert_eq!(said.code, Some(0), "{said}");
    assert!(said.stdout.contains("\nWorking.\nFORKHESTRA_COMPLETE\n"), "{said}");
}

#[test]
fn completion_without_tool_calls_is_refused_where_work_is_required() {
    let stream = || ScriptedStream::new().says(DONE).succeeds(0.01);
    let world = AgentProject::new(&[stream()]);
    let said = world.run(&["worker:3"]);
    assert_eq!(said.code, Some(0), "{said}");
    assert!(said.stderr.contains("used no tool and changed nothing"), "{said}");

    let config = r#"{
        "agents": { "worker": { "systemPromptText": "" } },
        "chains": { "strict": { "steps": [
            { "agent": "worker", "iterations": 2, "requireWork": true }
        ] } }
    }"#;
    let world = AgentProject::with_config(config, &[stream()]);
    let said = world.run(&["--chain", "strict"]);
    assert_eq!(said.code, Some(1), "{said}");
    assert_eq!(world.started(), ["1", "2"]);
    assert_eq!(world.all("iteration_finished")[0]["verdict"]["kind"], "refused");
}

#[test]
fn an_agent_that_runs_once_is_judged_by_its_exit_code() {
    let stream = || ScriptedStream::new().says("Planned.").succeeds(0.01);
    let world = AgentProject::new(&[stream()]);
    assert_eq!(world.run(&["worker"]).code, Some(0));
    let world = AgentProject::new(&[stream()]).exits(1, 3);
    let said = world.run(&["worker"]);
    assert_eq!(said.code, Some(1), "{said}");
}
