//! What users read about runs with rounds, questions, alternatives and conditions.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::Value;
use testkit::TestEnv;

use crate::support::agents_at_work::{DONE, id, only_run, run};
use crate::support::run_in_progress::{RunInProgress, WAIT_FOR_GO};
use crate::{FORKHESTRA, forkhestra, project};

/// A fixer whose work a program accepts in the second round.
fn two_rounds() -> TestEnv {
    let env = TestEnv::new();
    env.agent("fixer", &format!("echo line >> work\n{DONE}"));
    env.agent(
        "ci",
        "test $(wc -l < work) -ge 2 || { printf 'a test \\033[2Jfailed\\nsee above\\n' >&2; exit 1; }",
    );
    env
}

/// The end of the lines about a question without a time limit.
const ASKED: &str = ", in quotation marks\n";

/// Answers a run that asks, and returns everything that it printed.
#[track_caller]
fn answer(asking: RunInProgress<'_>, env: &TestEnv, args: &[&str]) -> String {
    forkhestra(env, args).success();
    asking.release().0
}

fn json(env: &TestEnv, args: &[&str]) -> Value {
    serde_json::from_str(&forkhestra(env, args).success()).expect("it is JSON")
}

#[test]
fn a_run_of_two_rounds_is_told_from_its_first_line_to_its_page() {
    let env = two_rounds();
    let output = run(&env, &["(fixer:3 -> ci):4"]);
    assert_snapshot!(output.stdout, @r"
    [forkhestra] Round 1 of 4
    [forkhestra] Starting: fixer (max 3 iterations)
    [forkhestra] Iteration 1/3
    FORKHESTRA_COMPLETE
    [forkhestra] Complete after 1 iteration

    [forkhestra] Running: ci
    [forkhestra] Not accepted: ci (exit 1)
    [forkhestra] Round 1 was refused by ci: a test \u{1b}[2Jfailed …

    [forkhestra] Round 2 of 4
    [forkhestra] Starting: fixer (max 3 iterations)
    [forkhestra] Iteration 2 (1 of 3 in round 2)
    FORKHESTRA_COMPLETE
    [forkhestra] Complete after 1 iteration

    [forkhestra] Running: ci
    [forkhestra] Done: ci (exit 0)

    [forkhestra] Summary
      1  fixer  complete  2 iterations  marker     [time]
      2  ci     complete  2 iterations  exit_code  [time]
         round 2 of 4 of steps 1 and 2, accepted
           round 1 was refused by ci: a test \u{1b}[2Jfailed …

    [forkhestra] In all: 4 iterations, [time]
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Chain complete (2/2 steps)
    ");
    let shown = forkhestra(&env, &["show"]).success();
    assert!(shown.contains("\n     round 2 of 4 of steps 1 and 2, accepted\n"), "{shown}");
    assert!(shown.contains("round 1 was refused by ci: a test \\u{1b}[2Jfailed …\n"), "{shown}");
    assert!(shown.contains("  2 iterations (1 of 3 in round 2)  marker"), "{shown}");
    let all = forkhestra(&env, &["show", "--all"]).success();
    assert!(all.contains("  1  not accepted  exit 1"), "{all}");
    let summary = summary_page(&env);
    assert!(
        summary.contains("## Rounds\n\n- round 2 of 4 of steps 1 and 2, accepted\n"),
        "{summary}"
    );
}

/// The page that a run leaves in its working directory.
fn summary_page(env: &TestEnv) -> String {
    let run = only_run(env);
    env.read(&format!(".agent-state/summary-{}.md", id(&run)))
}

#[test]
fn the_views_have_the_rounds_with_their_refusals() {
    let env = two_rounds();
    assert_eq!(run(&env, &["(fixer:3 -> ci):4"]).code, Some(0));
    let view = json(&env, &["show", "--json"]);
    let rounds = view["rounds"].as_array().expect("they are there");
    assert_eq!(rounds.len(), 2, "{rounds:?}");
    let refused = &rounds[0]["refused"];
    assert_eq!((&refused["by"], &refused["step"]), (&"agent".into(), &2.into()));
    assert_eq!(refused["reason"], "a test \u{1b}[2Jfailed\nsee above");
    assert!(rounds[1].get("refused").is_none(), "{rounds:?}");
    assert_eq!(view["steps"][0]["iterations"], 2);
    assert_eq!(view["steps"][0]["maxIterations"], 4, "iteration numbers continue");
    let stats = json(&env, &["stats", "--json"]);
    let agents = stats["agents"].as_array().expect("they are there");
    let iterations: u64 = agents.iter().filter_map(|agent| agent["iterations"].as_u64()).sum();
    assert_eq!(iterations, 4, "{stats}");
}

/// Nothing interrupted it: the last round ended before it.
#[test]
fn a_step_that_the_last_round_did_not_reach_is_the_same_everywhere() {
    let env = two_rounds();
    env.agent("fixer", "[ $FORKHESTRA_ROUND = 1 ] || exit 3").agent("ci", "exit 1");
    let output = run(&env, &["(fixer -> ci):3"]);
    for text in [output.stdout, run(&env, &["show"]).stdout] {
        let row = text.lines().find(|line| line.starts_with("  2  ci"));
        let words: Vec<&str> = row.unwrap_or_else(|| panic!("{text}")).split_whitespace().collect();
        assert_eq!(words.join(" "), "2 ci not reached 1 iteration before round 2 [time]");
    }
    let page = summary_page(&env);
    assert!(page.contains("| 2 | ci | not reached | 1 | before round 2 | "), "{page}");
    let view = json(&env, &["show", "--json"]);
    let step = &view["steps"][1];
    assert_eq!((&step["status"], &step["iterations"]), (&"pending".into(), &1.into()));
    assert!(step.get("completedAt").is_none(), "{step}");
    let run_id = id(&only_run(&env)).to_owned();
    let file: Value = serde_json::from_str(&env.read(&format!(".agent-state/chain-{run_id}.json")))
        .expect("it is JSON");
    assert_eq!(&file["steps"][1], step);
}

/// A step of a repeated group may run again in the next round.
#[test]
fn the_output_of_a_step_is_followed_over_all_rounds() {
    let env = two_rounds();
    env.agent("fixer", &format!("echo \"$FORKHESTRA_ROUND. round\"; echo line >> work\n{DONE}"));
    env.agent("ci", &format!("[ $FORKHESTRA_ROUND = 1 ] || exit 0; {WAIT_FOR_GO}; exit 1"));
    let asking = RunInProgress::start(&env, &["(fixer -> ci):4"], "Running: ci\n");
    let mut command = env.command(FORKHESTRA);
    command.args(["logs", "--follow", "--step", "1"]).stdout(Stdio::piped());
    let mut follower = command.spawn().expect("it can be started");
    let mut lines = BufReader::new(follower.stdout.take().expect("it is a pipe")).lines();
    let first = lines.find_map(|line| Some(line.ok()?).filter(|line| line.contains(". round")));
    assert_eq!(first.as_deref(), Some("1. round"));
    assert_eq!(asking.release().1, Some(0));
    let rest: Vec<String> = lines.map(|line| line.expect("it is text")).collect();
    assert!(rest.contains(&"2. round".to_owned()), "{rest:?}");
    assert!(follower.wait().expect("it ends").success());
}

#[test]
fn the_output_of_each_round_is_found() {
    let env = two_rounds();
    env.agent("fixer", &format!("echo \"round $FORKHESTRA_ROUND\"; echo line >> work\n{DONE}"));
    assert_eq!(run(&env, &["(fixer:3 -> ci):4"]).code, Some(0));
    for round in ["1", "2"] {
        let args = ["logs", "--step", "1", "--iteration", round];
        let logs = forkhestra(&env, &args).success();
        let printed: Vec<&str> = logs.lines().filter(|line| line.starts_with("round ")).collect();
        assert_eq!(printed, [format!("round {round}")], "{logs}");
    }
}

#[test]
fn used_up_rounds_are_explained_with_the_command_that_allows_more() {
    let env = two_rounds();
    assert_eq!(run(&env, &["(fixer:3 -> ci):1"]).code, Some(1));
    let why = forkhestra(&env, &["show", "--why"]).success();
    assert!(why.contains("  limit    --rounds 1: 1 round is over\n"), "{why}");
    assert!(why.contains("  refused  round 1 of 1 by ci: a test"), "{why}");
    assert!(why.contains(" --rounds 2\n"), "{why}");
    let what_if = forkhestra(&env, &["what-if", "--max-iterations", "1"]).success();
    assert!(what_if.starts_with("1 ended run: 0 completed\n"), "{what_if}");
}

#[test]
fn a_run_that_asks_says_so_everywhere_and_its_clock_is_paused() {
    let env = project(
        r#"{ "agents": {}, "chains": { "night": { "steps": [
          { "agent": "plan" }, { "ask": "Is it \u001b[2Jright?" }, { "agent": "build" }
        ] } } }"#,
    );
    env.agent("plan", "exit 0").agent("build", "exit 0");
    let asking = RunInProgress::start(&env, &["--chain", "night"], ASKED);
    let listed = json(&env, &["runs", "--json"]);
    assert_eq!(listed[0]["question"]["text"], "Is it \u{1b}[2Jright?", "{listed}");
    assert_eq!(listed[0]["askingSince"], listed[0]["question"]["askedAt"]);
    let table = forkhestra(&env, &["runs"]).success();
    assert!(table.contains("  asking  2/3 ?  "), "{table}");
    let shown = forkhestra(&env, &["show"]).success();
    assert!(shown.contains("  state     asking (1/3 steps): step 2, the question\n"), "{shown}");
    assert!(shown.contains("  question  Is it \\u{1b}[2Jright? (step 2, since "), "{shown}");
    let id = id(&only_run(&env)).to_owned();
    assert!(shown.contains(&format!("\nTo deny: forkhestra deny {id} --question 1\n")), "{shown}");
    let view = json(&env, &["show", "--json"]);
    assert_eq!(
        (&view["askingSince"], &view["question"]),
        (&listed[0]["askingSince"], &listed[0]["question"])
    );
    let why = json(&env, &["show", "--why", "--json"]);
    let waits = why["why"]["waitsFor"].as_str().unwrap_or_default();
    assert!(waits.starts_with("waits for an answer since "), "{why}");
    let printed = answer(asking, &env, &["approve", "go on"]);
    assert!(printed.contains("] Step 2 asks: Is it \\u{1b}[2Jright?\n"), "{printed}");
    assert!(printed.contains("] Approved by a person: go on\n"), "{printed}");
    let view = json(&env, &["show", "--json"]);
    assert!(view.get("askingSince").is_none() && view.get("question").is_none(), "{view}");
    let question = &view["questions"][0];
    assert_eq!(
        (&question["answer"]["by"], &question["answer"]["text"]),
        (&"person".into(), &"go on".into())
    );
    let stats = json(&env, &["stats", "--json"]);
    assert!(stats["time"]["askingMs"].is_u64(), "{stats}");
    let summary = summary_page(&env);
    assert!(
        summary.contains("Is it \\u{1b}[2Jright? (Approved by a person: go on)\n"),
        "{summary}"
    );
}

