//! `--dry-run` of chains with groups, rounds, questions, alternatives and conditions.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::TestEnv;

use crate::{forkhestra, planned, project};

/// A chain with everything that a config file can say about the flow.
const RELEASE: &str = r#"{
  "agents": {},
  "chains": { "release": {
    "steps": [
      { "agent": "plan", "iterations": 3 },
      { "ask": "Is the plan right?\nSee \u001b[2Jplan.md", "timeout": "12h" },
      { "ask": "Sure?", "timeout": "1h", "onTimeout": "approve", "if": "file:risky" },
      { "group": [
          { "agent": "build", "iterations": 20 },
          { "group": [ { "agent": "check" }, { "agent": "review", "iterations": 2 } ],
            "rounds": 2, "if": "command:\"test -e reviews\"" }
        ],
        "rounds": 3, "checks": ["tasks", "command:\"make ci\""],
        "limits": { "time": "2h", "cost": 12 },
        "else": [ { "agent": "senior", "iterations": 5 }, { "agent": "check" } ] },
      { "agent": "deploy", "if": "command:\"test -e deploy.yml\"" }
    ],
    "limits": { "time": "8h" }
  } }
}"#;

fn release() -> TestEnv {
    let env = project(RELEASE);
    for agent in ["plan", "build", "check", "review", "senior", "deploy"] {
        env.install(agent);
    }
    env
}

