//! `forkhestra show`: one run.

use std::fs;
use std::io;

use insta::assert_snapshot;
use serde_json::Value;
use testkit::TestEnv;

use crate::support::agents_at_work::{DONE, id, run, runs};
use crate::support::past_runs::{cut_off, damage, normalised_output, past, shown, with_agents};
use crate::support::run_in_progress::{RunInProgress, WAIT_FOR_GO};
use crate::{CONFIG, FORKHESTRA, forkhestra};

#[test]
fn a_run_is_shown_with_all_that_happened() {
    let env = with_agents();
    env.agent("slow", "[ -e been ] || { touch been; exec sleep 60; }\necho ready; exit 4");
    past(&env, &["done:3 -> slow:3 -> idle", "--timeout", "2s"]);
    assert_snapshot!(normalised_output(&env, &["show", "-v"]), @"
    Run [id]: done:3 -> slow:3 -> idle
      state  max_iterations (1/3 steps): step 2, slow, not complete after 3 iterations
      directory  $TEST/project
      started  [date] [time] UTC
      ended  [date] [time] UTC
      duration  [duration]
      program  forkhestra 0.1.0

    Steps:
      1  done  complete  1/3 iterations  marker  [time]
      2  slow  max_iterations  3/3 iterations  [time]
      3  idle  not reached

    Iterations of step 1, done:
      1  complete  marker `FORKHESTRA_COMPLETE` in line 1  [time]  20 B

    Iterations of step 2, slow:
      1  ended  stopped by forkhestra: took too long  [time]  no output
      2  crashed  exit 4  [time]  6 B
      3  crashed  exit 4  [time]  6 B

    Files:
      run  $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
      journal  $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl
      output  $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/output/2-3-1

    What to do: read what the agent printed (`forkhestra logs [id]`), then resume
    To resume: forkhestra resume [id] --max-iterations 6
    ");
}

#[test]
fn a_complete_run_has_no_resume_command() {
    let env = with_agents();
    env.write(CONFIG, r#"{ "chains": { "nightly": { "steps": [{ "agent": "done" }] } } }"#);
    past(&env, &["--chain", "nightly"]);
    assert_snapshot!(normalised_output(&env, &["show", "-v"]), @"
    Run [id]: nightly (done)
      state  complete (1/1 steps)
      directory  $TEST/project
      started  [date] [time] UTC
      ended  [date] [time] UTC
      duration  [duration]
      program  forkhestra 0.1.0

    Steps:
      1  done  complete  1 iteration  exit_code  [time]

    Iterations of step 1, done:
      1  complete  exit 0  [time]  20 B

    Files:
      run  $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
      journal  $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl
      output  $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/output/1-1-1

    It is complete; nothing is left to do
    ");
}

#[test]
fn an_active_run_names_its_process() {
    let env = TestEnv::new();
    env.agent("a", &format!("echo ready; {WAIT_FOR_GO}\n{DONE}"));
    let at_work = RunInProgress::start(&env, &["a:3"], "ready\n");
    let pid = at_work.pid().to_string();
    // The output of an agent may arrive before its start is recorded.
    let at_work_line =
        || normalised_output(&env, &["show", "-v"]).stdout.contains("running  process ");
    assert!((0..1000).any(|_| at_work_line()), "the agent is never shown");
    let output = normalised_output(&env, &["show", "-v"]);
    let agent = output.stdout.split("process ").nth(1).and_then(|rest| rest.split(' ').next());
    let agent = agent.expect("its process is named").to_owned();
    let shown = output.stdout.replace(&pid, "[pid]").replace(&agent, "[agent]");
    assert_snapshot!(shown, @"
    Run [id]: a:3
      state  running (0/1 steps): step 1, a, iteration 1/3
      directory  $TEST/project
      started  [date] [time] UTC
      duration  [duration]
      program  forkhestra 0.1.0

    Steps:
      1  a  running  0/3 iterations  [time]

    Iterations of step 1, a:
      1  running  process [agent]  [time]

    Files:
      run  $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
      journal  $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl
      output  $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/output/1-1-1

    It is active: process [pid], since [date] [time] UTC
    ");
    let whole = whole(&env, &[]);
    assert_eq!(whole["owner"]["pid"].to_string(), pid);
    assert_eq!((&whole["status"], &whole["running"]["iteration"]), (&"running".into(), &1.into()));
    assert_eq!(at_work.release().1, Some(0));
}

#[test]
fn an_interrupted_run_shows_its_last_unit_and_resume_command() {
    let env = with_agents();
    cut_off(&env);
    assert_snapshot!(normalised_output(&env, &["show", "-v"]), @"
    Run [id]: idle:3
      state  interrupted (0/1 steps): cut off at step 1, idle, iteration 2/3
      directory  $TEST/project
      started  [date] [time] UTC
      duration  [duration]
      program  forkhestra 0.1.0

    Steps:
      1  idle  interrupted  1/3 iterations  [time]

    Iterations of step 1, idle:
      1  continued  exit 0  [time]  3 B
      2  cut off  its end was not recorded

    Files:
      run  $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
      journal  $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl
      output  $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/output/1-2-1

    To resume: forkhestra resume [id]
    ");
}

#[test]
fn a_resumed_run_shows_every_attempt() {
    let env = with_agents();
    cut_off(&env);
    assert_eq!(run(&env, &["resume"]).code, Some(1));
    assert_snapshot!(normalised_output(&env, &["show", "-v"]), @"
    Run [id]: idle:3
      state  max_iterations (0/1 steps): step 1, idle, not complete after 3 iterations
      directory  $TEST/project
      started  [date] [time] UTC
      ended  [date] [time] UTC
      duration  [duration]
      resumed  once
      program  forkhestra 0.1.0

    Steps:
      1  idle  max_iterations  3/3 iterations  [time]

    Iterations of step 1, idle:
      1  continued  exit 0  [time]  3 B
      2  interrupted  cut off with the run  [time]  no output
      2 (attempt 2)  continued  exit 0  [time]  3 B
      3  continued  exit 0  [time]  3 B

    Files:
      run  $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
      journal  $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl
      output  $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/output/1-3-1

    To resume: forkhestra resume [id] --max-iterations 6
    ");
}

#[test]
fn only_the_last_iterations_are_shown_without_all() {
    let env = with_agents();
    past(&env, &["idle:23"]);
    let shown = normalised_output(&env, &["show", "-v"]).success();
    assert!(shown.contains("  … 3 earlier ones; `--all` shows them\n  4  continued"), "{shown}");
    assert_eq!(shown.matches("continued  exit 0").count(), 20);
    let shown = normalised_output(&env, &["show", "-v", "--all"]).success();
    assert_eq!(shown.matches("continued  exit 0").count(), 23);
    assert_eq!(whole(&env, &[])["iterations"].as_array().map(Vec::len), Some(23));
}

#[test]
fn warnings_are_shown() {
    let env = TestEnv::new();
    env.agent("a", "exit 1").write("prompt.md", "before");
    past(&env, &["a:2", "--prompt-file", "prompt.md", "--max-time", "30s"]);
    env.write("prompt.md", "after");
    assert_eq!(run(&env, &["resume", "--max-iterations", "3"]).code, Some(1));
    let shown = normalised_output(&env, &["show", "-v"]).success();
    let warnings = shown.split("Warnings:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    assert_snapshot!(warnings.unwrap_or(&shown), @"  [date] [time]  the prompt of step 1 is not what it was before");
    assert_eq!(whole(&env, &[])["warnings"].as_array().map(Vec::len), Some(1));
}

/// The command works unchanged from any directory.
#[test]
fn the_resume_command_works() {
    let env = with_agents();
    let shown_run = past(&env, &["idle:2", "--state-dir", "st ate"]);
    let shown = forkhestra(&env, &["show", "-v", "--state-dir", "st ate"]).success();
    let command = shown.lines().find_map(|line| line.strip_prefix("To resume: forkhestra "));
    let command = command.expect("it is shown").replace("$TEST", &env.root().to_string_lossy());
    let mut shell = env.command("/bin/sh");
    shell.args(["-c", &format!("exec \"$0\" {command}"), FORKHESTRA]).current_dir("/");
    let output = env.output_of(&mut shell);
    assert!(output.stdout.contains("Iteration 4/4"), "{output}");
    assert_eq!(runs(&env), [shown_run]);
}

#[test]
fn a_run_is_found_by_a_part_of_its_id_or_a_path() {
    let env = with_agents();
    let first = past(&env, &["done"]);
    past(&env, &["fails"]);
    let expected = normalised_output(&env, &["show", "-v", id(&first)]).success();
    assert!(expected.starts_with("Run [id]: done\n"), "{expected}");
    let path = first.join("journal.jsonl");
    assert_eq!(
        normalised_output(&env, &["show", "-v", &path.to_string_lossy()]).success(),
        expected
    );
    assert_eq!(normalised_output(&env, &["show", "-v", &id(&first)[..6]]).success(), expected);
}

#[test]
fn a_run_that_is_not_there_is_an_error_that_lists_others() {
    let env = with_agents();
    assert_snapshot!(forkhestra(&env, &["show", "-v"]).failure(2), @"
    error: there are no runs of this work tree
    hint: `forkhestra runs --all` lists those of all work trees
    ");
    past(&env, &["fails"]);
    let message = normalised_output(&env, &["show", "-v", "zzz"]).failure(2);
    assert!(
        message.contains("there is no run `zzz`") && message.contains("(fails, failed, started")
    );
    assert_snapshot!(forkhestra(&env, &["show", "-v", "a", "b"]).failure(2), @"
    error: unexpected argument `b`
    hint: for the options and their values see `forkhestra show --help`
    ");
}

#[test]
fn a_damaged_run_is_refused_with_the_line() {
    let env = with_agents();
    damage(&past(&env, &["done"]));
    let [shown, logs] = ["show", "logs"].map(|verb| normalised_output(&env, &[verb]).failure(2));
    assert_eq!(shown, logs);
    assert_snapshot!(shown, @"
    error: line 3 of $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]/journal.jsonl is not JSON: expected `,` or `}` at column 9
    hint: to cut the journal there and resume: forkhestra resume [id] --repair
    hint: this runs again: iteration 1 of step 1
    ");
}

#[test]
fn a_torn_last_line_is_reported_and_hides_nothing() {
    let env = with_agents();
    let run = cut_off(&env);
    let file = run.join("journal.jsonl");
    let text = fs::read_to_string(&file).expect("it is there") + "{\"seq\":";
    fs::write(&file, text).expect("it is ours");
    let output = normalised_output(&env, &["show", "-v"]);
    assert_snapshot!(output.stderr, @"warning: the journal was not written to its end, which is cut off (7 bytes)");
    assert_eq!(output.code, Some(0));
}

#[test]
fn json_is_one_complete_object() {
    let env = with_agents();
    let run = past(&env, &["done:3 -> fails"]);
    let whole = whole(&env, &[]);
    let keys: Vec<&String> = whole.as_object().expect("it is an object").keys().collect();
    assert_snapshot!(format!("{keys:?}"), @r#"["completedAt", "currentStep", "definition", "durationMs", "files", "format", "id", "iterations", "journal", "messages", "owner", "pausedSince", "programs", "reason", "resume", "resumed", "startedAt", "status", "steps", "stopRequestedAt", "updatedAt", "warnings", "workingDirectory"]"#);
    assert_eq!(whole["resume"], format!("forkhestra resume {}", id(&run)));
    assert_eq!(whole["files"]["directory"], shown(&env, &run));
    let mut last = whole["iterations"][1].clone();
    for key in ["startedAt", "endedAt", "durationMs", "runId"] {
        let value = last.as_object_mut().and_then(|last| last.remove(key));
        assert!(value.is_some_and(|value| !value.is_null()), "{key}");
    }
    assert_snapshot!(serde_json::to_string(&last).expect("it is JSON"), @r#"{"agent":"fails","attempt":1,"exitCode":3,"iteration":1,"reason":"exit 3","signals":[],"stderrBytes":5,"stdoutBytes":0,"step":2,"verdict":"crashed"}"#);
}

#[test]
fn a_closed_pipe_ends_the_program_silently() {
    let env = with_agents();
    past(&env, &["done"]);
    for args in [&["show", "-v"][..], &["show", "-v", "--json"], &["runs"], &["runs", "--json"]] {
        let (reader, writer) = io::pipe().expect("the system gives us a pipe");
        drop(reader);
        let output = env.output_of(env.command(FORKHESTRA).args(args).stdout(writer));
        assert_eq!((output.code, output.stderr.as_str()), (Some(141), ""), "{args:?}");
    }
}

#[track_caller]
fn whole(env: &TestEnv, args: &[&str]) -> Value {
    let text = forkhestra(env, &[&["show", "-v", "--json"], args].concat()).success();
    serde_json::from_str(&text).expect("it is JSON")
}