#[test]
fn a_long_question_is_shown_whole_with_all_details() {
    let text: Vec<String> = (1..=80).map(|line| format!("line {line} \\u001b[2J")).collect();
    let env = project(&format!(
        r#"{{ "chains": {{ "night": {{ "steps": [ {{ "ask": "{}" }} ] }} }} }}"#,
        text.join("\\n")
    ));
    let asking = RunInProgress::start(&env, &["--chain", "night"], ASKED);
    let shown = forkhestra(&env, &["show", "-v"]).success();
    let lines: String =
        (2..=80).map(|line| format!("             | line {line} \\u{{1b}}[2J\n")).collect();
    assert!(shown.contains(&lines), "{shown}");
    assert!(shown.contains("  question   line 1 \\u{1b}[2J … (step 1, since "), "{shown}");
    let page = forkhestra(&env, &["show"]).success();
    assert!(!page.contains("line 2"), "{page}");
    answer(asking, &env, &["approve"]);
}

#[test]
fn a_question_of_one_long_line_is_shown_whole_with_all_details() {
    let text = "Is it right, and is it what the customer has asked for? ".repeat(9);
    let env = project(&format!(
        r#"{{ "chains": {{ "night": {{ "steps": [ {{ "ask": "{}" }} ] }} }} }}"#,
        text.trim_end()
    ));
    let asking = RunInProgress::start(&env, &["--chain", "night"], ASKED);
    let shown = forkhestra(&env, &["show", "-v"]).success();
    assert!(shown.contains(&format!("             | {}\n", text.trim_end())), "{shown}");
    answer(asking, &env, &["approve"]);
}

