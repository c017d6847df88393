//! How a loop reacts to each way an agent can end.

use serde_json::json;

use crate::scripted_stream::ScriptedStream;
use crate::support::AgentProject;

const DONE: &str = "FORKHESTRA_COMPLETE";

fn worked() -> ScriptedStream {
    ScriptedStream::new().runs("make", "ok")
}

#[test]
fn an_authentication_error_ends_the_agent_at_once() {
    let project =
        AgentProject::new(&[ScriptedStream::new().retries(401, "authentication_failed")]).hangs(1);
    let output = project.run(&["worker:5"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.started(), ["1"]);
    assert_eq!(project.all("step_finished")[0]["reason"], "authentication");
    let all = output.to_string();
    assert!(all.contains("log in") || all.contains("/login"), "{all}");
    assert!(all.contains("ANTHROPIC_API_KEY"), "{all}");
}

#[test]
fn a_billing_error_stops_the_run() {
    let credit = worked().ends(&json!({
        "subtype": "success", "is_error": true, "api_error_status": 400,
        "terminal_reason": "api_error", "result": "Credit balance is too low",
        "total_cost_usd": 0,
    }));
    let project = AgentProject::new(&[credit]).exits(1, 1);
    let output = project.run(&["worker:5"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.all("step_finished")[0]["reason"], "billing");
    assert!(output.to_string().contains("Credit balance is too low"), "{output}");
}

#[test]
fn an_api_key_printed_by_an_agent_is_not_recorded() {
    let config = r#"{
        "agents": { "worker": { "systemPromptText": "", "env": { "MY_KEY": "sk-\"0123456" } } },
        "chains": {}
    }"#;
    let ends = ScriptedStream::new().ends(&json!({
        "subtype": "success", "is_error": true, "api_error_status": 403,
        "terminal_reason": "api_error", "result": "no such key: sk-\"0123456", "total_cost_usd": 0,
    }));
    let retries = ScriptedStream::new().retries(401, "no such key: sk-\"0123456");
    for project in [
        AgentProject::with_config(config, &[ends]).exits(1, 1),
        AgentProject::with_config(config, &[retries]).hangs(1),
    ] {
        let output = project.run(&["worker:5"]);
        assert_eq!(project.all("step_finished")[0]["reason"], "authentication", "{output}");
        let events = format!("{:?}", project.events());
        assert!(events.contains("no such key: ***********"), "{events}");
        assert!(!events.contains("0123456"), "{events}");
        let raw = project.run(&["logs", "--raw"]).success();
        assert!(raw.contains("no such key: ****") && !raw.contains("0123456"), "{raw}");
    }
}

#[test]
fn an_agent_billed_to_the_wrong_account_is_ended_before_it_spends() {
    let config = r#"{
        "agents": { "worker": { "systemPromptText": "", "billing": "subscription" } },
        "chains": {}
    }"#;
    let project = AgentProject::with_config(config, &[ScriptedStream::new()]).hangs(1);
    let output = project.run(&["worker:5"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.all("step_finished")[0]["reason"], "billing");
    assert!(output.stdout.contains("the wrong account would pay: it would pay with"), "{output}");
    assert!(
        output.stdout.contains("What to do: unset ANTHROPIC_API_KEY, then resume; or"),
        "{output}"
    );

    let fine =
        ScriptedStream::paid_by("none").runs("make", "ok").model_message(DONE).succeeds(0.01);
    let project = AgentProject::with_config(config, &[fine]);
    assert_eq!(project.run(&["worker:5"]).code, Some(0));
}

#[test]
fn a_turn_limit_is_followed_by_a_fresh_start() {
    let limit = worked().model_message(DONE).ends(&json!({
        "subtype": "error_max_turns", "is_error": true, "terminal_reason": "max_turns",
        "errors": ["Reached maximum number of turns (3)"], "total_cost_usd": 0.01,
    }));
    let done = worked().model_message(DONE).succeeds(0.01);
    let project = AgentProject::new(&[limit, done]).exits(1, 1);
    let output = project.run(&["worker:5"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(project.started(), ["1", "2"]);
    let finished = project.all("iteration_finished");
    assert_eq!(finished[0]["verdict"]["kind"], "incomplete");
    assert_eq!(finished[0]["heard"]["outcome"]["class"], "turn_limit");
    assert!(project.all("backing_off").is_empty(), "a turn limit is no crash");
    assert!(output.stdout.contains("Iteration 1/5 stopped: its turns are used up\n"), "{output}");
}

#[test]
fn turns_counted_by_forkhestra_end_an_iteration_like_the_agents_own_limit() {
    let config = r#"{
        "agents": { "worker": { "systemPromptText": "", "backend": "codex", "maxTurns": 1 } },
        "chains": {}
    }"#;
    let item = |item: serde_json::Value| json!({ "type": "item.completed", "item": item });
    let says = |text| item(json!({ "id": text, "type": "agent_message", "text": text }));
    let runs = item(json!({
        "id": "run", "type": "command_execution", "command": "make", "aggregated_output": "",
        "exit_code": 0, "status": "completed",
    }));
    let at_work = ScriptedStream::default()
        .line(&json!({ "type": "thread.started", "thread_id": "x" }))
        .line(&json!({ "type": "turn.started" }))
        .line(&says("one"))
        .line(&runs)
        .line(&says("two"))
        .line(&runs)
        .line(&says("three"));
    let project = AgentProject::with_config(config, &[at_work]).hangs(1);
    project.env.agent("codex", "cat \"$PLACE/stream.1\"; exec sleep 1000");
    let output = project.run(&["worker:1"]);
    let expected = "Iteration 1/1 stopped: its turns are used up (maxTurns 1)\n";
    assert!(output.stdout.contains(expected), "{output}");
    let shown = project.run(&["show", "-v"]).success();
    assert!(shown.contains("stopped by forkhestra: its turns are used up"), "{shown}");
}

#[test]
fn a_prompt_that_is_too_long_is_not_retried() {
    let long = ScriptedStream::new().ends(&json!({
        "subtype": "success", "is_error": true, "api_error_status": 400,
        "api_error_type": "invalid_request_error", "terminal_reason": "prompt_too_long",
        "result": "Prompt is too long · the request is ~250000 tokens", "total_cost_usd": 0,
    }));
    let project = AgentProject::new(&[long]).exits(1, 1);
    let output = project.run(&["worker:5"]);
    assert_eq!((output.code, project.started().len()), (Some(1), 1), "{output}");
    assert_eq!(project.all("step_finished")[0]["reason"], "context_too_long");
}

#[test]
fn an_agent_that_refuses_to_run_as_root_gets_a_remedy() {
    let project = AgentProject::new(&[ScriptedStream::default()]).exits(1, 1);
    let refusal = "--dangerously-skip-permissions cannot be used with root/sudo privileges";
    project.env.agent("claude", &format!("echo '{refusal} for security reasons' >&2; exit 1"));
    let output = project.run(&["worker:5"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.all("step_finished")[0]["reason"], "misconfigured");
    assert_eq!(project.all("iteration_started").len(), 1);
    assert!(output.to_string().contains("IS_SANDBOX=1"), "{output}");
    assert!(
        !output.to_string().contains("What to do"),
        "the message of the agent is the remedy: {output}"
    );
}

#[test]
fn refusals_and_crashes_are_retried_after_a_wait() {
    let refusal = worked().ends(&json!({
        "subtype": "success", "is_error": true, "stop_reason": "refusal",
        "terminal_reason": "api_error", "result": "API Error: safeguards", "total_cost_usd": 0.01,
    }));
    let done = worked().model_message(DONE).succeeds(0.01);
    let project = AgentProject::new(&[refusal, done]).exits(1, 1);
    let output = project.run(&["worker:5"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(project.all("backing_off").len(), 1);
    assert_eq!(project.all("iteration_finished")[0]["heard"]["outcome"]["class"], "refused");
}

#[test]
fn an_agent_that_does_not_exit_after_its_result_keeps_its_verdict() {
    // The grace period of thirty seconds is too long for a test, so the iteration timeout ends the
    // agent.
    let project = AgentProject::new(&[worked().model_message(DONE).succeeds(0.01)]).hangs(1);
    let output = project.run(&["worker:5", "--timeout", "3s"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(project.started(), ["1"]);
}

#[test]
fn claude_is_not_started_as_root_outside_of_a_sandbox() {
    if !rustix::process::geteuid().is_root() {
        testkit::report_skipped("only root is refused");
        return;
    }
    let project = AgentProject::new(&[ScriptedStream::new()
        .model_message("FORKHESTRA_COMPLETE")
        .succeeds(0.1)]);
    let mut command = project.command(&["worker:1"]);
    let output = project.env.output_of(command.env_remove("IS_SANDBOX"));
    assert_eq!(output.code, Some(2), "{output}");
    assert!(
        output.stderr.contains("step 1: Claude Code does not skip permissions for root"),
        "{output}"
    );
    assert!(output.stderr.contains("set IS_SANDBOX=1 in a sandbox"), "{output}");
    assert!(project.started().is_empty(), "{output}");
}
