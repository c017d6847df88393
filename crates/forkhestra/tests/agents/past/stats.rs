//! Statistics of runs whose agents report their cost.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::scripted_stream::ScriptedStream;
use crate::support::AgentProject;

const DONE: &str = "FORKHESTRA_COMPLETE";

/// An iteration that costs this much and says this.
fn iteration(dollars: f64, text: &str) -> ScriptedStream {
    ScriptedStream::new().runs("make", "ok").model_message(text).succeeds(dollars)
}

fn stats(project: &AgentProject, args: &[&str]) -> Value {
    let output = project.run(&[&["stats", "--json"], args].concat());
    assert_eq!(output.code, Some(0), "{output}");
    serde_json::from_str(&output.stdout).expect("it is JSON")
}

#[test]
fn money_is_counted_by_what_became_of_the_work() {
    let config = r#"{
        "agents": { "worker": { "systemPromptText": "You are a worker.", "model": "sonnet" } },
        "chains": {}
    }"#;
    let streams = [iteration(0.25, "Not yet."), iteration(0.5, DONE), iteration(1.25, DONE)];
    let project = AgentProject::with_config(config, &streams);
    // The first claim is refused.
    let check = r#"command:"test -e ../seen || { : > ../seen; exit 1; }""#;
    let output = project.run(&["worker:9", "--check", check]);
    assert_eq!(output.code, Some(0), "{output}");
    let report = stats(&project, &[]);
    let money = json!({
        "atLeast": false, "total": 2.0, "productive": 1.5, "refused": 0.5,
        "noChange": 0.0, "aborted": 0.0, "running": 0.0, "withoutTask": 2.0,
    });
    assert_eq!(report["money"], money, "{report}");
    assert_eq!(report["agents"][0]["name"], "worker (sonnet)");
    assert_eq!(report["mostExpensive"][0]["cost"], 2.0);
    let text = project.run(&["stats"]).stdout;
    assert!(text.contains("$2.0000: productive $1.5000, refused $0.5000"), "{text}");
    let models = stats(&project, &["--by", "model"]);
    assert_eq!(models["groups"][0]["name"], "sonnet");
}

#[test]
fn the_money_of_a_killed_agent_counts_as_aborted() {
    let at_work = ScriptedStream::new().runs("make", "ok").model_message("Still at it.");
    let project = AgentProject::new(&[at_work]).hangs(1);
    let run = project.start(&["worker:5"]);
    testkit::eventually("something is spent", || {
        let spent = std::panic::catch_unwind(|| project.all("spent")).unwrap_or_default();
        (!spent.is_empty()).then_some(())
    });
    let running = stats(&project, &[]);
    assert_eq!(running["runs"]["byStatus"], json!({ "running": 1 }));
    assert_eq!(running["money"]["total"], running["money"]["running"], "{running}");
    run.signal(Signal::INT);
    run.ended();
    let over = stats(&project, &[]);
    assert_eq!(over["runs"]["byStatus"], json!({ "interrupted": 1 }));
    assert_eq!(over["money"]["total"], over["money"]["aborted"], "{over}");
    assert!(over["money"]["total"].as_f64().is_some_and(|total| total > 0.0), "{over}");
}