/// An answer that nobody gives may be an approval, also after the run was stopped.
#[test]
fn the_answer_without_a_person_is_told_with_its_time() {
    let env = project(
        r#"{ "chains": { "night": { "steps": [ { "agent": "plan" },
             { "ask": "Deploy?", "timeout": "2h", "onTimeout": "approve" } ] } } }"#,
    );
    env.agent("plan", "exit 0");
    let asking = RunInProgress::start(&env, &["--chain", "night"], "it is APPROVED at ");
    let says_when = |shown: &str| {
        let line =
            shown.lines().find(|line| line.starts_with("Without an answer it is APPROVED at "));
        assert!(line.is_some(), "{shown}");
    };
    says_when(&forkhestra(&env, &["show"]).success());
    forkhestra(&env, &["stop"]).success();
    asking.release();
    says_when(&forkhestra(&env, &["show"]).success());
}

#[test]
fn a_quiet_run_prints_its_question() {
    let env = TestEnv::new();
    env.agent("plan", "exit 0");
    let asking = RunInProgress::start(&env, &["plan -> ?", "--quiet"], ASKED);
    let printed = answer(asking, &env, &["deny", "no"]);
    assert!(printed.starts_with("[forkhestra] Step 2 asks for approval\n"), "{printed}");
    assert!(printed.contains("] To approve: forkhestra approve "), "{printed}");
    assert!(
        printed.contains("(1/2 steps): step 2, the question, it was not approved\n"),
        "{printed}"
    );
}

