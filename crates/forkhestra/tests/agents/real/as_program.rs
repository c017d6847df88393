//! Agent programs given as plain programs: `forkhestra claude:3`.

use testkit::{AgentClient, ModelTurn};

use super::for_each_agent;
use super::real_agent_project::RealAgentProject;

for_each_agent!(the_stream_of_an_agent_program_without_arguments_is_parsed);

const DONE: &str = "Done.\nFORKHESTRA_COMPLETE\n";

fn the_stream_of_an_agent_program_without_arguments_is_parsed(agent: AgentClient) {
    let Some(stage) = RealAgentProject::new(agent, vec![ModelTurn::text(DONE)]) else { return };
    let output = stage.run(&[&format!("{}:2", agent.name()), "-p", "Do it."]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(stage.outcomes(), ["finished"], "{output}");
    let report = &stage.world.all("iteration_finished")[0];
    assert!(report["spend"]["input"].as_u64().is_some_and(|tokens| tokens >= 100), "{report}");
    let request = stage.server.main_requests()[0].body.to_string();
    assert!(request.contains("Do it."), "{request}");
}

#[test]
fn the_json_of_claude_with_arguments_is_parsed() {
    let turns = vec![
        ModelTurn::text("I write.").shell(AgentClient::Claude, "echo hi > made.txt"),
        ModelTurn::text(DONE),
    ];
    let Some(stage) = RealAgentProject::new(AgentClient::Claude, turns) else { return };
    let own = ["--print", "--output-format", "json", "--dangerously-skip-permissions"];
    let args: Vec<&str> = ["claude:2", "-p", "Do it.", "--"].into_iter().chain(own).collect();
    let output = stage.run(&args);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(stage.world.env.read("made.txt"), "hi\n");
    assert_eq!(stage.outcomes(), ["finished"], "{output}");
    let report = &stage.world.all("iteration_finished")[0];
    assert!(report["spend"]["nanodollars"].as_u64().is_some_and(|cost| cost > 0), "{report}");
    assert_eq!(report["heard"]["activity"]["toolCalls"], 1, "{report}");
    assert!(output.stdout.contains("\"total_cost_usd\":"), "its bytes pass untouched: {output}");
}
