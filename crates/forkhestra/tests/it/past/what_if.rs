//! `forkhestra what-if`: other limits for past runs.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::TestEnv;

use crate::forkhestra;
use crate::support::agents_at_work::{id, run};
use crate::support::past_runs::{cut_off, damage, normalised_output, past, with_agents};
use crate::support::run_in_progress::{RunInProgress, WAIT_FOR_GO};

/// Agents that change the work tree in each iteration: `third` completes its step in the third one,
/// `never` does not, and `idle` changes nothing.
fn project() -> TestEnv {
    let env = with_agents();
    let work = "echo more >> work.txt";
    env.agent(
        "third",
        &format!("{work}; if [ $FORKHESTRA_ITERATION = 3 ]; then echo FORKHESTRA_COMPLETE; fi"),
    );
    env.agent("never", work);
    env
}

fn json(env: &TestEnv, args: &[&str]) -> Value {
    let output = forkhestra(env, &[&["what-if", "--json"], args].concat());
    assert_eq!(output.code, Some(0), "{output}");
    serde_json::from_str(&output.stdout).expect("it is JSON")
}

#[test]
fn each_limit_has_a_row_and_harmed_runs_are_listed() {
    let env = project();
    past(&env, &["third:9"]);
    past(&env, &["never:5"]);
    // Outside of a repository, states are recorded only if there is such a limit.
    past(&env, &["idle:4", "--stagnation", "9"]);
    let args = ["what-if", "--stagnation", "2", "--max-iterations", "2"];
    assert_snapshot!(normalised_output(&env, &args), @"
    3 ended runs: 1 completed

    LIMIT  ENDED EARLIER  HARMED  TIME SAVED
    --max-iterations 2  3  1  [duration]
    --stagnation 2  1  0  [duration]
    all together  3  1  [duration]

    HARMED RUN  CHAIN  LIMIT  WOULD HAVE ENDED  COMPLETED
    [id]  third:9  --max-iterations 2  after iteration 2 of third: max_iterations  1 iteration later

    2 runs recorded no states of the work tree, so --stagnation cannot be simulated there.
    Only limits are simulated. What an agent would have done after an earlier end is unknown. Money and time of harmed runs do not count as saved.
    ");
}

#[test]
fn a_single_limit_has_a_single_row() {
    let env = project();
    past(&env, &["never:3"]);
    assert_snapshot!(normalised_output(&env, &["what-if", "--max-cost", "5"]), @"
    1 ended run: 0 completed

    LIMIT  ENDED EARLIER  HARMED  TIME SAVED
    --max-cost 5  0  0  [duration]

    Only limits are simulated. What an agent would have done after an earlier end is unknown. Money and time of harmed runs do not count as saved.
    ");
    // A looser limit says nothing about what comes then.
    assert_snapshot!(normalised_output(&env, &["what-if", "--max-iterations", "9"]), @"
    1 ended run: 0 completed

    LIMIT  ENDED EARLIER  HARMED  TIME SAVED
    --max-iterations 9  0  0  [duration]

    1 run would have continued past a limit that ended an agent or the run; what would have followed is unknown.
    Only limits are simulated. What an agent would have done after an earlier end is unknown. Money and time of harmed runs do not count as saved.
    ");
}

#[test]
fn a_run_that_completed_after_a_resume_is_harmed() {
    let env = project();
    let first = past(&env, &["third:2"]);
    let args = ["--max-iterations", "1"];
    let before = json(&env, &args);
    assert_eq!((&before["runs"], &before["completed"]), (&json!(1), &json!(0)));
    assert_eq!(
        (&before["results"][0]["harmed"], &before["results"][0]["endedEarlier"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(run(&env, &["resume", "--max-iterations", "5"]).code, Some(0));
    let after = json(&env, &args);
    assert_eq!((&after["completed"], &after["results"][0]["harmed"]), (&json!(1), &json!(1)));
    let end = &after["results"][0]["earlier"][0];
    assert_eq!((&end["run"], &end["completed"]), (&json!(id(&first)), &json!(true)));
    // It ended there, and a person resumed it.
    let same = json(&env, &["--max-iterations", "2"]);
    assert_eq!(same["results"][0]["earlier"], json!([]));
    assert_eq!(same["results"][0]["continued"], 0);
}

#[test]
fn the_json_has_every_number() {
    let env = project();
    past(&env, &["third:9"]);
    let mut report = json(&env, &["--max-iterations", "2", "--timeout", "1h"]);
    for result in report["results"].as_array_mut().expect("there are results") {
        for end in result["earlier"].as_array_mut().expect("there are ends") {
            for member in ["run", "elapsedMs"] {
                end[member] = json!("[varies]");
            }
            end["saved"]["durationMs"] = json!("[varies]");
        }
    }
    assert_snapshot!(format!("{report:#}"), @r#"
    {
      "completed": 1,
      "leftOut": {
        "active": 0,
        "replays": 0,
        "unreadable": []
      },
      "results": [
        {
          "allTogether": false,
          "continued": 0,
          "earlier": [
            {
              "agent": "third",
              "chain": "third:9",
              "completed": true,
              "cost": null,
              "duringIteration": false,
              "elapsedMs": "[varies]",
              "endedPart": "run",
              "iteration": 2,
              "laterIterations": 1,
              "reason": "max_iterations",
              "run": "[varies]",
              "saved": {
                "atLeast": false,
                "cost": null,
                "durationMs": "[varies]"
              },
              "step": 1
            }
          ],
          "endedEarlier": 1,
          "harmed": 1,
          "iterationEnded": 0,
          "limits": {
            "iterations": 2
          },
          "notSimulated": 0,
          "options": [
            "--max-iterations 2"
          ],
          "saved": {
            "atLeast": false,
            "cost": null,
            "durationMs": 0
          },
          "stepEnded": 0
        },
        {
          "allTogether": false,
          "continued": 0,
          "earlier": [],
          "endedEarlier": 0,
          "harmed": 0,
          "iterationEnded": 0,
          "limits": {
            "timeout": 3600
          },
          "notSimulated": 0,
          "options": [
            "--timeout 1h"
          ],
          "saved": {
            "atLeast": false,
            "cost": null,
            "durationMs": 0
          },
          "stepEnded": 0
        },
        {
          "allTogether": true,
          "continued": 0,
          "earlier": [
            {
              "agent": "third",
              "chain": "third:9",
              "completed": true,
              "cost": null,
              "duringIteration": false,
              "elapsedMs": "[varies]",
              "endedPart": "run",
              "iteration": 2,
              "laterIterations": 1,
              "reason": "max_iterations",
              "run": "[varies]",
              "saved": {
                "atLeast": false,
                "cost": null,
                "durationMs": "[varies]"
              },
              "step": 1
            }
          ],
          "endedEarlier": 1,
          "harmed": 1,
          "iterationEnded": 0,
          "limits": {
            "iterations": 2,
            "timeout": 3600
          },
          "notSimulated": 0,
          "options": [
            "--max-iterations 2",
            "--timeout 1h"
          ],
          "saved": {
            "atLeast": false,
            "cost": null,
            "durationMs": 0
          },
          "stepEnded": 0
        }
      ],
      "runs": 1,
      "version": 1
    }
    "#);
}

#[test]
fn runs_are_chosen_by_name_age_and_work_tree() {
    let env = project();
    env.write_home("shop/keep", "");
    let one = past(&env, &["never:3"]);
    past(&env, &["never:4"]);
    past(&env, &["never:5", "--cwd", "../home/shop"]);
    let count =
        |args: &[&str]| json(&env, &[&["--max-iterations", "2"], args].concat())["runs"].clone();
    assert_eq!(count(&[]), 2);
    assert_eq!(count(&["--all"]), 3);
    for (since, runs) in [("1d", 2), ("2026-01-01", 2), ("2999-01-01", 0)] {
        assert_eq!(count(&["--since", since]), runs, "{since}");
    }
    assert_eq!(count(&[id(&one), &id(&one)[..6]]), 1);
    assert_eq!(count(&[&one.display().to_string()]), 1);
    for args in [&["--since", "1d"][..], &["--all"]] {
        let args = [&["what-if", "--max-iterations", "2", id(&one)], args].concat();
        assert!(forkhestra(&env, &args).failure(2).contains("cannot be used with"), "{args:?}");
    }
    let unknown = forkhestra(&env, &["what-if", "--max-iterations", "2", "zzzz"]).failure(2);
    assert!(unknown.contains("zzzz"), "{unknown}");
}

#[test]
fn limits_are_simulated_on_interrupted_runs_and_damaged_runs_are_named() {
    let env = project();
    cut_off(&env);
    assert_eq!(json(&env, &["--max-iterations", "1"])["results"][0]["endedEarlier"], 1);
    let bad = past(&env, &["never:3"]);
    damage(&bad);
    let report = json(&env, &["--max-iterations", "1"]);
    assert_eq!(
        (&report["runs"], &report["leftOut"]["unreadable"]),
        (&json!(1), &json!([id(&bad)]))
    );
    assert_snapshot!(normalised_output(&env, &["what-if", "--max-iterations", "1"]), @"
    1 ended run: 0 completed

    LIMIT  ENDED EARLIER  HARMED  TIME SAVED
    --max-iterations 1  1  0  [duration]

    Left out: 1 damaged or unreadable run ([id]).
    Only limits are simulated. What an agent would have done after an earlier end is unknown. Money and time of harmed runs do not count as saved.
    ------- stderr -------
    warning: run [id] cannot be read: line 3 of $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl is not JSON: expected `,` or `}` at column 9
    hint: to cut the journal there and resume: forkhestra resume [id] --repair
    hint: this runs again: iterations 1 to 3 of step 1
    ");
    let named = forkhestra(&env, &["what-if", "--max-iterations", "1", id(&bad)]).failure(2);
    assert!(named.contains("--repair"), "{named}");
    // The other files of a run say that its journal was not always empty.
    let emptied = past(&env, &["never:3"]);
    fs::write(emptied.join("journal.jsonl"), "").expect("it is ours");
    let report = json(&env, &["--max-iterations", "1"]);
    let unreadable = report["leftOut"]["unreadable"].as_array().expect("a list");
    assert!(unreadable.contains(&json!(id(&emptied))), "{unreadable:?}");
}

#[test]
fn an_active_run_is_left_out() {
    let env = project();
    env.agent("waits", &format!("echo working; {WAIT_FOR_GO}"));
    let active = RunInProgress::start(&env, &["waits:2"], "working\n");
    assert_snapshot!(normalised_output(&env, &["what-if", "--max-iterations", "1"]), @"
    ------- stderr -------
    There are no ended runs.
    Left out: 1 active run.
    ");
    let report = json(&env, &["--max-iterations", "1"]);
    assert_eq!((&report["runs"], &report["leftOut"]["active"]), (&json!(0), &json!(1)));
    let runs = crate::support::agents_at_work::runs(&env);
    let named = normalised_output(&env, &["what-if", "--max-iterations", "1", id(&runs[0])]);
    assert_snapshot!(named, @"
    ------- stderr -------
    error: run [id] is active, and limits are simulated on ended runs only
    hint: to stop it: forkhestra stop [id]
    [exit status: 2]
    ");
    assert_eq!(active.release().1, Some(1));
}

#[test]
fn a_command_line_without_a_limit_or_with_a_wrong_one_is_refused() {
    let env = project();
    assert_snapshot!(forkhestra(&env, &["what-if"]).failure(2), @"
    error: no limit is named
    hint: name one, as in `forkhestra what-if --stagnation 3 --max-cost 5`
    hint: `--suggest` prints the tightest limits that would have harmed no completed run
    ");
    assert_snapshot!(forkhestra(&env, &["what-if", "--idle-timeout", "5m"]).failure(2), @"
    error: `--idle-timeout` cannot be simulated: journals do not record agent progress
    hint: leave it out
    ");
    assert_snapshot!(forkhestra(&env, &["what-if", "--suggest", "--max-cost", "5"]).failure(2), @"
    error: `--suggest` and a limit exclude each other: it searches the values
    hint: leave one of them out
    ");
    for (option, value) in [
        ("--timeout", "5"),
        ("--max-cost", "lots"),
        ("--stagnation", "0"),
        ("--max-iterations", "0"),
    ] {
        let option = format!("{option}={value}");
        let verb = if option.starts_with("--max-iterations") { "set" } else { "run" };
        let expected = forkhestra(&env, &[verb, "done", &option]).failure(2);
        let message = forkhestra(&env, &["what-if", &option]).failure(2);
        let first = |text: &str| text.lines().next().map(str::to_owned);
        assert_eq!(first(&message), first(&expected), "{option}");
    }
    let output = forkhestra(&env, &["what-if", "--since", "soon", "--max-cost", "5"]);
    assert!(output.failure(2).contains("is neither an age such as `30d`"));
}

#[test]
fn limits_are_suggested_from_ten_runs_on() {
    let env = project();
    for _ in 0..9 {
        past(&env, &["third:9"]);
    }
    past(&env, &["never:2"]);
    let few = forkhestra(&env, &["what-if", "--suggest"]);
    assert_eq!(few.code, Some(1), "{few}");
    assert_snapshot!(few.stderr, @"
    error: too few runs for a suggestion: 9 of 10 ended runs completed, and 10 are required
    hint: `--all` includes the runs of all work trees
    ");
    past(&env, &["third:9"]);
    assert_snapshot!(normalised_output(&env, &["what-if", "--suggest"]), @"
    11 ended runs: 10 completed

    TIGHTEST LIMIT  BASED ON
    --max-iterations 3  10 runs
    --timeout [duration]  10 runs
    --stagnation  no suggestion: 0 of 10 required runs
    --max-time [duration]  10 runs
    --step-time [duration]  10 runs
    --max-cost  no suggestion: 0 of 10 required runs
    --step-cost  no suggestion: 0 of 10 required runs
    --max-wait  no suggestion: 0 of 10 required runs

    Each value, set alone from the beginning, would have harmed no completed run. BASED ON counts the completed runs to which the limit applies.
    --idle-timeout cannot be simulated: journals do not record agent progress.
    --quota cannot be simulated: the usage of an account is shared with other programs.
    ");
    let report = forkhestra(&env, &["what-if", "--suggest", "--json"]).success();
    let report: Value = serde_json::from_str(&report).expect("it is JSON");
    assert_eq!(
        (&report["version"], &report["runs"], &report["completed"]),
        (&json!(1), &json!(11), &json!(10))
    );
    assert_eq!(
        report["suggestions"][0],
        json!({
            "option": "--max-iterations",
            "argument": "--max-iterations 3",
            "limits": { "iterations": 3 },
            "runs": 10,
            "endedByAnyValue": 0,
        })
    );
}
