//! An agent that writes to the files in which its run is recorded.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use testkit::TestEnv;

use super::{failing_project, refused, worked};
use crate::support::{DONE, forkhestra, run_directory, run_id};

fn journal(env: &TestEnv) -> PathBuf {
    run_directory(env).join("journal.jsonl")
}

#[track_caller]
fn lines(env: &TestEnv) -> Vec<String> {
    let text = fs::read_to_string(journal(env)).expect("it is text");
    text.split_inclusive('\n').map(str::to_owned).collect()
}

/// The lines up to the start of the first iteration, and those after it.
#[track_caller]
fn around_first_iteration(env: &TestEnv) -> (Vec<String>, Vec<String>) {
    let mut before = lines(env);
    let start = before.iter().position(|line| line.contains("\"event\":\"iteration_started\""));
    let after = before.split_off(start.expect("an agent was started") + 1);
    (before, after)
}

/// The end of a run that is complete, as an agent can copy it from another journal.
#[track_caller]
fn green_end() -> Vec<String> {
    let env = TestEnv::new();
    env.agent("worker", DONE);
    assert_eq!(forkhestra(&env, &["worker:2", "--no-view"]).code, Some(0));
    around_first_iteration(&env).1
}

fn without_hash(line: &str) -> String {
    let without = line.rsplit_once(",\"hash\":\"").map(|(before, _)| format!("{before}}}\n"));
    without.unwrap_or_else(|| line.to_owned())
}

/// A run whose agent appended a green end to the journal and killed both processes.
fn with_forged_end(forge: fn(&str) -> String) -> TestEnv {
    let env = failing_project();
    assert_eq!(forkhestra(&env, &["worker:2"]).code, Some(1));
    let (before, _) = around_first_iteration(&env);
    let forged: String = green_end().iter().map(|line| forge(line)).collect();
    fs::write(journal(&env), before.concat() + &forged).expect("it is ours");
    fs::remove_file(run_directory(&env).join("overview.json")).expect("the run had ended");
    env
}

#[test]
fn an_appended_end_is_not_believed() {
    for (forge, why) in [
        (without_hash as fn(&str) -> String, "was not written by forkhestra"),
        (str::to_owned as fn(&str) -> String, "does not fit the lines before it"),
    ] {
        let env = with_forged_end(forge);
        let id = run_id(&env);
        refused(&env, &["resume"], why);
        refused(&env, &["resume", &id], "what it says from there on cannot be trusted");
        refused(&env, &["resume", &id], &format!("forkhestra resume {id} --repair"));
        let listed = forkhestra(&env, &["runs"]);
        assert!(listed.stdout.contains("damaged"), "{listed}");
        assert!(listed.stderr.contains("was changed by another program"), "{listed}");
        let shown = forkhestra(&env, &["show", &id]);
        assert_eq!(shown.code, Some(0), "{shown}");
        assert!(shown.stderr.contains(why), "{shown}");
        let before = worked(&env);
        let repaired = forkhestra(&env, &["resume", "--repair"]);
        assert_eq!((repaired.code, worked(&env) > before), (Some(1), true), "{repaired}");
        assert!(forkhestra(&env, &["runs"]).success().contains("worker"));
    }
}

#[test]
fn a_changed_line_is_not_resumed() {
    let env = failing_project();
    assert_eq!(forkhestra(&env, &["worker:2"]).code, Some(1));
    let mut changed = lines(&env);
    let last = changed.len() - 1;
    changed[last - 1] = changed[last - 1].replacen("\"elapsedMs\":", "\"elapsedMs\":1", 1);
    fs::write(journal(&env), changed.concat()).expect("it is ours");
    refused(&env, &["resume"], &format!("line {last} of "));
    // The plan says which commands are run, so it cannot be repaired.
    let mut changed = lines(&env);
    changed[0] = changed[0].replace("\"worker\"", "\"another\"");
    fs::write(journal(&env), changed.concat()).expect("it is ours");
    refused(&env, &["resume", "--repair"], "its first line, which holds the plan of the run");
}

#[test]
fn removed_last_lines_are_found() {
    let env = failing_project();
    assert_eq!(forkhestra(&env, &["worker:2"]).code, Some(1));
    let all = lines(&env);
    fs::write(journal(&env), all[..all.len() - 4].concat()).expect("it is ours");
    let why = "another program or a power failure removed its last lines";
    let id = run_id(&env);
    let before = worked(&env);
    refused(&env, &["resume", &id], why);
    refused(&env, &["resume"], &format!("forkhestra resume {id} --repair"));
    let shown = forkhestra(&env, &["show", &id]);
    assert!(shown.stderr.contains(why), "{shown}");
    let listed = forkhestra(&env, &["runs"]);
    assert!(listed.stdout.contains("damaged"), "{listed}");
    assert_eq!(worked(&env), before);
    let repaired = forkhestra(&env, &["resume", "--repair"]);
    assert_eq!((repaired.code, worked(&env) > before), (Some(1), true), "{repaired}");
    let shown = forkhestra(&env, &["show", &id]);
    assert!(!shown.stderr.contains(why), "{shown}");
}

/// The two streams of a run have the same lines: a reader of `--output json` can compare them.
#[test]
fn lines_on_standard_output_have_the_hashes_of_the_journal() {
    let env = TestEnv::new();
    env.agent("worker", DONE);
    let shown = forkhestra(&env, &["worker:2", "--output", "json"]);
    let found = fs::read_to_string(journal(&env)).expect("it is text");
    assert!(found.contains("\"hash\":\""), "{found}");
    assert_eq!(shown.stdout, env.normalised(found.as_bytes()));
}

#[test]
fn a_changed_overview_is_not_believed() {
    let env = failing_project();
    assert_eq!(forkhestra(&env, &["worker:2"]).code, Some(1));
    let path = run_directory(&env).join("overview.json");
    let before = forkhestra(&env, &["runs", "--json"]).success();
    let listed: Value = serde_json::from_str(&before).expect("it is JSON");
    let status = listed[0]["status"].as_str().expect("the run is listed");
    assert_ne!(status, "complete");
    let text = fs::read_to_string(&path).expect("the run has ended");
    let changed = text.replace(&format!("\"status\":\"{status}\""), "\"status\":\"complete\"");
    assert_ne!(changed, text);
    fs::write(&path, changed).expect("it is ours");
    assert_eq!(forkhestra(&env, &["runs", "--json"]).success(), before);
    assert_eq!(forkhestra(&env, &["resume"]).code, Some(1), "it is not complete");
}