#[test]
fn a_chain_with_a_flow_is_a_tree_with_its_bound() {
    let env = TestEnv::new();
    env.install("a").install("b").install("c").install("d");
    assert_snapshot!(forkhestra(&env, &["a:3 -> ? -> (b:20 -> c:3):3 else d:5", "--dry-run"]).success(), @"
    [forkhestra] Dry run - would execute the following chain:

      1. a - loop up to 3 iterations
           agent: program $TEST/bin/a (PATH)
      2. a person decides
           waits as long as it takes; answer with forkhestra approve or deny
         up to 3 rounds of
      3.   b - loop up to 20 iterations
             agent: program $TEST/bin/b (PATH)
      4.   c - loop up to 3 iterations
             agent: program $TEST/bin/c (PATH)
         a round is accepted by: step 4
         else
      5.   d - loop up to 5 iterations
             agent: program $TEST/bin/d (PATH)

      at most: 77 iterations, 1 question

    [forkhestra] Dry run complete. No agents were executed.
    ");
}

#[test]
fn everything_about_questions_groups_and_conditions_is_shown() {
    let env = release();
    let output = forkhestra(&env, &["--dry-run", "--quiet", "--chain", "release"]);
    assert_eq!(output.code, Some(0), "{output}");
    let warning = "warning: the cost of steps 4, 5 and 6 may be unknown";
    assert!(output.stderr.starts_with(warning), "the group has a cost limit: {output}");
    assert_snapshot!(output.stdout, @r#"
    1. plan - loop up to 3 iterations
         agent: program $TEST/bin/plan (PATH)
    2. a person decides
         asks: Is the plan right?
           See \u{1b}[2Jplan.md
         waits up to 12h, then it is denied; answer with forkhestra approve or deny
    3. a person decides
         if: file:risky, otherwise not needed
         asks: Sure?
         waits up to 1h, then it is APPROVED; answer with forkhestra approve or deny
       up to 3 rounds of
         group time: at most 2h
         group cost: at most $12.00
    4.   build - loop up to 20 iterations
           agent: program $TEST/bin/build (PATH)
         up to 2 rounds of
           if: command:"test -e reviews", otherwise not needed
    5.     check - run once
             agent: program $TEST/bin/check (PATH)
    6.     review - loop up to 2 iterations
             agent: program $TEST/bin/review (PATH)
         a round is accepted by: step 6
       a round is accepted by: step 6, check tasks, check command:"make ci"
       else
    7.   senior - loop up to 5 iterations
           agent: program $TEST/bin/senior (PATH)
    8.   check - run once
           agent: program $TEST/bin/check (PATH)
    9. deploy - run once
         if: command:"test -e deploy.yml", otherwise not needed
         agent: program $TEST/bin/deploy (PATH)

    at most: 88 iterations, 2 questions
    run time: at most 8h
    "#);
}

#[test]
fn a_run_that_asks_no_person_says_so() {
    let env = TestEnv::new();
    env.install("a");
    assert_snapshot!(planned(&env, &["a -> ?", "--yes"]), @"
    1. a - run once
         agent: program $TEST/bin/a (PATH)
    2. a person decides
         approved without asking (--yes)

    at most: 1 iteration
    ");
    assert_snapshot!(planned(&env, &["a", "--yes"]), @"
    1. a - run once
         agent: program $TEST/bin/a (PATH)
    ");
}

#[test]
fn groups_that_are_not_repeated_keep_their_steps_together() {
    let env = TestEnv::new();
    env.install("a").install("b");
    assert_snapshot!(planned(&env, &["(a -> b) else (b -> (a else b)):2"]), @"
       a group of
    1.   a - run once
           agent: program $TEST/bin/a (PATH)
    2.   b - run once
           agent: program $TEST/bin/b (PATH)
       else
         up to 2 rounds of
    3.     b - run once
             agent: program $TEST/bin/b (PATH)
    4.     a - run once
             agent: program $TEST/bin/a (PATH)
           else
    5.       b - run once
               agent: program $TEST/bin/b (PATH)
         a round is accepted by: step 4 or step 5

    at most: 8 iterations
    ");
}

/// The true bound is larger than any number that is counted.
#[test]
fn a_bound_beyond_all_numbers_says_so() {
    let env = TestEnv::new();
    env.install("a");
    let shown = planned(&env, &["((a:4294967295):4294967295):4294967295"]);
    assert!(shown.contains("  in all: more than 18446744073709551615 iterations\n"), "{shown}");
}

#[test]
fn the_builder_s_tasks_decide_about_a_round() {
    let env = TestEnv::new();
    env.install("claude");
    let shown = planned(&env, &["(builder:20 -> reviewer:3):3"]);
    let accepted = shown.lines().find(|line| line.contains("a round is accepted by"));
    assert_snapshot!(accepted.unwrap_or_default(), @"     a round is accepted by: step 2, check tasks  [check tasks added because a step of the group works through the task database]");
}

/// The numbers of the steps stay in one column.
#[test]
fn ten_steps_are_aligned() {
    let env = TestEnv::new();
    env.install("a");
    let chain = format!("(a -> a):2{}", " -> a".repeat(8));
    let shown = planned(&env, &[&chain]);
    let starts: Vec<Option<usize>> = shown.lines().map(|line| line.find("a - ")).collect();
    let starts: Vec<usize> = starts.into_iter().flatten().collect();
    assert_eq!(starts, [8, 8, 6, 6, 6, 6, 6, 6, 6, 6], "{shown}");
}

#[test]
fn the_flow_is_in_the_json_of_the_plan() {
    let env = release();
    let args = ["--chain", "release", "--dry-run", "--output", "json"];
    let plan: Value = serde_json::from_str(&forkhestra(&env, &args).stdout).expect("JSON");
    assert_eq!(plan["flow"][0], json!({ "step": 1 }));
    let group = &plan["flow"][3]["alternatives"][0][0]["group"];
    assert_eq!((&group["number"], &group["rounds"]), (&json!(1), &json!(3)));
    assert_eq!(group["limits"]["cost"]["value"], json!(12.0), "{group}");
    assert_eq!(group["stages"][1]["group"]["rounds"], 2);
    let question = &plan["steps"][2]["agent"];
    assert_eq!(question["kind"], "person", "{question}");
    assert_eq!(question["text"], "Sure?");
    assert_eq!(question["approvesOnTimeout"], true);
    let condition = &plan["steps"][8]["conditions"][0];
    assert_eq!(condition["check"]["value"]["check"], json!({ "command": "test -e deploy.yml" }));
    let round_checks = plan["steps"][5]["roundChecks"].as_array().map(Vec::len);
    assert_eq!(round_checks, Some(2), "{}", plan["steps"][5]);
}

#[test]
fn the_list_has_the_chain_in_one_line_and_no_agent_for_its_questions() {
    let env = release();
    let shown = forkhestra(&env, &["list"]).success();
    let (own, _) = shown.split_once("\nBuilt-in chains:\n").expect("these are always there");
    let chain = "plan:3 -> ? -> ? -> (build:20 -> (check -> review:2):2):3 else (senior:5 -> check) -> deploy";
    assert!(own.lines().any(|line| line.trim() == chain), "{own}");
    assert!(!own.contains("not installed"), "{own}");
}
