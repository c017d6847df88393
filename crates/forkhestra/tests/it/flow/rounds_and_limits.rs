//! What ends the rounds of a group: cycles, and limits for all of them.

use testkit::TestEnv;

use crate::project;
use crate::run::stagnation::repository;
use crate::support::agents_at_work::{DONE, events, iterations, run};

/// The reason for the last end of the only run.
fn last_end(env: &TestEnv) -> String {
    let ends = events(env, "run_finished");
    let end = &ends.last().expect("it has ended")["end"];
    end["reason"].as_str().unwrap_or_else(|| end["kind"].as_str().unwrap_or("?")).to_owned()
}

#[test]
fn rounds_that_leave_the_same_work_tree_end_and_a_resume_tries_another() {
    let env = repository();
    env.agent("fixer", DONE).agent("ci", "exit 1");
    let output = run(&env, &["(fixer:1 -> ci):9"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(last_end(&env), "cycling");
    assert_eq!(iterations(&env), ["1-1-1", "2-1-1", "1-2-1", "2-2-1"]);
    let output = run(&env, &["resume"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(iterations(&env)[4..], ["1-3-1", "2-3-1"], "one more round is tried");
    env.agent("ci", "exit 0");
    let output = run(&env, &["resume"]);
    assert_eq!(output.code, Some(0), "{output}");
}

/// A project with a group whose time is limited.
fn with_group_time(time: &str, later_keys: &str) -> TestEnv {
    project(&format!(
        r#"{{ "chains": {{ "night": {{ "steps": [
             {{ "group": "fixer:3 -> ci", "rounds": 9, "limits": {{ "time": "{time}" }}{later_keys} }}
           ] }} }} }}"#
    ))
}

#[test]
fn the_time_of_a_group_is_for_all_its_rounds_and_a_resume_raises_it() {
    let env = with_group_time("1s", "");
    env.agent(
        "fixer",
        &format!("[ $FORKHESTRA_ITERATION -lt 2 ] || [ -e go ] || exec sleep 60\n{DONE}"),
    );
    env.agent("ci", "[ -e go ]");
    let output = run(&env, &["--chain", "night"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(last_end(&env), "group_time");
    let output = run(&env, &["resume"]);
    assert_eq!(last_end(&env), "group_time", "the limit still holds: {output}");
    env.write("go", "");
    let output = run(&env, &["resume", "--group-time", "1h"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(last_end(&env), "complete");
}

#[test]
fn a_group_whose_time_is_up_leads_to_its_alternative() {
    let env = with_group_time("1s", r#", "else": { "agent": "senior" }"#);
    env.agent("fixer", "exec sleep 60").agent("ci", "exit 0").agent("senior", "echo > made");
    let output = run(&env, &["--chain", "night"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(events(&env, "step_started")[1]["insteadOf"], 1);
    assert!(env.has("made"));
}

/// Limits of a resume hold for a step that was complete in the last round.
#[test]
fn more_iterations_and_rounds_hold_for_the_whole_group() {
    let env = TestEnv::new();
    let second = "[ $FORKHESTRA_ITERATION != 2 ] ||";
    env.agent("fixer", &format!("{second} exit 0\n{DONE}"));
    env.agent("ci", "[ $FORKHESTRA_ITERATION -ge 2 ]");
    let output = run(&env, &["(fixer:1 -> ci):1"]);
    assert_eq!(output.code, Some(1), "{output}");
    let output = run(&env, &["resume", "--rounds", "2", "--max-iterations", "2"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(iterations(&env), ["1-1-1", "2-1-1", "1-2-1", "1-3-1", "2-2-1"]);
}

#[test]
fn used_up_rounds_of_an_inner_group_refuse_the_outer_round() {
    let env = TestEnv::new();
    env.agent("plan", "echo plan >> plans").agent("fixer", &format!("echo x >> work\n{DONE}"));
    env.agent("ci", "[ $FORKHESTRA_ITERATION -ge 4 ]");
    let output = run(&env, &["(plan -> (fixer:1 -> ci):2):3"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("plans").lines().count(), 2);
}

/// The option counts the iterations of one round, and so do its hint and what the run prints.
#[test]
fn more_iterations_are_those_of_one_round() {
    let env = TestEnv::new();
    env.agent("fixer", &format!("[ $FORKHESTRA_ROUND != 1 ] || {DONE}")).agent("ci", "exit 1");
    let output = run(&env, &["(fixer:2 -> ci):3"]);
    assert!(output.stdout.contains("] Iteration 3 (2 of 2 in round 2)\n"), "{output}");
    assert!(output.stdout.contains("resume [id] --max-iterations 4\n"), "{output}");
    let output = run(&env, &["resume", "--max-iterations", "4"]);
    assert!(output.stdout.contains("] Iteration 5 (4 of 4 in round 2)\n"), "{output}");
    assert!(output.stdout.contains("] Incomplete after 4 iterations"), "{output}");
    assert!(output.stdout.contains("resume [id] --max-iterations 8\n"), "{output}");
}
