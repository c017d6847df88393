//! Agents that work without errors.

use testkit::{AgentClient, ModelTurn};

use super::for_each_agent;
use super::real_agent_project::RealAgentProject;

const DONE: &str = "The file is written.\nFORKHESTRA_COMPLETE\n";

for_each_agent!(
    two_iterations_are_two_conversations_and_the_last_line_completes_the_loop,
    a_long_prompt_that_looks_like_an_option_arrives_whole,
);

fn two_iterations_are_two_conversations_and_the_last_line_completes_the_loop(agent: AgentClient) {
    let turns = vec![
        ModelTurn::text("One.").shell(agent, "echo 1 >> made.txt"),
        ModelTurn::text("I mention FORKHESTRA_COMPLETE."),
        ModelTurn::text("I will write.").shell(agent, "echo 2 >> made.txt"),
        ModelTurn::text(DONE),
    ];
    let Some(stage) = RealAgentProject::new(agent, turns) else { return };
    let output = stage.run(&["worker:3", "-p", "/clear up the mess"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(stage.world.env.read("made.txt"), "1\n2\n");
    assert_eq!(stage.outcomes(), ["finished"; 2], "{output}");
    assert!(output.stdout.contains("I will write."), "{output}");
    assert!(output.stdout.contains("echo 2 >> made.txt"), "the tool is shown: {output}");
    for report in stage.world.all("iteration_finished") {
        assert_eq!(report["heard"]["activity"]["toolCalls"], 1, "{report}");
        assert_eq!(report["heard"]["activity"]["turns"], 2, "{report}");
        let spend = &report["spend"];
        assert_eq!((&spend["input"], &spend["output"]), (&200.into(), &40.into()), "{report}");
        assert!(spend["nanodollars"].as_u64().is_some_and(|cost| cost > 0), "{report}");
    }
    let by = &stage.world.all("completion_requested")[0]["by"];
    assert_eq!((&by["message"], &by["line"]), (&2.into(), &2.into()), "{by}");
    let requests = stage.server.main_requests();
    let [first, third] = [0, 2].map(|at| requests[at].body.to_string());
    assert!(first.contains("You are a worker."), "its system prompt reaches the model");
    assert!(first.contains("/clear up the mess"), "it is no command: {first}");
    // Every iteration has a fresh context: the second conversation does not contain the first.
    assert!(!third.contains("I mention"), "{output}");
}

fn a_long_prompt_that_looks_like_an_option_arrives_whole(agent: AgentClient) {
    let Some(stage) = RealAgentProject::new(agent, vec![ModelTurn::text(DONE)]) else { return };
    let words: String = (0..30_000).map(|number| format!("word{number:06} ")).collect();
    let prompt = format!("--help me with \"this\" {words}");
    stage.world.env.write("prompt.md", &prompt);
    let output = stage.run(&["worker:2", "--prompt-file", "prompt.md"]);
    assert_eq!(output.code, Some(0), "{output}");
    let request = stage.server.main_requests()[0].body.to_string();
    let wanted = serde_json::to_string(prompt.trim_end()).expect("a string");
    assert!(request.contains(wanted.trim_matches('"')), "{} bytes arrived", request.len());
}
