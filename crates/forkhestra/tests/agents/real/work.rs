//! Agents that work without errors.

use testkit::{AgentClient, ModelTurn};

use super::for_each_agent;
use super::real_agent_project::RealAgentProject;

const DONE: &str = "The file is written.\nFORKHESTRA_COMPLETE\n";

for_each_agent!(
    a_tool_writes_a_file_and_the_last_line_completes_the_loop,
    three_iterations_are_three_conversations,
    a_long_prompt_arrives_whole,
    a_prompt_that_looks_like_an_option_arrives_as_it_is,
);

fn a_tool_writes_a_file_and_the_last_line_completes_the_loop(agent: AgentClient) {
    let turns = vec![
        ModelTurn::text("I will write.").shell(agent, "echo hi > made.txt"),
        ModelTurn::text(DONE),
    ];
    let Some(stage) = RealAgentProject::new(agent, turns) else { return };
    let said = stage.run(&["worker:3"]);
    assert_eq!(said.code, Some(0), "{said}");
    assert_eq!(stage.world.env.read("made.txt"), "hi\n");
    assert_eq!(stage.outcomes(), ["finished"], "{said}");
    assert!(said.stdout.contains("I will write."), "{said}");
    assert!(said.stdout.contains("echo hi > made.txt"), "the tool is shown: {said}");
    let report = &stage.world.all("iteration_finished")[0];
    assert_eq!(report["heard"]["activity"]["toolCalls"], 1, "{report}");
    assert_eq!(report["heard"]["activity"]["turns"], 2, "{report}");
    let spend = &report["spend"];
    assert_eq!((&spend["input"], &spend["output"]), (&200.into(), &40.into()), "{report}");
    assert!(spend["nanodollars"].as_u64().is_some_and(|cost| cost > 0), "{report}");
    let by = &stage.world.all("completion_requested")[0]["by"];
    assert_eq!((&by["message"], &by["line"]), (&2.into(), &2.into()), "{by}");
    let request = &stage.server.main_requests()[0].body.to_string();
    assert!(request.contains("You are a worker."), "its system prompt reaches the model");
}

fn three_iterations_are_three_conversations(agent: AgentClient) {
    let turns = vec![
        ModelTurn::text("One.").shell(agent, "echo 1 >> made.txt"),
        ModelTurn::text("I mention FORKHESTRA_COMPLETE."),
        ModelTurn::text("Two.").shell(agent, "echo 2 >> made.txt"),
        ModelTurn::text("More is left."),
        ModelTurn::text("Three.").shell(agent, "echo 3 >> made.txt"),
        ModelTurn::text(DONE),
    ];
    let Some(stage) = RealAgentProject::new(agent, turns) else { return };
    let said = stage.run(&["worker:5", "-p", "Write the next number."]);
    assert_eq!(said.code, Some(0), "{said}");
    assert_eq!(stage.world.env.read("made.txt"), "1\n2\n3\n");
    assert_eq!(stage.outcomes(), ["finished"; 3], "{said}");
    // Every iteration has a fresh context: the third conversation does not contain the first.
    let requests = stage.server.main_requests();
    assert!(!requests[4].body.to_string().contains("I mention"), "{said}");
}

fn a_long_prompt_arrives_whole(agent: AgentClient) {
    let Some(stage) = RealAgentProject::new(agent, vec![ModelTurn::text(DONE)]) else { return };
    let prompt: String = (0..30_000).map(|number| format!("word{number:06} ")).collect();
    stage.world.env.write("prompt.md", &prompt);
    let said = stage.run(&["worker:2", "--prompt-file", "prompt.md"]);
    assert_eq!(said.code, Some(0), "{said}");
    let request = stage.server.main_requests()[0].body.to_string();
    assert!(request.contains(prompt.trim_end()), "{} bytes arrived", request.len());
}

fn a_prompt_that_looks_like_an_option_arrives_as_it_is(agent: AgentClient) {
    for prompt in ["--help me with \"this\"", "/clear up the mess"] {
        let Some(stage) = RealAgentProject::new(agent, vec![ModelTurn::text(DONE)]) else { return };
        let said = stage.run(&["worker:2", &format!("-p={prompt}")]);
        assert_eq!(said.code, Some(0), "{prompt}: {said}");
        let request = stage.server.main_requests()[0].body.to_string();
        let wanted = serde_json::to_string(prompt).expect("a string");
        assert!(request.contains(wanted.trim_matches('"')), "{prompt}: {request}");
    }
}
