//! Verbs about past runs, for a run with rounds, a question, an alternative and a condition.

use testkit::TestEnv;

use crate::run::stagnation::repository;
use crate::support::agents_at_work::{DONE, id, only_run, run};

const CONFIG: &str = r#"{ "chains": { "night": { "steps": [
    { "agent": "plan" },
    { "ask": "Is it right?" },
    { "group": [ { "agent": "cheap", "iterations": 1, "else": { "agent": "senior" } },
                 { "agent": "ci" } ], "rounds": 3 },
    { "agent": "deploy", "if": "file:deploy.yml" }
] } } }"#;

fn finished() -> TestEnv {
    let env = repository();
    env.write(crate::CONFIG, CONFIG);
    env.agent("plan", "echo plan > plan").agent("cheap", "echo x >> work");
    env.agent("senior", "echo y >> work").agent("deploy", DONE);
    env.agent("ci", "[ $FORKHESTRA_ITERATION -ge 2 ]");
    let output = run(&env, &["--chain", "night", "--yes"]);
    assert_eq!(output.code, Some(0), "{output}");
    env
}

#[test]
fn every_verb_about_past_runs_understands_a_flow() {
    let env = finished();
    let run_id = id(&only_run(&env)).to_owned();
    for words in [
        &["show"][..],
        &["show", "-v"],
        &["runs"],
        &["stats"],
        &["stats", &run_id],
        &["what-if", "--max-iterations", "1", "--stagnation", "2"],
        &["events"],
        &["logs"],
        &["diff", &run_id, "--stat"],
        &["diff", &run_id, "--iteration", "3.2", "--stat"],
        &["rewind", &run_id, "--list"],
        &["rewind", &run_id, "--to", "3.1", "--dry-run"],
        &["fork", &run_id, "--at", "3.1", "--dry-run"],
        &["bisect", &run_id, "--", "test", "!", "-e", "work"],
    ] {
        let output = run(&env, words);
        assert_eq!(output.code, Some(0), "{words:?}: {output}");
        assert!(!output.stderr.contains("panicked"), "{words:?}: {output}");
    }
}

#[test]
fn views_of_a_flow_are_rebuilt_as_they_were() {
    let env = finished();
    let names = ["summary", "chain"].map(|name| {
        let run_id = id(&only_run(&env)).to_owned();
        let extension = if name == "summary" { "md" } else { "json" };
        format!(".agent-state/{name}-{run_id}.{extension}")
    });
    let before = names.clone().map(|name| env.read(&name));
    std::fs::remove_dir_all(env.project().join(".agent-state")).expect("it is there");
    let output = run(&env, &["runs", "rebuild"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(names.map(|name| env.read(&name)), before);
}

#[test]
fn snapshots_of_rounds_are_in_the_order_of_time() {
    let env = repository();
    env.agent("mender", &format!("echo $FORKHESTRA_ROUND >> work\n{DONE}"));
    env.agent("ci", "test $(wc -l < work) -ge 3");
    run(&env, &["(mender:1 -> ci):5"]).success();
    let list = run(&env, &["rewind", "--list"]).success();
    let addresses: Vec<&str> =
        list.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    let expected = ["1.0", "1.1", "2.0", "2.1", "1.2", "2.2", "1.3", "2.3"];
    assert_eq!(addresses, expected, "{list}");
    assert_eq!(list.matches("before the run").count(), 1, "{list}");
    run(&env, &["rewind", "--to", "0"]).success();
    assert!(!env.project().join("work").exists(), "before the run there was none");
}

#[test]
fn a_fork_from_within_a_group_says_that_it_begins_anew() {
    let env = repository();
    env.agent("mender", &format!("echo $FORKHESTRA_ROUND >> work\n{DONE}"));
    env.agent("ci", "test $(wc -l < work) -ge 2");
    run(&env, &["(mender:1 -> ci):5 -> mender"]).success();
    let id = id(&only_run(&env)).to_owned();
    let warning = "warning: the fork begins with step 1: steps 1 to 2 are one stage of the chain";
    let inside = run(&env, &["fork", &id, "--at", "1.2", "--dry-run"]);
    assert!(inside.stderr.contains(warning), "{inside}");
    for outside in ["0", "2.2"] {
        let outside = run(&env, &["fork", &id, "--at", outside, "--dry-run"]);
        assert!(!outside.stderr.contains("one stage"), "{outside}");
    }
}
