//! `doctor --probe` with the real agents.

use serde_json::Value;
use testkit::{AgentClient, InstalledAgents};

use super::for_each_agent;
use super::real_agent_project::RealAgentProject;

for_each_agent!(a_probe_finds_that_it_works_and_calls_only_its_own_model);

fn probe_findings(stage: &RealAgentProject) -> Vec<Value> {
    let output = stage.run(&["doctor", "--probe", "--json"]);
    let object: Value = serde_json::from_str(&output.stdout).expect("it is JSON");
    let findings = object["findings"].as_array().expect("a list").iter();
    findings.filter(|finding| finding["subject"] == "probe").cloned().collect()
}

fn a_probe_finds_that_it_works_and_calls_only_its_own_model(agent: AgentClient) {
    let Some(stage) = with_identity(agent) else { return };
    let findings = probe_findings(&stage);
    assert!(!findings.is_empty(), "it is found");
    for finding in &findings {
        assert_eq!(finding["status"], "ok", "{finding}");
        let what = finding["what"].as_str().unwrap_or_default();
        let shell = "its shell used forge-tasks and committed";
        assert!(what.contains(shell), "{what}");
        assert!(what.ends_with("its marker was found, 480 tokens were counted"), "{what}");
    }
    assert!(stage.server.requests().is_empty(), "the agent keeps to what the probe gives it");
}

/// A project whose user has a global git identity. Only the PATH of the agent has git.
fn with_identity(agent: AgentClient) -> Option<RealAgentProject> {
    let stage =
        RealAgentProject::new(agent, Vec::new())?.set("PATH", "/usr/local/bin:/usr/bin:/bin");
    stage.world.env.write_home(".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n");
    Some(stage)
}

/// The only finding for an agent that is started by a wrapper script, in which `$AGENT` is the real
/// program.
fn probe_finding_with_wrapper(agent: AgentClient, script: &str) -> Option<Value> {
    let stage = with_identity(agent)?;
    let program = InstalledAgents::find()?.program(agent);
    stage.world.env.agent("wrapper", &script.replace("$AGENT", &program.display().to_string()));
    let wrapper = stage.world.env.bin().join("wrapper");
    let variable = format!("{}_PATH", agent.name().to_uppercase());
    let stage = stage.set(&variable, wrapper.to_str()?);
    let findings = probe_findings(&stage);
    assert_eq!(findings.len(), 1, "{findings:?}");
    findings.into_iter().next()
}

#[test]
fn a_probe_finds_that_a_login_shell_hides_forge_tasks() {
    // Debian's /etc/profile resets PATH.
    let script = "for arg; do shift; case $arg in *allow_login_shell*) arg=allow_login_shell=true;; \
                  esac; set -- \"$@\" \"$arg\"; done; exec $AGENT \"$@\"";
    let Some(finding) = probe_finding_with_wrapper(AgentClient::Codex, script) else { return };
    let what = finding["what"].as_str().unwrap_or_default();
    assert_eq!(finding["status"], "broken", "{finding}");
    assert!(what.contains("its shell cannot use `forge-tasks`"), "{what}");
    assert!(what.contains("not found"), "{what}");
}

#[test]
fn a_probe_finds_that_a_shell_has_no_git_identity() {
    let script = "unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL; \
                  exec $AGENT \"$@\"";
    let Some(finding) = probe_finding_with_wrapper(AgentClient::Gemini, script) else { return };
    let what = finding["what"].as_str().unwrap_or_default();
    assert_eq!(finding["status"], "broken", "{finding}");
    assert!(what.contains("its shell cannot commit"), "{what}");
    assert!(what.contains("dentity"), "{what}");
}
