//! Past runs with operator requests.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::TestEnv;

use crate::past::events::with_line;
use crate::support::agents_at_work::{DONE, id, only_run, run, without_hashes};
use crate::support::past_runs::without_moments;

/// Inserts lines into a journal, each at its final index.
fn add(run: &Path, lines: impl IntoIterator<Item = (usize, Value)>) {
    let file = run.join("journal.jsonl");
    let mut journal = without_hashes(&fs::read_to_string(&file).expect("there is a journal"));
    for (place, members) in lines {
        journal = with_line(&journal, place, &members);
    }
    fs::write(&file, journal).expect("the journal is ours");
    let _ = fs::remove_file(run.join("overview.json"));
}

fn message(number: u32, text: &str) -> Value {
    json!({ "event": "message_queued", "number": number, "text": text })
}

/// A run with two messages, of which only the first was delivered, and a stop request after its
/// completion.
fn with_two_messages() -> TestEnv {
    let env = TestEnv::new();
    env.agent("a", &format!("[ -e once ] && {DONE}; touch once"));
    assert_eq!(run(&env, &["a:5"]).code, Some(0));
    let unit = json!({ "step": 1, "iteration": 2, "attempt": 1 });
    let lines = [
        (4, message(1, "use the other API\nit is in src/api.rs")),
        (7, json!({ "event": "messages_given", "unit": unit, "messages": [1] })),
        (9, message(2, "\u{1b}[31mhurry up")),
        (10, json!({ "event": "stop_requested" })),
    ];
    add(&only_run(&env), lines);
    env
}

/// A run of two steps; the operator skipped the first before the run was interrupted.
fn with_skipped_step() -> TestEnv {
    let env = TestEnv::new();
    env.agent("a", "").agent("b", "");
    assert_eq!(run(&env, &["a:2 -> b"]).code, Some(1));
    let directory = only_run(&env);
    let file = directory.join("journal.jsonl");
    let journal = fs::read_to_string(&file).expect("there is a journal");
    let kept: String = journal.split_inclusive('\n').take(8).collect();
    fs::write(&file, kept).expect("the journal is ours");
    add(&directory, [(7, json!({ "event": "skip_requested", "step": 1 }))]);
    env
}

