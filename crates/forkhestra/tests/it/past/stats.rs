//! `forkhestra stats`.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::{CommandOutput, TestEnv};

use crate::forkhestra;
use crate::run::stagnation::repository;
use crate::support::agents_at_work::{DONE, id};
use crate::support::past_runs::{
    cut_off, damage, normalised_output, past, with_agents, write_in_future,
};
use crate::support::run_in_progress::{RunInProgress, WAIT_FOR_GO};

/// The output without the line about time, which differs from run to run.
fn timeless(env: &TestEnv, args: &[&str]) -> CommandOutput {
    let output = normalised_output(env, args);
    let lines = output.stdout.lines().filter(|line| !line.starts_with("Time"));
    let stdout = lines.map(|line| format!("{line}\n")).collect();
    CommandOutput { stdout, ..output }
}

fn json(env: &TestEnv, args: &[&str]) -> Value {
    let output = forkhestra(env, &[&["stats", "--json"], args].concat());
    assert_eq!(output.code, Some(0), "{output}");
    serde_json::from_str(&output.stdout).expect("it is JSON")
}

#[test]
fn all_runs_of_the_work_tree_are_counted() {
    let env = with_agents();
    env.write_home("shop/keep", "");
    past(&env, &["done:3 -> idle:2"]);
    past(&env, &["fails"]);
    past(&env, &["done"]);
    past(&env, &["done", "--cwd", "../home/shop"]);
    assert_snapshot!(timeless(&env, &["stats"]), @"
    Runs  3: 1 complete, 1 failed, 1 max_iterations, 5 iterations
    Tasks  none done
    Money  unknown
    Agents  done  2 iterations
              fails  1 iteration
              idle  2 iterations
    ");
    assert_snapshot!(timeless(&env, &["stats", "--all"]), @"
    Runs  4: 2 complete, 1 failed, 1 max_iterations, 6 iterations
    Tasks  none done
    Money  unknown
    Agents  done  3 iterations
              fails  1 iteration
              idle  2 iterations
    ");
    assert_snapshot!(timeless(&env, &["stats", "--by", "chain"]), @"
    Runs  3: 1 complete, 1 failed, 1 max_iterations, 5 iterations

    CHAIN  RUNS  ITERATIONS  TASKS  AGENT TIME
    done  1  1  0  [duration]
    done:3 -> idle:2  1  3  0  [duration]
    fails  1  1  0  [duration]
    ");
}

#[test]
fn a_project_without_runs_is_reported_without_an_error() {
    let env = with_agents();
    assert_snapshot!(normalised_output(&env, &["stats"]), @"
    ------- stderr -------
    There are no runs here.
    ");
    assert_snapshot!(normalised_output(&env, &["stats", "--all"]), @"
    ------- stderr -------
    There are no runs.
    ");
    assert_eq!(json(&env, &[])["runs"]["total"], 0);
    env.write_home("shop/keep", "");
    past(&env, &["done", "--cwd", "../home/shop"]);
    assert_snapshot!(normalised_output(&env, &["stats"]), @"
    ------- stderr -------
    There are no runs of this work tree; `forkhestra stats --all` counts 1 run of others.
    ");
}

#[test]
fn one_run_has_its_own_statistics() {
    let env = with_agents();
    let run = past(&env, &["done:3 -> idle:2"]);
    past(&env, &["fails"]);
    assert_snapshot!(timeless(&env, &["stats", id(&run)]), @"
    Run  [id] done:3 -> idle:2, max_iterations, 3 iterations
    Tasks  none done
    Money  unknown
    Agents  done  1 iteration
              idle  2 iterations
    ");
    assert_eq!(json(&env, &[id(&run)])["iterations"], 3);
}

#[test]
fn only_runs_since_then_are_counted() {
    let env = with_agents();
    past(&env, &["done"]);
    for since in ["12h", "30d", "2026-01-01"] {
        assert_eq!(json(&env, &["--since", since])["runs"]["total"], 1, "{since}");
    }
    assert_eq!(json(&env, &["--since", "2999-01-01"])["runs"]["total"], 0);
    assert_snapshot!(normalised_output(&env, &["stats", "--since", "2999-01-01"]), @"
    ------- stderr -------
    No run began since [date] [time] UTC.
    ");
}

#[test]
fn an_active_run_counts_with_its_finished_iterations() {
    let env = TestEnv::new();
    env.agent("done", DONE).agent("a", &format!("echo ready; {WAIT_FOR_GO}\n{DONE}"));
    let run = RunInProgress::start(&env, &["done -> a:3"], "ready\n");
    assert_snapshot!(timeless(&env, &["stats"]), @"
    Runs  1: 1 running, 1 iteration
    Tasks  none done
    Money  unknown
    Agents  a  0 iterations
              done  1 iteration
    ");
    assert_eq!(run.release().1, Some(0));
    assert_eq!(json(&env, &[])["runs"]["byStatus"], json!({ "complete": 1 }));
}

#[test]
fn a_killed_run_counts_as_interrupted() {
    let env = with_agents();
    cut_off(&env);
    let report = json(&env, &[]);
    assert_eq!(report["runs"]["byStatus"], json!({ "interrupted": 1 }));
    assert_eq!(report["iterations"], 1);
}

#[test]
fn damaged_runs_are_named_with_the_command_that_repairs_them() {
    let env = with_agents();
    past(&env, &["fails"]);
    let damaged = past(&env, &["done"]);
    damage(&damaged);
    let newer = past(&env, &["done"]);
    write_in_future(&newer);
    let output = timeless(&env, &["stats"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_snapshot!(output.stdout, @"
    Runs  1: 1 failed, 1 iteration, not counted: 2 unreadable runs
    Tasks  none done
    Money  unknown
    Agents  fails  1 iteration
    ");
    assert!(output.stderr.contains("forkhestra resume [id] --repair"), "{output}");
    assert!(output.stderr.contains("a newer version of forkhestra wrote it"), "{output}");
    let report = json(&env, &[]);
    let unreadable = report["runs"]["unreadable"].as_array().expect("a list");
    let repairs: Vec<&Value> = unreadable.iter().map(|run| &run["repair"]).collect();
    let repair = json!(format!("forkhestra resume {} --repair", id(&damaged)));
    assert!(repairs.contains(&&repair) && repairs.contains(&&Value::Null), "{repairs:?}");
    let one = forkhestra(&env, &["stats", id(&damaged)]);
    assert_eq!(one.code, Some(2), "{one}");
    assert!(one.stderr.contains("--repair"), "{one}");
}

#[test]
fn the_note_of_a_finished_run_has_what_its_journal_has() {
    let env = with_agents();
    let run = past(&env, &["done:3 -> idle:2"]);
    let noted = json(&env, &[]);
    fs::remove_file(run.join("stats.json")).expect("the run left it");
    assert_eq!(json(&env, &[]), noted);
    assert!(!run.join("stats.json").exists(), "reading writes nothing");
    forkhestra(&env, &["runs", "rebuild"]).success();
    assert!(run.join("stats.json").exists());
    assert_eq!(json(&env, &[]), noted);
}

#[test]
fn a_resumed_run_has_new_statistics() {
    let env = with_agents();
    past(&env, &["idle:2"]);
    assert_eq!(json(&env, &[])["iterations"], 2);
    let output = forkhestra(&env, &["resume", "--max-iterations", "5"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(json(&env, &[])["iterations"], 5);
}

#[test]
fn a_removed_run_does_not_count() {
    let env = with_agents();
    let run = past(&env, &["done"]);
    past(&env, &["fails"]);
    forkhestra(&env, &["runs", "rm", id(&run)]).success();
    assert!(!run.exists());
    assert_eq!(json(&env, &[])["runs"]["byStatus"], json!({ "failed": 1 }));
}

#[test]
fn checks_are_counted_with_their_failures() {
    let env = repository();
    env.agent("builder", DONE);
    // It fails and then passes, and the work tree does not change.
    let check = r#"command:"test -e ../seen || { : > ../seen; exit 1; }""#;
    past(&env, &["builder:3", "--check", check]);
    let report = json(&env, &["--by", "check"]);
    let found = &report["checks"][0];
    assert_eq!((&found["runs"], &found["failed"]), (&json!(2), &json!(1)), "{report}");
    assert_eq!(found["flaky"], 1, "{report}");
    let text = timeless(&env, &["stats"]).stdout;
    assert!(text.contains("failed 1 of 2"), "{text}");
    assert!(text.contains("passed and failed on the same work tree once (flaky?)"), "{text}");
}

#[test]
fn wrong_values_are_refused() {
    let env = with_agents();
    for (args, expected) in [
        (&["--since", "30"][..], "needs a unit"),
        (&["--since", "soon"], "neither an age such as `30d`"),
        (&["--since", "2026-13-01"], "is not a date"),
        (&["--by", "moon"], "possible values: agent, model, chain, check, task, day"),
        (&["k3v", "--since", "30d"], "cannot be used with"),
        (&["k3v", "--all"], "cannot be used with"),
        (&["k3v"], "no run"),
    ] {
        let output = forkhestra(&env, &[&["stats"], args].concat());
        assert_eq!(output.code, Some(2), "{args:?}: {output}");
        assert!(output.stderr.contains(expected), "{args:?}: {output}");
    }
}

#[test]
fn the_json_fits_its_schema() {
    let env = with_agents();
    past(&env, &["done:3 -> idle:2"]);
    damage(&past(&env, &["done"]));
    let schema = forkhestra(&env, &["schema", "stats"]).success();
    let schema: Value = serde_json::from_str(&schema).expect("it is JSON");
    let schema = jsonschema::validator_for(&schema).expect("it is a schema");
    for args in [&[][..], &["--by", "agent"], &["--by", "task"], &["--by", "day"]] {
        let report = json(&env, args);
        let errors: Vec<String> =
            schema.iter_errors(&report).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{args:?}: {errors:?}");
        assert_eq!(report["version"], 1);
    }
}