#[test]
fn alternatives_and_conditions_are_told_with_their_reasons() {
    let env = project(
        r#"{ "agents": {}, "chains": { "night": { "steps": [
          { "agent": "cheap", "iterations": 2, "else": { "agent": "senior", "iterations": 3 } },
          { "agent": "deploy", "if": "command:test -e deploy.yml" }
        ] } } }"#,
    );
    env.agent("cheap", "exit 0").agent("senior", DONE).agent("deploy", "exit 0");
    let output = run(&env, &["--chain", "night"]);
    assert_snapshot!(output.stdout, @"
    [forkhestra] Starting: cheap (max 2 iterations)
    [forkhestra] Iteration 1/2
    [forkhestra] Iteration 2/2
    [forkhestra] Incomplete after 2 iterations (max_iterations)

    [forkhestra] Step 2, senior, runs instead of step 1, cheap
    [forkhestra] Starting: senior (max 3 iterations)
    [forkhestra] Iteration 1/3
    FORKHESTRA_COMPLETE
    [forkhestra] Complete after 1 iteration

    [forkhestra] Condition does not hold: test -e deploy.yml: exit 1
    [forkhestra] Not needed: deploy

    [forkhestra] Summary
      1  cheap   incomplete  2 iterations  max_iterations  [time]
         step 2 ran instead
      2  senior  complete    1 iteration   marker          [time]
         instead of step 1
      3  deploy  not needed

    [forkhestra] In all: 3 iterations, [time]
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Chain complete (1/2 steps, 1 not needed, 1 replaced)
    ");
    let shown = forkhestra(&env, &["show"]).success();
    assert!(shown.contains("\n     step 2 ran instead\n"), "{shown}");
    assert!(shown.contains("\n     instead of step 1\n"), "{shown}");
    assert!(shown.contains("\n  3  deploy  not needed\n"), "{shown}");
    let view = json(&env, &["show", "--json"]);
    assert_eq!(view["steps"][1]["insteadOf"], 1);
    assert_eq!(view["conditions"][0]["holds"], false);
}