#[test]
fn show_lists_operator_messages_with_their_recipients() {
    let env = with_two_messages();
    let shown = without_moments(&run(&env, &["show", "-v"]).success());
    let messages = shown.split_once("Messages:\n").expect("they are shown").1;
    let messages = messages.split_once("\n\n").expect("more follows").0;
    assert_snapshot!(messages, @r"
    1  [date] [time]  step 1, a, iteration 2  use the other API …
    2  [date] [time]  no agent: the run was over before  \u{1b}[31mhurry up
    ");
    let head = shown.split_once("\n\n").expect("more follows").0;
    assert_snapshot!(head, @"
    Run [id]: a:5
      state  complete (1/1 steps)
      directory  $TEST/project
      started  [date] [time] UTC
      ended  [date] [time] UTC
      duration  [duration]
      stop requested  [date] [time] UTC
      program  forkhestra 0.1.0
    ");
    let json: Value =
        serde_json::from_str(&run(&env, &["show", "-v", "--json"]).success()).expect("it is JSON");
    assert_eq!(json["messages"][0]["given"], json!({ "step": 1, "iteration": 2, "attempt": 1 }));
    assert_eq!(json["messages"][0]["text"], "use the other API\nit is in src/api.rs");
    assert_eq!(json["messages"][1]["given"], Value::Null);
    assert!(json["stopRequestedAt"].is_string() && json["pausedSince"].is_null());
}

#[test]
fn without_an_active_run_a_message_is_for_the_resumable_run() {
    let env = TestEnv::new();
    env.agent("a", "echo thinking");
    assert_snapshot!(run(&env, &["tell", "Take care."]).failure(2), @"
    error: no run is active in this work tree
    hint: `forkhestra runs` lists its runs, and `forkhestra runs --all` those of all
    ");
    assert_eq!(run(&env, &["a:1"]).code, Some(1));
    assert_snapshot!(run(&env, &["tell", "Take care."]).failure(2), @r#"
    error: no run is active in this work tree
    hint: the last run that can be resumed is [id]: forkhestra tell [id] "…"
    hint: to resume it with the message: forkhestra resume --tell "…"
    "#);
    let kept_in = only_run(&env);
    let id = id(&kept_in);
    for (number, expected) in [(1, "1 message waits for resume"), (2, "2 messages wait for resume")]
    {
        run(&env, &["tell", id, &format!("Message {number}.")]).success();
        for options in [&["show"][..], &["show", "-v"]] {
            let shown = run(&env, options).success();
            assert!(shown.contains(&format!("{expected}\n")), "{shown}");
        }
    }
    env.agent("a", DONE);
    assert_eq!(run(&env, &["resume", "--max-iterations", "2"]).code, Some(0));
    let shown = run(&env, &["show"]).success();
    assert!(!shown.contains("for resume"), "{shown}");
}

#[test]
fn the_summary_lists_operator_messages() {
    let env = with_two_messages();
    run(&env, &["runs", "rebuild"]).success();
    let directory = only_run(&env);
    let page = env.read(&format!(".agent-state/summary-{}.md", id(&directory)));
    let messages = page.split_once("## Messages\n\n").expect("they are there").1;
    let messages: Vec<&str> =
        messages.lines().map(|line| line.split_once(" UTC: ").expect("a moment").1).collect();
    assert_snapshot!(messages.join("\n"), @r"
    use the other API … (step 1, a, iteration 2)
    \u{1b}[31mhurry up (no agent: the run was over before)
    ");
}

#[test]
fn a_run_continues_after_a_skipped_step_and_completes() {
    let env = with_skipped_step();
    assert_snapshot!(run(&env, &["resume"]).success(), @"
    [forkhestra] Resuming run [id]: 0 of 2 steps complete, skipping a
    [forkhestra] Skipped after 2 iterations

    [forkhestra] Running: b
    [forkhestra] Done: b (exit 0)

    [forkhestra] Summary
      1  a  skipped   2 iterations  on request  [time]
      2  b  complete  1 iteration   exit_code   [time]

    [forkhestra] In all: 3 iterations, [time]
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Chain complete (1/2 steps, 1 skipped)
    ");
    let directory = only_run(&env);
    let again = run(&env, &["resume", id(&directory)]);
    assert_eq!(again.code, Some(0), "{again}");
    let shown = without_moments(&run(&env, &["show", "-v"]).success());
    let steps = shown.split_once("Steps:\n").expect("they are shown").1;
    assert_snapshot!(steps.split_once("\n\n").expect("more follows").0, @"
    1  a  skipped  2/2 iterations  on request  [time]
    2  b  complete  1 iteration  exit_code  [time]
    ");
    assert!(shown.contains("state  complete (1/2 steps, 1 skipped)\n"), "{shown}");
    let list = run(&env, &["runs"]).success();
    assert!(list.contains("  complete  "), "{list}");
}

#[test]
fn the_view_marks_a_skipped_step() {
    let env = with_skipped_step();
    run(&env, &["resume"]).success();
    let directory = only_run(&env);
    let id = id(&directory);
    let view: Value = serde_json::from_str(&env.read(&format!(".agent-state/chain-{id}.json")))
        .expect("it is JSON");
    let step = &view["steps"][0];
    assert_eq!((&step["status"], &step["reason"]), (&json!("skipped"), &json!("skipped")));
    assert_eq!(
        (&view["status"], &view["steps"][1]["status"]),
        (&json!("complete"), &json!("complete"))
    );
    for (of, file) in
        [("chain-state", format!("chain-{id}.json")), ("run-state", format!("run-{id}-1.json"))]
    {
        let schema = serde_json::from_str(&run(&env, &["schema", of]).success()).expect("JSON");
        let view = serde_json::from_str(&env.read(&format!(".agent-state/{file}"))).expect("JSON");
        assert!(jsonschema::is_valid(&schema, &view), "{file}");
    }
    let page = env.read(&format!(".agent-state/summary-{id}.md"));
    assert!(page.contains("**Complete: 1 of 2 steps, 1 skipped**"), "{page}");
    assert!(page.contains("| 1 | a | skipped | 2 | on request |"), "{page}");
}
