//! `forkhestra what-if` for runs with a cost: it shows what a run with that limit does.

use serde_json::{Value, json};

use crate::scripted_stream::ScriptedStream;
use crate::support::AgentProject;

/// An iteration whose stream reports a cost of half a dollar.
fn half_a_dollar() -> ScriptedStream {
    ScriptedStream::new().runs("make", "ok").model_message("Not yet.").succeeds(0.5)
}

fn result(project: &AgentProject, args: &[&str]) -> Value {
    let output = project.run(&[&["what-if", "--json"], args].concat()).success();
    let mut report: Value = serde_json::from_str(&output).expect("it is JSON");
    report["results"][0].take()
}

#[test]
fn a_cost_limit_is_simulated_as_a_run_with_it_ends() {
    let project = AgentProject::new(&[half_a_dollar()]);
    assert_eq!(project.run(&["worker:5"]).code, Some(1));
    let result = result(&project, &["--max-cost", "1.20"]);
    assert_eq!((&result["endedEarlier"], &result["harmed"]), (&json!(1), &json!(0)));
    assert_eq!(
        (&result["saved"]["cost"], &result["saved"]["atLeast"]),
        (&json!(1.0), &json!(false))
    );
    let end = &result["earlier"][0];
    let place = (&end["reason"], &end["iteration"], &end["duringIteration"], &end["cost"]);
    assert_eq!(place, (&json!("run_cost"), &json!(3), &json!(false), &json!(1.5)));
    let shown = project.run(&["what-if", "--max-cost", "1.20"]).success();
    assert!(shown.contains("MONEY SAVED") && shown.contains("$1.0000"), "{shown}");

    // A project of its own: names of runs of the same second have no order.
    let project = AgentProject::new(&[half_a_dollar()]);
    assert_eq!(project.run(&["worker:5", "--max-cost", "1.20"]).code, Some(1));
    assert_eq!(project.all("iteration_finished").len(), 3);
    assert_eq!(project.all("step_finished")[0]["reason"], "run_cost");
}

#[test]
fn a_run_that_a_cost_limit_ended_would_have_continued_without_it() {
    let project = AgentProject::new(&[half_a_dollar()]);
    assert_eq!(project.run(&["worker:5", "--max-cost", "0.90"]).code, Some(1));
    for (limit, continued) in [("0.90", 0), ("2", 1), ("off", 1)] {
        let result = result(&project, &["--max-cost", limit]);
        let found = (&result["continued"], &result["endedEarlier"], &result["saved"]["cost"]);
        assert_eq!(found, (&json!(continued), &json!(0), &json!(0.0)), "{limit}");
    }
    assert_eq!(result(&project, &["--max-cost", "0.40"])["endedEarlier"], 1);
}
