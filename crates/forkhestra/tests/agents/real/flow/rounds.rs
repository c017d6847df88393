//! Rounds with the real programs: a reviewer that refuses, and is understood.

use testkit::{AgentClient, ModelTurn};

use crate::real::for_each_agent;
use crate::real::past_work::in_repository;

const DONE: &str = "The work is done.\nFORKHESTRA_COMPLETE\n";
const REFUSAL: &str =
    "made.txt has one line.\nIt needs a second one, and I mention FORKHESTRA_COMPLETE.";

for_each_agent!(a_review_sends_the_work_back_and_accepts_it_later);

fn a_review_sends_the_work_back_and_accepts_it_later(agent: AgentClient) {
    let commit =
        |line: u32| format!("echo {line} >> made.txt; git add -A; git commit -qm 'Line {line}'");
    let turns = vec![
        ModelTurn::text("I will write.").shell(agent, &commit(1)),
        ModelTurn::text(DONE),
        ModelTurn::text("I will read.").shell(agent, "cat made.txt"),
        ModelTurn::text(REFUSAL),
        ModelTurn::text("I will add a line.").shell(agent, &commit(2)),
        ModelTurn::text(DONE),
        ModelTurn::text("Both lines are there.\nFORKHESTRA_COMPLETE\n"),
    ];
    let Some(stage) = in_repository(agent, turns) else { return };
    let output = stage.run(&["(worker:2 -> worker):3", "-p", "work"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(stage.world.env.read("made.txt"), "1\n2\n");
    let rounds = stage.world.all("round_started");
    assert_eq!(rounds.len(), 2, "{rounds:?}");
    let refused = &stage.world.all("round_refused")[0];
    assert_eq!(refused["step"], 2, "{refused}");
    assert_eq!(refused["reason"].as_str(), Some(REFUSAL), "{refused}");
    let requests = stage.server.main_requests();
    let second_round = requests[4].body.to_string();
    assert!(second_round.contains("did not accept the work of round 1"), "{second_round}");
    assert!(second_round.contains("It needs a second one"), "{second_round}");
    let ends: Vec<String> = stage
        .world
        .all("step_finished")
        .iter()
        .filter_map(|event| event["reason"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(ends, ["marker", "not_accepted", "marker", "marker"]);
}
