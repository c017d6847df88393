//! Groups, rounds, alternatives and conditions with real processes.

use serde_json::Value;
use testkit::TestEnv;

use crate::project;
use crate::support::agents_at_work::{DONE, events, run};

/// Each line of a file.
fn lines(env: &TestEnv, file: &str) -> Vec<String> {
    env.read(file).lines().map(str::to_owned).collect()
}

#[test]
fn a_ci_script_sends_the_work_back_with_the_end_of_its_output() {
    let env = TestEnv::new();
    env.agent(
        "fixer",
        &format!(
            "echo \"round $FORKHESTRA_ROUND of $FORKHESTRA_MAX_ROUNDS, iteration \
             $FORKHESTRA_ITERATION of $FORKHESTRA_MAX_ITERATIONS\" >> rounds\n\
             printf '%s' \"$FORKHESTRA_FEEDBACK\" > reason\n\
             echo fixed >> work\n{DONE}"
        ),
    );
    env.agent("ci", "test $(wc -l < work) -ge 3 || { echo 'a test failed' >&2; exit 1; }");
    let output = run(&env, &["(fixer:2 -> ci):5"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(
        lines(&env, "rounds"),
        [
            "round 1 of 5, iteration 1 of 2",
            "round 2 of 5, iteration 2 of 3",
            "round 3 of 5, iteration 3 of 4",
        ]
    );
    let reason = env.read("reason");
    assert_eq!(reason, "`ci` did not accept the work of round 2:\n\n  | a test failed\n");
    let refused = events(&env, "round_refused");
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert_eq!(refused[0]["reason"], "a test failed");
}

#[test]
fn used_up_rounds_end_the_run_and_a_resume_allows_more() {
    let env = TestEnv::new();
    env.agent("fixer", &format!("echo fixed >> work\n{DONE}"));
    env.agent("ci", "test $(wc -l < work) -ge 4");
    let output = run(&env, &["(fixer:2 -> ci):2"]);
    assert_eq!(output.code, Some(1), "{output}");
    let ended = events(&env, "run_finished");
    assert_eq!(ended[0]["end"]["reason"], "max_rounds", "{ended:?}");
    assert_eq!(lines(&env, "work").len(), 2);
    let output = run(&env, &["resume", "--rounds", "4"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(lines(&env, "work").len(), 4, "no finished iteration runs again");
}

#[test]
fn a_crash_of_the_reviewer_is_no_refusal() {
    let env = TestEnv::new();
    env.agent("fixer", &format!("echo fixed >> work\n{DONE}"));
    env.agent("ci", "test -e repaired || kill -9 $$");
    let output = run(&env, &["(fixer:2 -> ci):5"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(events(&env, "round_refused").is_empty());
    env.write("repaired", "");
    let output = run(&env, &["resume"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(lines(&env, "work").len(), 1, "the fixer is not paid again");
}

#[test]
fn another_agent_takes_over_and_is_given_the_reason() {
    let env = TestEnv::new();
    env.agent("cheap", "echo tried >> work");
    env.agent("senior", &format!("printf '%s' \"$FORKHESTRA_FEEDBACK\" > reason\n{DONE}"));
    let output = run(&env, &["cheap:2 else senior:3"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(lines(&env, "work").len(), 2);
    assert!(env.read("reason").starts_with("`cheap` did not complete this work ("), "{output}");
    let started = events(&env, "step_started");
    assert_eq!(started[1]["insteadOf"], 1, "{started:?}");
}

#[test]
fn a_condition_decides_whether_a_step_is_needed() {
    let env = project(
        r#"{
          "agents": {},
          "chains": { "release": { "steps": [
            { "agent": "build" },
            { "agent": "deploy", "if": "command:test -e deploy.yml" },
            { "agent": "announce" }
          ] } },
        }"#,
    );
    for name in ["build", "deploy", "announce"] {
        env.agent(name, &format!("echo {name} >> ran"));
    }
    let output = run(&env, &["--chain", "release"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(lines(&env, "ran"), ["build", "announce"]);
    let checked = events(&env, "condition_checked");
    assert_eq!(checked[0]["holds"], false, "{checked:?}");
}

#[test]
fn the_checks_of_a_group_decide_with_its_last_step() {
    let env = project(
        r#"{
          "agents": {},
          "chains": { "night": { "steps": [
            { "group": [ { "agent": "build", "iterations": 2 }, { "agent": "review" } ],
              "rounds": 4, "checks": ["command:read one < again"] }
          ] } },
        }"#,
    );
    // The file has a whole line from the second round on.
    let script = format!("echo line >> work\nhead -c -1 work > again; [ -s again ]\n{DONE}");
    env.agent("build", &script);
    env.agent("review", "exit 0");
    let output = run(&env, &["--chain", "night"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(lines(&env, "work").len(), 2);
    let checked = events(&env, "round_checked");
    let outcomes: Vec<&Value> =
        checked.iter().map(|event| &event["checks"][0]["outcome"]).collect();
    assert_eq!(outcomes, ["failed", "passed"]);
}
