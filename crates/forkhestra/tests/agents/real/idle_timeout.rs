//! Agents without progress, and agents whose tools work silently.

use serde_json::json;
use testkit::{AgentClient, ModelTurn};

use super::for_each_agent;
use super::real_agent_project::RealAgentProject;

for_each_agent!(
    a_provider_that_never_answers_ends_the_iteration,
    a_tool_that_hangs_ends_the_iteration,
    a_silent_tool_that_works_is_not_idle,
);

/// Runs one iteration that the idle timeout ends. The reason is the same for a provider and for a
/// tool.
#[track_caller]
fn idle(stage: &RealAgentProject, limit: &str) {
    let said = stage.run(&["worker:1", "--idle-timeout", limit]);
    assert_eq!(said.code, Some(1), "{said}");
    let why = format!(
        "stopped by forkhestra: no progress for {limit}: no text, tool result or usage (--idle-timeout)"
    );
    assert!(said.to_string().contains(&why), "{said}");
    let verdict = &stage.world.all("iteration_finished")[0]["verdict"];
    assert_eq!((&verdict["kind"], &verdict["why"]), (&json!("ended"), &json!("idle")), "{said}");
}

fn a_provider_that_never_answers_ends_the_iteration(agent: AgentClient) {
    let Some(stage) = RealAgentProject::new(agent, vec![ModelTurn::text("never").hang()]) else {
        return;
    };
    idle(&stage, "5s");
}

fn a_tool_that_hangs_ends_the_iteration(agent: AgentClient) {
    let turns =
        vec![ModelTurn::text("Wait.").shell(agent, "sleep 600"), ModelTurn::text("never").hang()];
    let Some(stage) = RealAgentProject::new(agent, turns) else { return };
    idle(&stage, "5s");
}

/// A command that takes twice the idle timeout.
fn a_silent_tool_that_works_is_not_idle(agent: AgentClient) {
    let busy = "timeout 9 sh -c 'while :; do :; done'; echo over > made.txt";
    let turns =
        vec![ModelTurn::text("Work.").shell(agent, busy), ModelTurn::text("FORKHESTRA_COMPLETE")];
    let Some(stage) = RealAgentProject::new(agent, turns) else { return };
    let said = stage.run(&["worker:1", "--idle-timeout", "4s"]);
    assert_eq!(said.code, Some(0), "{said}");
    assert_eq!(stage.world.env.read("made.txt"), "over\n", "{said}");
}
