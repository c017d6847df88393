//! What users read about runs with rounds, questions, alternatives and conditions.

use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use serde_json::Value;
use testkit::TestEnv;

use crate::support::agents_at_work::{DONE, id, only_run, run, runs};
use crate::{FORKHESTRA, forkhestra, project};

/// The most that a loaded machine needs.
const PATIENCE: Duration = Duration::from_secs(60);

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

/// A run that waits for an answer. It ends with the test.
struct AskingRun<'a> {
    env: &'a TestEnv,
    child: Child,
}

impl<'a> AskingRun<'a> {
    /// Starts a run, and waits until it asks.
    #[track_caller]
    fn start(env: &'a TestEnv, args: &[&str]) -> Self {
        let mut command = env.command(FORKHESTRA);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("the program can be started");
        let run = Self { env, child };
        let start = Instant::now();
        while !run.is_asking() {
            assert!(start.elapsed() < PATIENCE, "it never asked");
            thread::sleep(Duration::from_millis(5));
        }
        run
    }

    fn is_asking(&self) -> bool {
        let Some(run) = runs(self.env).pop() else { return false };
        let journal = std::fs::read_to_string(run.join("journal.jsonl")).unwrap_or_default();
        journal.contains("\"event\":\"asked\"")
    }

    /// Answers it, and returns everything that it printed.
    #[track_caller]
    fn answer(self, args: &[&str]) -> String {
        forkhestra(self.env, args).success();
        let output = self.child.wait_with_output().expect("it ends");
        self.env.normalised(&output.stdout)
    }
}

fn json(env: &TestEnv, args: &[&str]) -> Value {
    serde_json::from_str(&forkhestra(env, args).success()).expect("it is JSON")
}

#[test]
fn a_run_of_two_rounds_is_told_from_its_first_line_to_its_page() {
    let env = two_rounds();
    let output = run(&env, &["(fixer:3 -> ci):4"]);
    assert_snapshot!(output.stdout, @"");
    let shown = forkhestra(&env, &["show"]).success();
    assert!(shown.contains("\n     round 2 of 4 of steps 1 and 2, accepted\n"), "{shown}");
    assert!(shown.contains("round 1 was refused by ci: a test \\u{1b}[2Jfailed …\n"), "{shown}");
    assert!(shown.contains("  2/4 iterations  marker"), "{shown}");
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
    run(&env, &["(fixer:3 -> ci):4"]);
    let view = json(&env, &["show", "--json"]);
    let rounds = view["rounds"].as_array().expect("they are there");
    assert_eq!(rounds.len(), 2, "{rounds:?}");
    let refused = &rounds[0]["refused"];
    assert_eq!((&refused["by"], &refused["step"]), (&"agent".into(), &2.into()));
    assert_eq!(refused["reason"], "a test \u{1b}[2Jfailed\nsee above");
    assert!(rounds[1].get("refused").is_none(), "{rounds:?}");
    assert_eq!(view["steps"][0]["iterations"], 2);
    assert_eq!(view["steps"][0]["maxIterations"], 4, "iterations are numbered on");
    let stats = json(&env, &["stats", "--json"]);
    let agents = stats["agents"].as_array().expect("they are there");
    let iterations: u64 = agents.iter().filter_map(|agent| agent["iterations"].as_u64()).sum();
    assert_eq!(iterations, 4, "{stats}");
}

#[test]
fn the_output_of_each_round_is_found() {
    let env = two_rounds();
    env.agent("fixer", &format!("echo \"round $FORKHESTRA_ROUND\"; echo line >> work\n{DONE}"));
    run(&env, &["(fixer:3 -> ci):4"]);
    for round in ["1", "2"] {
        let args = ["logs", "--step", "1", "--iteration", round];
        let logs = forkhestra(&env, &args).success();
        assert!(logs.contains(&format!("round {round}\n")), "{logs}");
        assert_eq!(logs.matches("round ").count(), 1, "{logs}");
    }
}

