//! Recording runs.

use std::fs;

use serde_json::Value;
use testkit::{CommandOutput, TestEnv};

use crate::FORKHESTRA;
use crate::support::{DONE, forkhestra, git, project, ralph, repository, run_id};

/// Commits one file and leaves another uncommitted, in each of two iterations.
const BUILDER: &str = "echo \"iteration $FORKHESTRA_ITERATION with $API_KEY\"; echo oops >&2; \
    echo $FORKHESTRA_ITERATION > made; git add --all; git commit --quiet --message \"Make it\"; \
    echo more >> loose; [ $FORKHESTRA_ITERATION = 1 ] || echo FORKHESTRA_COMPLETE";

/// All files of a recording.
fn files(env: &TestEnv, recording: &str) -> Vec<String> {
    let list = format!("cd {recording} && find . -type f | sort");
    let output = env.run("/bin/sh", &["-c", &format!("PATH=/usr/bin:/bin; {list}")]);
    output.stdout.lines().map(|name| name.trim_start_matches("./").to_owned()).collect()
}

fn json(env: &TestEnv, path: &str) -> Value {
    serde_json::from_str(&env.read(path)).expect("it is JSON")
}

fn with_key(env: &TestEnv, args: &[&str]) -> CommandOutput {
    env.output_of(env.command(FORKHESTRA).args(args).env("API_KEY", "sk-0123456789"))
}

#[test]
fn all_agent_activity_is_recorded() {
    let env = repository();
    env.agent("builder-bot", BUILDER);
    let output = with_key(&env, &["builder-bot:5", "--record", "../recorded"]);
    assert_eq!(output.code, Some(0), "{output}");
    let unit = ["commit-1.patch", "commit-1.txt", "rest.patch", "stderr", "stdout"];
    let unit = unit.into_iter().chain(["timing.jsonl", "unit.json"]);
    let units = ["1-1-1", "1-2-1"];
    let mut expected: Vec<String> = units
        .iter()
        .flat_map(|place| unit.clone().map(move |file| format!("{place}/{file}")))
        .collect();
    expected.push("recording.json".to_owned());
    assert_eq!(files(&env, "../recorded"), expected);

    let manifest = json(&env, "../recorded/recording.json");
    assert_eq!(manifest["run"], run_id(&env));
    assert_eq!(manifest["steps"][0]["agent"], "builder-bot");
    let [first, second] = units.map(|unit| json(&env, &format!("../recorded/{unit}/unit.json")));
    assert_eq!(first["end"]["exited"], 0);
    assert_eq!(first["effects"]["end"], second["effects"]["start"]);
    let head = git(&env, "rev-parse HEAD");
    assert_eq!(second["effects"]["commits"][0]["id"], head.trim());
    assert_eq!(second["effects"]["inexactBecause"], Value::Null);
    let stdout = env.read("../recorded/1-2-1/stdout");
    assert_eq!(stdout, "iteration 2 with *************\nFORKHESTRA_COMPLETE\n");
    assert_eq!(env.read("../recorded/1-2-1/stderr"), "oops\n");
    let timing = env.read("../recorded/1-2-1/timing.jsonl");
    let bytes = |stream: &str| -> u64 {
        let lines = timing.lines().map(|line| serde_json::from_str(line).expect("it is JSON"));
        let of = lines.filter(|line: &Value| line["stream"] == stream);
        of.map(|line| line["bytes"].as_u64().expect("a number")).sum()
    };
    assert_eq!((bytes("stdout"), bytes("stderr")), (stdout.len() as u64, 5));
    let patch = env.read("../recorded/1-2-1/commit-1.patch");
    assert!(patch.contains("-1\n+2\n") && patch.contains("b/loose"), "{patch}");
}

