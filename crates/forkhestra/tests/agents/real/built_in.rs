//! Built-in agents on each of the real programs.

use testkit::{AgentClient, ModelTurn};

use super::for_each_agent;
use super::real_agent_project::RealAgentProject;

const DONE: &str = "The plan is whole.\nFORKHESTRA_COMPLETE\n";

for_each_agent!(a_built_in_agent_works_with_its_own_prompt);

fn a_built_in_agent_works_with_its_own_prompt(agent: AgentClient) {
    // The completion of a planner without tasks is refused.
    let plan = "forge-tasks create Shop --plain && echo planned > seen.txt";
    let turns = vec![ModelTurn::text("I look.").shell(agent, plan), ModelTurn::text(DONE)];
    let Some(stage) = RealAgentProject::new(agent, turns) else { return };
    stage.world.env.write("forge/orch/specs/PLAN.md", "A shop.\n");
    let mut args = vec!["planner:1", "--backend", agent.name()];
    if agent == AgentClient::Gemini {
        // Without a model it asks one to choose, and the scripted server has no answer to that.
        args.extend(["--", "--model", agent.model()]);
    }
    let said = stage.run(&args);
    assert_eq!(said.code, Some(0), "{said}");
    // The shell is among its few allowed tools.
    assert_eq!(stage.world.env.read("seen.txt"), "planned\n", "{said}");
    let request = stage.server.main_requests()[0].body.to_string();
    assert!(request.contains("You never write code, and you never change the specs."), "{request}");
    assert!(request.contains("You run unattended under forkhestra."), "{request}");
}