#[test]
fn used_up_rounds_are_explained_with_the_command_that_allows_more() {
    let env = two_rounds();
    run(&env, &["(fixer:3 -> ci):1"]);
    let why = forkhestra(&env, &["show", "--why"]).success();
    assert!(why.contains("  limit    --rounds 1: 1 round is over\n"), "{why}");
    assert!(why.contains("  refused  round 1 of 1 by ci: a test"), "{why}");
    assert!(why.contains(" --rounds 2\n"), "{why}");
    let what_if = forkhestra(&env, &["what-if", "--max-iterations", "1"]).success();
    assert!(what_if.starts_with("1 ended run: 0 completed\n"), "{what_if}");
}

#[test]
fn a_run_that_asks_says_so_everywhere_and_its_clock_stands_still() {
    let env = project(
        r#"{ "agents": {}, "chains": { "night": { "steps": [
          { "agent": "plan" }, { "ask": "Is it \u001b[2Jright?" }, { "agent": "build" }
        ] } } }"#,
    );
    env.agent("plan", "exit 0").agent("build", "exit 0");
    let asking = AskingRun::start(&env, &["--chain", "night"]);
    let listed = json(&env, &["runs", "--json"]);
    assert_eq!(listed[0]["question"]["text"], "Is it \u{1b}[2Jright?", "{listed}");
    assert_eq!(listed[0]["askingSince"], listed[0]["question"]["askedAt"]);
    let table = forkhestra(&env, &["runs"]).success();
    assert!(table.contains("  asking  2/3 ?  "), "{table}");
    let shown = forkhestra(&env, &["show"]).success();
    assert!(shown.contains("  state     asking (1/3 steps): step 2, the question\n"), "{shown}");
    assert!(shown.contains("  question  Is it \\u{1b}[2Jright? (step 2, since "), "{shown}");
    let id = id(&only_run(&env)).to_owned();
    assert!(shown.contains(&format!("\nTo deny: forkhestra deny {id} \"why\"\n")), "{shown}");
    let why = json(&env, &["show", "--why", "--json"]);
    let waits = why["why"]["waitsFor"].as_str().unwrap_or_default();
    assert!(waits.starts_with("waits for an answer since "), "{why}");
    let printed = asking.answer(&["approve", "go on"]);
    assert!(printed.contains("] Question of step 2: Is it \\u{1b}[2Jright?\n"), "{printed}");
    assert!(printed.contains("] Approved by a person: go on\n"), "{printed}");
    let view = json(&env, &["show", "--json"]);
    let question = &view["questions"][0];
    assert_eq!(
        (&question["answer"]["by"], &question["answer"]["text"]),
        (&"person".into(), &"go on".into())
    );
    let stats = json(&env, &["stats", "--json"]);
    assert!(stats["all"]["time"]["askingMs"].is_u64(), "{stats}");
    let summary = summary_page(&env);
    assert!(
        summary.contains("Is it \\u{1b}[2Jright? (Approved by a person: go on)\n"),
        "{summary}"
    );
}

#[test]
fn a_quiet_run_prints_its_question() {
    let env = TestEnv::new();
    env.agent("plan", "exit 0");
    let asking = AskingRun::start(&env, &["plan -> ?", "--quiet"]);
    let printed = asking.answer(&["deny", "no"]);
    assert!(printed.starts_with("[forkhestra] Step 2 waits for an answer\n"), "{printed}");
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
    assert_snapshot!(output.stdout, @"");
    let shown = forkhestra(&env, &["show"]).success();
    assert!(shown.contains("\n     step 2 ran instead\n"), "{shown}");
    assert!(shown.contains("\n     instead of step 1\n"), "{shown}");
    assert!(shown.contains("\n  3  deploy  not needed\n"), "{shown}");
    let view = json(&env, &["show", "--json"]);
    assert_eq!(view["steps"][1]["insteadOf"], 1);
    assert_eq!(view["conditions"][0]["holds"], false);
}