#[test]
fn a_recording_inside_the_work_tree_is_no_progress() {
    let env = repository();
    env.agent("builder-bot", BUILDER);
    let output = with_key(&env, &["builder-bot:5", "--record", "recorded/today"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(git(&env, "ls-files"), "README\nloose\nmade\n");
    assert_eq!(git(&env, "status --porcelain"), " M loose\n");
    let unit = json(&env, "recorded/today/1-2-1/unit.json");
    let tree = unit["effects"]["end"]["tree"].as_str().expect("there is one");
    let run = run_id(&env);
    let snapshot = git(&env, &format!("rev-parse refs/forkhestra/{run}/2^{{tree}}"));
    assert_eq!(snapshot.trim(), tree);
}

#[test]
fn a_killed_run_leaves_whole_units_and_its_resume_continues_the_recording() {
    let env = repository();
    let killer = "if [ $FORKHESTRA_ITERATION = 2 ] && [ ! -e ../killed ]; then \
        touch ../killed; kill -9 $PPID; sleep 60; fi; ";
    env.agent("builder-bot", &format!("{killer}{BUILDER}"));
    let output = with_key(&env, &["builder-bot:5", "--record", "../recorded"]);
    assert_ne!(output.code, Some(0), "{output}");
    assert!(env.has("../recorded/1-1-1/unit.json") && env.has("../recorded/1-2-1"));
    assert!(!env.has("../recorded/1-2-1/unit.json"));
    let output = with_key(&env, &["resume"]);
    assert_eq!(output.code, Some(0), "{output}");
    let [first, second] = ["1-1-1", "1-2-2"].map(|unit| {
        let record = json(&env, &format!("../recorded/{unit}/unit.json"));
        (record["effects"]["start"].clone(), record["effects"]["end"].clone())
    });
    assert_eq!(first.1, second.0);
    assert!(!env.has("../recorded/1-2-1/unit.json"));
}

#[test]
fn a_run_whose_recording_was_replaced_continues_without_it() {
    let env = repository();
    env.agent("a", "echo again");
    assert_eq!(forkhestra(&env, &["a:1", "--record", "../recorded"]).code, Some(1));
    fs::remove_file(env.project().join("../recorded/recording.json")).expect("it is ours");
    let output = forkhestra(&env, &["resume", "--max-iterations", "2"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(
        output.stderr.contains(
            "warning: the run is not recorded any more: $TEST/project/../recorded is not"
        ),
        "{output}"
    );
    assert!(!env.has("../recorded/1-2-1"));
}

#[test]
fn a_non_empty_directory_is_refused_before_anything_runs() {
    let env = repository();
    env.agent("a", "touch ../ran");
    env.write("../full/mine", "x").write("../file", "x");
    let hint = "hint: give `--record` a directory that is empty or does not exist yet\n";
    for (place, dry) in [("../full", false), ("../full", true), ("../file", false)] {
        let mut args = vec!["a", "--record", place];
        args.extend(dry.then_some("--dry-run"));
        let output = forkhestra(&env, &args);
        assert_eq!(output.code, Some(2), "{output}");
        let place = place.trim_start_matches("../");
        let why = format!(
            "error: the run cannot be recorded: $TEST/project/../{place} is not empty, and no recording\n"
        );
        assert_eq!(output.stderr, format!("{why}{hint}"));
    }
    assert!(!env.has("../ran"));
    assert_eq!(forkhestra(&env, &["a", "--record", "../one"]).code, Some(0));
    let again = forkhestra(&env, &["a", "--record", "../one"]);
    assert_eq!(again.code, Some(2), "{again}");
    let run = run_id(&env);
    assert!(again.stderr.contains(&format!("already holds the recording of run {run}")), "{again}");
}

#[test]
fn an_agent_that_removes_the_recording_loses_only_that() {
    let env = repository();
    env.agent("a", &format!("rm -rf ../recorded; echo gone; {DONE}"));
    let output = forkhestra(&env, &["a:3", "--record", "../recorded"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(
        output.stderr.contains("step 1, iteration 1 is not recorded: cannot write"),
        "{output}"
    );
    assert!(output.stdout.contains("gone"), "{output}");
}

#[test]
fn outside_of_a_repository_only_output_is_recorded() {
    let env = project();
    env.agent("a", &format!("echo made > made; {DONE}"));
    let output = forkhestra(&env, &["a:3", "--record", "../recorded"]);
    assert_eq!(output.code, Some(0), "{output}");
    let why = "$TEST/project is not in a git repository";
    assert!(
        output.stderr.contains(&format!("only what agents print is recorded: {why}")),
        "{output}"
    );
    let unit = json(&env, "../recorded/1-1-1/unit.json");
    assert_eq!(unit["effects"], Value::Null);
    assert_eq!(env.read("../recorded/1-1-1/stdout"), "FORKHESTRA_COMPLETE\n");
}

#[test]
fn every_way_an_agent_ends_is_recorded() {
    let env = repository();
    env.agent("crashing", "exit 7").agent("dying", "kill -9 $$").agent("late", "sleep 600");
    for (agent, end, because) in [
        ("crashing", "{\"exited\":7}", Value::Null),
        ("dying", "{\"signaled\":9}", Value::Null),
        ("late", "{\"signaled\":15}", Value::from("timeout")),
    ] {
        let place = format!("../recorded-{agent}");
        let args = [agent, "--record", &place, "--timeout", "3s"];
        assert_eq!(forkhestra(&env, &args).code, Some(1), "{agent}");
        let unit = json(&env, &format!("{place}/1-1-1/unit.json"));
        assert_eq!((unit["end"].to_string().as_str(), &unit["endedBecause"]), (end, &because));
    }
}

#[test]
fn ralph_runner_records_as_well() {
    let env = repository();
    env.agent("a", &format!("echo made > made; {DONE}"));
    let output = ralph(&env, &["--agent", "a", "--max-iterations", "3", "--record", "../recorded"]);
    assert_eq!(output.code, Some(0), "{output}");
    let patch = env.read("../recorded/1-1-1/rest.patch");
    assert!(patch.contains("+made\n"), "{patch}");
}
