//! What counts as progress of an agent with a parsed stream, with stand-ins that never exit.

use crate::scripted_stream::ScriptedStream;
use crate::support::AgentProject;

const ENDED: &str =
    "stopped by forkhestra: no progress for 2s: no text, tool result or usage (--idle-timeout)";

/// A project whose stand-in begins its stream and then runs `body` for ever.
fn with_endless_agent(body: &str) -> AgentProject {
    let project = AgentProject::new(&[ScriptedStream::new()]);
    let script = format!(r#"cat "$PLACE/stream.1"; while :; do {body}; done"#);
    project.env.agent("claude", &script);
    project
}

#[test]
fn retries_are_no_progress_although_they_are_printed() {
    let retry = r#"{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":0,"error_status":null,"error":"unknown"}"#;
    let project = with_endless_agent(&format!("echo '{retry}'; sleep 0.2"));
    let output = project.run(&["worker:1", "--idle-timeout", "2s", "--timeout", "15s"]);
    assert!(output.stdout.contains(ENDED), "{output}");
    assert!(output.stdout.contains("retry 1/10 in 0s: no answer for 1"), "{output}");
    assert!(!output.stdout.contains("unknown"), "{output}");
}

#[test]
fn processor_time_is_no_progress_while_no_tool_runs() {
    let project = with_endless_agent(":");
    let output = project.run(&["worker:1", "--idle-timeout", "2s", "--timeout", "15s"]);
    assert!(output.stdout.contains(ENDED), "{output}");
}
