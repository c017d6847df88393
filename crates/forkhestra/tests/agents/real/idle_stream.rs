//! Retries that are not in the stream.

use rustix::process::Signal;
use serde_json::{Value, json};
use testkit::{AgentClient, ModelTurn};

use super::error_body;
use super::real_agent_project::RealAgentProject;

/// An error response with a status other than 200, in the format of the provider.
fn refusal(agent: AgentClient, status: u16, kind: &str, message: &str) -> ModelTurn {
    ModelTurn::new().status(status).error(error_body(agent, kind, message))
}

/// Starts a run, waits until it prints `text`, and interrupts it.
#[track_caller]
fn output_before_interrupt(stage: &RealAgentProject, text: &str) -> String {
    let run = stage.start(&["worker:3"]);
    run.wait_for(text);
    run.signal(Signal::INT);
    let (output, code) = run.ended();
    assert_eq!(code, Some(130), "{output}");
    output
}

fn report(stage: &RealAgentProject) -> Value {
    stage.world.all("iteration_finished").into_iter().next().expect("an iteration is over")
}

#[test]
fn retries_of_gemini_are_visible_and_its_traces_are_only_in_the_log() {
    let turn = refusal(AgentClient::Gemini, 500, "INTERNAL", "oops");
    let Some(stage) = RealAgentProject::new(AgentClient::Gemini, vec![turn]) else { return };
    let output = output_before_interrupt(&stage, "trying again in");
    assert!(output.contains("retry 1: oops (500)"), "{output}");
    assert!(!output.contains("    at "), "no stack trace is shown: {output}");
    let report = report(&stage);
    assert_eq!(report["heard"]["activity"]["retries"], 1, "{report}");
    assert_eq!(stage.outcomes(), ["overloaded"], "{output}");
    let logs = stage.run(&["logs", "--raw"]);
    assert!(logs.stderr.contains("Retrying with backoff..."), "{logs}");
    assert!(logs.stderr.contains("    at "), "{logs}");
}

#[test]
fn gemini_reports_how_long_it_waits() {
    let turn =
        refusal(AgentClient::Gemini, 429, "RESOURCE_EXHAUSTED", "Slow down. Please retry in 45s");
    let Some(stage) = RealAgentProject::new(AgentClient::Gemini, vec![turn]) else { return };
    let output = output_before_interrupt(&stage, "retry 1 in ");
    assert!(output.contains("Slow down."), "{output}");
}

#[test]
fn a_silent_hour_of_opencode_becomes_a_visible_wait() {
    let turn = refusal(AgentClient::Opencode, 429, "rate_limit_exceeded", "Rate limit reached")
        .header("retry-after", "3600");
    let Some(stage) = RealAgentProject::new(AgentClient::Opencode, vec![turn]) else { return };
    let output = output_before_interrupt(&stage, "waiting until");
    assert_eq!(stage.outcomes(), ["usage_limit"], "{output}");
    let report = report(&stage);
    assert_eq!(report["verdict"]["kind"], "postponed", "no iteration is used up: {report}");
    let outcome = &report["heard"]["outcome"];
    assert!(outcome["resets"].is_string(), "{outcome}");
    assert_eq!(outcome["message"], "Rate limit reached", "{outcome}");
    assert_eq!(stage.world.all("waiting")[0]["why"], "usage_limit", "{output}");
    assert_eq!(stage.server.main_requests().len(), 1, "{output}");
}

#[test]
fn opencode_does_not_retry_a_billing_error() {
    let message = "You exceeded your current quota, please check your plan and billing details. For \
                   more information on this error, read the docs: \
                   https://platform.openai.com/docs/guides/error-codes/api-errors.";
    let turn = refusal(AgentClient::Opencode, 429, "insufficient_quota", message);
    let Some(stage) = RealAgentProject::new(AgentClient::Opencode, vec![turn]) else { return };
    let output = stage.run(&["worker:3"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(stage.reason(), "billing", "{output}");
    assert_eq!(stage.server.main_requests().len(), 1, "{output}");
}

#[test]
fn retries_of_opencode_are_visible_and_it_continues_when_its_provider_recovers() {
    let turns = vec![
        refusal(AgentClient::Opencode, 503, "server_error", "oops"),
        ModelTurn::text("Here.").shell(AgentClient::Opencode, "echo hi > made.txt"),
        ModelTurn::text("FORKHESTRA_COMPLETE"),
    ];
    let fields = json!({ "env": { "OPENCODE_CONFIG_CONTENT": "{\"username\": \"me\"}" } });
    let Some(stage) = RealAgentProject::with(AgentClient::Opencode, &fields, turns) else { return };
    let output = stage.run(&["worker:1"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("retry 1 in ") && output.stdout.contains("oops"), "{output}");
    assert!(
        !output.to_string().contains("opencode tries again"),
        "it is not reported twice: {output}"
    );
    let report = report(&stage);
    assert_eq!(report["heard"]["activity"]["retries"], 1, "{report}");
    // The only warning is that this is no repository.
    let others = output.stderr.lines().filter(|line| !line.contains("is not in a git repository"));
    assert_eq!(others.collect::<Vec<_>>(), [""; 0], "{output}");
    assert!(!output.stdout.contains("stderr"), "{output}");
}
