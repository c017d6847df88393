//! Interrupted runs and torn journals: no finished iteration runs again.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::resume::resumed_runs::FAILS_ONCE;
use crate::support::agents_at_work::{
    DONE, events, iterations, journal, only_run, run, verdict, without_hashes,
};

/// Cuts the journal after some lines, as if the process had been killed there.
pub(crate) fn truncate_after_event(run: &Path, text: &str, lines: usize) {
    let kept: String = text.split_inclusive('\n').take(lines).collect();
    fs::write(run.join("journal.jsonl"), kept).expect("the journal is ours");
    let _ = fs::remove_file(run.join("overview.json"));
}

#[test]
fn after_a_kill_at_any_event_no_finished_iteration_runs_again() {
    let env = TestEnv::new();
    let note = r#"echo "$FORKHESTRA_STEP-$FORKHESTRA_ITERATION" >> ran"#;
    env.agent("a", &format!("{note}\n[ $FORKHESTRA_ITERATION -lt 2 ] || {DONE}")).agent("b", note);
    assert_eq!(run(&env, &["a:3 -> b"]).code, Some(0));
    let all = env.read("ran");
    let directory = only_run(&env);
    let whole = fs::read_to_string(directory.join("journal.jsonl")).expect("there is a journal");
    let lines = whole.lines().count();
    for kept in 1..lines {
        truncate_after_event(&directory, &whole, kept);
        let finished = events(&env, "iteration_finished").len();
        env.write("ran", "");
        let output = run(&env, &["resume"]);
        assert_eq!(verdict(&output), "[forkhestra] Chain complete (2/2 steps)", "{kept}: {output}");
        let expected: String = all.split_inclusive('\n').skip(finished).collect();
        assert_eq!(env.read("ran"), expected, "after {kept} of {lines} lines");
    }
}

#[test]
fn an_interrupted_iteration_is_retried_under_its_number() {
    let env = TestEnv::new();
    env.agent("a", &format!("echo try; {DONE}"));
    assert_eq!(run(&env, &["a:3"]).code, Some(0));
    let directory = only_run(&env);
    let whole = fs::read_to_string(directory.join("journal.jsonl")).expect("there is a journal");
    truncate_after_event(&directory, &whole, 4);
    assert_snapshot!(run(&env, &["resume"]), @"
    [forkhestra] Resuming run [id]: 0 of 1 steps complete, a at iteration 1
    [forkhestra] Iteration 1/3
    try
    FORKHESTRA_COMPLETE
    [forkhestra] Complete after 1 iteration

    [forkhestra] Summary
      1  a  complete  1 iteration  marker  [time]

    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Chain complete (1/1 steps)
    ");
    assert_eq!(iterations(&env), ["1-1-1", "1-1-2"]);
    let verdicts: Vec<_> = events(&env, "iteration_finished")
        .iter()
        .map(|event| (event["unit"]["attempt"].clone(), event["verdict"]["kind"].clone()))
        .collect();
    assert_eq!(verdicts, [(1.into(), "interrupted".into()), (2.into(), "complete".into())]);
    // The output of the first attempt is kept.
    for attempt in ["1-1-1", "1-1-2"] {
        assert!(directory.join("output").join(attempt).join("stdout").exists(), "{attempt}");
    }
}

#[test]
fn a_torn_last_line_is_cut_off_and_reported() {
    let env = TestEnv::new();
    env.agent("a", FAILS_ONCE);
    assert_eq!(run(&env, &["a"]).code, Some(1));
    let file = only_run(&env).join("journal.jsonl");
    let mut text = fs::read_to_string(&file).expect("there is a journal");
    text.push_str(r#"{"seq":7,"at":"2026-1"#);
    fs::write(&file, text).expect("the journal is ours");
    let output = run(&env, &["resume", "--quiet"]);
    assert_snapshot!(output, @"
    [forkhestra] Chain complete (1/1 steps)
    ------- stderr -------
    warning: the journal was not written to its end, which is cut off (21 bytes)
    ");
    assert_eq!(events(&env, "run_finished").len(), 2);
}

#[test]
fn events_of_a_newer_version_are_skipped_and_stay() {
    let env = TestEnv::new();
    env.agent("a", FAILS_ONCE);
    assert_eq!(run(&env, &["a"]).code, Some(1));
    let directory = only_run(&env);
    let seq = journal(&directory).len();
    let file = directory.join("journal.jsonl");
    let mut text = without_hashes(&fs::read_to_string(&file).expect("there is a journal"));
    let at = r#""at":"2026-11-15T00:00:00.000Z","elapsedMs":99"#;
    text.push_str(&format!("{{\"seq\":{seq},{at},\"event\":\"invented_later\",\"x\":1}}\n"));
    fs::write(&file, text).expect("the journal is ours");
    let _ = fs::remove_file(directory.join("overview.json"));
    assert_snapshot!(run(&env, &["resume", "--quiet"]), @"
    [forkhestra] Chain complete (1/1 steps)
    ------- stderr -------
    warning: the journal holds events of a newer version, which are skipped
    ");
    assert_eq!(events(&env, "invented_later").len(), 1);
}
