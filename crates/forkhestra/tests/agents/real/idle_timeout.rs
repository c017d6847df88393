//! Agents without progress, and agents whose tools work silently.
//!
//! The limit is set when the agent is where the test wants it, so that a slow start does not count.

use serde_json::json;
use testkit::{AgentClient, ModelTurn, eventually};

use super::for_each_agent;
use super::real_agent_project::RealAgentProject;

for_each_agent!(
    a_silent_tool_that_works_is_not_idle_and_a_silent_provider_is,
    a_tool_that_hangs_ends_the_iteration,
);

/// Runs one iteration, limits its idle time once its tool has created the file `up`, and asserts
/// that the limit ends it. The reason is the same for a provider and for a tool.
#[track_caller]
fn assert_becomes_idle(stage: &RealAgentProject) {
    let run = stage.start(&["worker:1"]);
    eventually("the tool is at work", || stage.world.env.has("up").then_some(()));
    stage.run(&["set", "--idle-timeout", "2s"]).success();
    let (output, code) = run.ended();
    assert_eq!(code, Some(1), "{output}");
    let why =
        "stopped by forkhestra: no progress for 2s: no text, tool result or usage (--idle-timeout)";
    assert!(output.contains(why), "{output}");
    let verdict = &stage.world.all("iteration_finished")[0]["verdict"];
    assert_eq!((&verdict["kind"], &verdict["why"]), (&json!("ended"), &json!("idle")), "{output}");
}

/// The command takes twice the idle timeout.
fn a_silent_tool_that_works_is_not_idle_and_a_silent_provider_is(agent: AgentClient) {
    let busy = "touch up; timeout 4 sh -c 'while :; do :; done'; echo over > made.txt";
    let turns = vec![ModelTurn::text("Work.").shell(agent, busy), ModelTurn::text("never").hang()];
    let Some(stage) = RealAgentProject::new(agent, turns) else { return };
    assert_becomes_idle(&stage);
    assert_eq!(stage.world.env.read("made.txt"), "over\n");
}

fn a_tool_that_hangs_ends_the_iteration(agent: AgentClient) {
    let turns = vec![
        ModelTurn::text("Wait.").shell(agent, "touch up; sleep 600"),
        ModelTurn::text("never").hang(),
    ];
    let Some(stage) = RealAgentProject::new(agent, turns) else { return };
    assert_becomes_idle(&stage);
}
