//! Errors of the provider.

use rustix::process::Signal;
use testkit::{AgentClient, ModelTurn};

use super::real_agent_project::RealAgentProject;
use super::{error_body, for_each_agent};

for_each_agent!(an_unknown_key_stops_the_run_at_once, a_prompt_that_is_too_long_stops_the_run);

fn an_unknown_key_stops_the_run_at_once(agent: AgentClient) {
    let error = error_body(agent, "authentication_error", "invalid x-api-key");
    let Some(stage) = RealAgentProject::new(agent, vec![ModelTurn::new().status(401).error(error)])
    else {
        return;
    };
    let output = stage.run(&["worker:5"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(stage.outcomes(), ["authentication"], "{output}");
    assert_eq!(stage.reason(), "authentication", "{output}");
    let asked = stage.server.main_requests().len();
    assert!(asked <= 4, "the agent retried too often: {asked} requests");
}

fn a_prompt_that_is_too_long_stops_the_run(agent: AgentClient) {
    let (kind, message) = match agent {
        AgentClient::Claude => {
            ("invalid_request_error", "prompt is too long: 250000 tokens > 200000")
        }
        AgentClient::Codex | AgentClient::Opencode => {
            ("context_length_exceeded", "Your input exceeds the context window of this model.")
        }
        AgentClient::Gemini => (
            "INVALID_ARGUMENT",
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        ),
    };
    let turn = ModelTurn::new().status(400).error(error_body(agent, kind, message));
    let Some(stage) = RealAgentProject::new(agent, vec![turn]) else { return };
    let output = stage.run(&["worker:5"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(stage.reason(), "context_too_long", "{output}");
    assert_eq!(stage.outcomes().len(), 1, "{output}");
}

/// Starts a run, waits until it waits for its provider, and interrupts it.
fn assert_waits(stage: &RealAgentProject, class: &str) {
    let run = stage.start(&["worker:5"]);
    run.wait_for("trying again in");
    run.signal(Signal::INT);
    let (output, code) = run.ended();
    assert_eq!(code, Some(130), "{output}");
    assert_eq!(stage.outcomes(), [class], "{output}");
    assert_eq!(stage.world.all("waiting")[0]["why"], class, "{output}");
    assert_eq!(stage.world.all("iteration_finished")[0]["verdict"]["kind"], "postponed");
}

#[test]
fn claude_waits_when_it_sends_too_many_requests_or_its_provider_is_overloaded() {
    let cases = [(429, "rate_limit_error"), (529, "overloaded_error"), (500, "api_error")];
    for (status, kind) in cases {
        let turn =
            ModelTurn::new().status(status).error(error_body(AgentClient::Claude, kind, "not now"));
        let Some(stage) = RealAgentProject::new(AgentClient::Claude, vec![turn]) else { return };
        assert_waits(&stage.set("CLAUDE_CODE_MAX_RETRIES", "1"), "overloaded");
    }
}

#[test]
fn codex_waits_when_its_provider_is_overloaded() {
    for (status, kind) in [(429, "rate_limit_exceeded"), (503, "server_error")] {
        let turn =
            ModelTurn::new().status(status).error(error_body(AgentClient::Codex, kind, "not now"));
        let Some(stage) = RealAgentProject::new(AgentClient::Codex, vec![turn]) else { return };
        assert_waits(&stage, "overloaded");
    }
}

#[test]
fn gemini_waits_when_its_provider_is_overloaded() {
    for (status, kind) in [(429, "RESOURCE_EXHAUSTED"), (503, "UNAVAILABLE")] {
        let error = error_body(AgentClient::Gemini, kind, "The model is overloaded.");
        let turn = ModelTurn::new().status(status).error(error);
        let Some(stage) = RealAgentProject::new(AgentClient::Gemini, vec![turn]) else { return };
        assert_waits(&stage, "overloaded");
    }
}

#[test]
fn opencode_waits_when_it_sends_too_many_requests() {
    let error = error_body(AgentClient::Opencode, "rate_limit_exceeded", "Too many requests");
    let turn = ModelTurn::new().status(429).header("retry-after", "1").error(error);
    let Some(stage) = RealAgentProject::new(AgentClient::Opencode, vec![turn]) else { return };
    assert_waits(&stage, "overloaded");
}

#[test]
fn a_refusal_is_a_failed_attempt_and_does_not_end_the_run() {
    let turns = vec![
        ModelTurn::text("No.").stop("refusal"),
        ModelTurn::text("No.").stop("refusal"),
        ModelTurn::text("Yes.").shell(AgentClient::Claude, "echo hi > made.txt"),
        ModelTurn::text("FORKHESTRA_COMPLETE"),
    ];
    let Some(stage) = RealAgentProject::new(AgentClient::Claude, turns) else { return };
    let output = stage.run(&["worker:3"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(stage.outcomes(), ["refused", "finished"], "{output}");
}

#[test]
fn a_marker_before_a_dropped_connection_is_ignored() {
    let turns = vec![
        ModelTurn::text("I begin to speak, and then\nFORKHESTRA_COMPLETE\nis cut off").cut(),
        ModelTurn::text("Again.").shell(AgentClient::Claude, "echo hi > made.txt"),
        ModelTurn::text("Not done yet."),
    ];
    let Some(stage) = RealAgentProject::new(AgentClient::Claude, turns) else { return };
    let output = stage.run(&["worker:1"]);
    assert_eq!(output.code, Some(1), "a marker in a cut response does not count: {output}");
    assert_eq!(stage.reason(), "max_iterations", "{output}");
}
