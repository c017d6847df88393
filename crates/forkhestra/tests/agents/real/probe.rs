//! `doctor --probe` starts the real agents, and finds that they work.

use serde_json::Value;
use testkit::Agent;

use super::for_each_agent;
use super::stage::Stage;

for_each_agent!(a_probe_finds_that_it_works, a_probe_asks_nobody_but_its_own_model);

fn probed(stage: &Stage) -> Vec<Value> {
    let output = stage.run(&["doctor", "--probe", "--json"]);
    let object: Value = serde_json::from_str(&output.stdout).expect("it is JSON");
    let findings = object["findings"].as_array().expect("a list").iter();
    findings.filter(|finding| finding["subject"] == "probe").cloned().collect()
}

fn a_probe_finds_that_it_works(agent: Agent) {
    let Some(stage) = Stage::new(agent, Vec::new()) else { return };
    // The path of the agent is the only one that leads to one.
    let stage = stage.set("PATH", "/usr/local/bin:/usr/bin:/bin");
    let findings = probed(&stage);
    assert!(!findings.is_empty(), "it is found");
    for finding in &findings {
        assert_eq!(finding["status"], "ok", "{finding}");
        let what = finding["what"].as_str().unwrap_or_default();
        assert!(what.ends_with("its marker was understood, 120 tokens were counted"), "{what}");
    }
}

fn a_probe_asks_nobody_but_its_own_model(agent: Agent) {
    let Some(stage) = Stage::new(agent, Vec::new()) else { return };
    let stage = stage.set("PATH", "/usr/local/bin:/usr/bin:/bin");
    probed(&stage);
    assert!(stage.server.requests().is_empty(), "the agent keeps to what the probe gives it");
}
