//! A person who approves a plan of the real programs before the work begins.

use testkit::{AgentClient, ModelTurn, eventually};

use crate::real::for_each_agent;
use crate::real::past_work::in_repository;

const DONE: &str = "The work is done.\nFORKHESTRA_COMPLETE\n";

for_each_agent!(a_plan_is_approved_after_a_kill_and_then_built_and_reviewed);

fn a_plan_is_approved_after_a_kill_and_then_built_and_reviewed(agent: AgentClient) {
    let turns = vec![
        ModelTurn::text("I will plan.").shell(agent, "echo plan > plan.txt"),
        ModelTurn::text("The plan is in plan.txt."),
        ModelTurn::text("I will build.")
            .shell(agent, "echo 1 > made.txt; git add -A; git commit -qm Build"),
        ModelTurn::text(DONE),
        ModelTurn::text("I will read.").shell(agent, "cat made.txt"),
        ModelTurn::text("It is right.\nFORKHESTRA_COMPLETE\n"),
    ];
    let Some(stage) = in_repository(agent, turns) else { return };
    let mut run = stage.start(&["worker -> ? -> (worker:2 -> worker):3", "-p", "work"]);
    eventually("it plans", || stage.world.env.has("plan.txt").then_some(()));
    eventually("it asks", || (!stage.world.all("asked").is_empty()).then_some(()));
    run.kill();
    assert_eq!(stage.server.main_requests().len(), 2, "nothing is built without an approval");

    let output = stage.run(&["resume", "--approve", "Use one line."]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(stage.world.env.read("made.txt"), "1\n");
    let requests = stage.server.main_requests();
    assert_eq!(requests.len(), 6, "the plan is not paid for twice");
    let builder = requests[2].body.to_string();
    assert!(builder.contains("Use one line."), "{builder}");
    let reviewer = requests[4].body.to_string();
    assert!(!reviewer.contains("Use one line."), "the comment is for one agent: {reviewer}");
    assert_eq!(stage.world.all("answered").len(), 1);
    let reasons = stage.world.all("step_finished");
    let reasons: Vec<_> = reasons.iter().filter_map(|event| event["reason"].as_str()).collect();
    assert_eq!(reasons, ["exit_code", "approved", "marker", "marker"]);
}
