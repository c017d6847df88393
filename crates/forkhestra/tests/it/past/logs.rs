//! `forkhestra logs`: the output of agents after a run.

use std::fs;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::resume::recovery::truncate_after_event;
use crate::resume::refusals::without_moments;
use crate::resume::resumed_runs::FAILS_ONCE;
use crate::support::agents_at_work::{DONE, id, only_run, run, runs};
use crate::support::run_in_progress::{RunInProgress, WAIT_FOR_GO};

/// A project with a run of three steps; the last one has two attempts.
fn with_history() -> TestEnv {
    let env = TestEnv::new();
    env.agent("planner", "echo a plan; echo doubts >&2");
    env.agent("builder", &format!("echo part $FORKHESTRA_ITERATION; [ -e 2 ] && {DONE}; touch 2"));
    env.agent("fixer", &format!("echo fixing; {FAILS_ONCE}\nprintf 'no line break'"));
    assert_eq!(run(&env, &["planner -> builder:9 -> fixer"]).code, Some(1));
    assert_eq!(run(&env, &["resume"]).code, Some(0));
    env
}

#[test]
fn all_attempts_are_shown_in_order() {
    let env = with_history();
    assert_snapshot!(run(&env, &["logs"]), @"
    [forkhestra] Step 1, planner
    a plan
    [forkhestra] Step 2, builder, iteration 1/9
    part 1
    [forkhestra] Step 2, builder, iteration 2/9
    part 2
    FORKHESTRA_COMPLETE
    [forkhestra] Step 3, fixer
    fixing
    [forkhestra] Step 3, fixer (attempt 2)
    fixing
    no line break------- stderr -------
    doubts
    ");
}

#[test]
fn an_agent_without_output_is_shown_as_such() {
    let env = TestEnv::new();
    env.agent("a", "");
    assert_eq!(run(&env, &["a:2"]).code, Some(1));
    assert_snapshot!(run(&env, &["logs"]), @"
    [forkhestra] a, iteration 1/2
    [forkhestra] a, iteration 2/2
    ");
    assert_eq!(run(&env, &["logs", "--raw"]).success(), "");
}

#[test]
fn a_run_without_agents_is_reported() {
    let env = TestEnv::new();
    env.agent("claude", "");
    env.write("forge/tasks/TASK-1 - A.md", "---\nid: TASK-1\ntitle: A\nstatus: Done\n---\n");
    assert_eq!(run(&env, &["builder:2"]).code, Some(0));
    assert_snapshot!(run(&env, &["logs"]).success(), @"[forkhestra] No agent was started");
    assert_eq!(run(&env, &["logs", "--raw"]).success(), "");
}

#[test]
fn one_step_or_one_iteration_can_be_chosen() {
    let env = with_history();
    assert_snapshot!(run(&env, &["logs", "--step", "2"]).success(), @"
    [forkhestra] Step 2, builder, iteration 1/9
    part 1
    [forkhestra] Step 2, builder, iteration 2/9
    part 2
    FORKHESTRA_COMPLETE
    ");
    assert_snapshot!(run(&env, &["logs", "--step", "2", "--iteration", "1"]).success(), @"
    [forkhestra] Step 2, builder, iteration 1/9
    part 1
    ");
    assert_snapshot!(run(&env, &["logs", "--step", "3", "--iteration", "1"]).success(), @"
    [forkhestra] Step 3, fixer
    fixing
    [forkhestra] Step 3, fixer (attempt 2)
    fixing
    no line break
    ");
}

#[test]
fn an_iteration_without_a_step_is_that_of_the_only_loop_that_has_it() {
    let env = with_history();
    for number in ["1", "2"] {
        let shown = run(&env, &["logs", "--iteration", number]).success();
        assert!(shown.starts_with(&format!("[forkhestra] Step 2, builder, iteration {number}/9")));
    }
    let env = TestEnv::new();
    env.agent("a", DONE).agent("b", "echo $FORKHESTRA_ITERATION");
    assert_eq!(run(&env, &["a:3 -> b:3"]).code, Some(1));
    assert_snapshot!(run(&env, &["logs", "--iteration", "3"]).success(), @"
    [forkhestra] Step 2, b, iteration 3/3
    3
    ");
    assert_snapshot!(run(&env, &["logs", "--iteration", "1"]).failure(2), @"
    error: several steps have an iteration 1
    hint: say which one: `--step 1` (a) or `--step 2` (b)
    ");
}

#[test]
fn missing_numbers_are_reported_with_the_existing_ones() {
    let env = TestEnv::new();
    env.agent("a", "").agent("b", "").agent("c", "");
    assert_eq!(run(&env, &["a -> b:2 -> c"]).code, Some(1));
    assert_snapshot!(run(&env, &["logs", "--step", "4"]).failure(2), @"
    error: there is no step 4
    hint: the steps are 1 (a), 2 (b) and 3 (c)
    ");
    assert_snapshot!(run(&env, &["logs", "--step", "3"]).failure(2), @"
    error: step 3 (c) has not begun
    hint: step 1 (a) has iteration 1 and step 2 (b) has iterations 1 to 2
    ");
    assert_snapshot!(run(&env, &["logs", "--iteration", "3"]).failure(2), @"
    error: there is no iteration 3
    hint: step 1 (a) has iteration 1 and step 2 (b) has iterations 1 to 2
    ");
    assert_snapshot!(run(&env, &["logs", "--step", "1", "--iteration", "2"]).failure(2), @"
    error: step 1 (a) has no iteration 2
    hint: step 1 (a) has iteration 1
    ");
    // A missing step is refused with `--follow`, too.
    assert_eq!(
        run(&env, &["logs", "--step", "3", "--follow"]).failure(2),
        run(&env, &["logs", "--step", "3"]).failure(2)
    );
    assert_snapshot!(run(&env, &["logs", "--step", "0"]).failure(2), @"
    error: invalid value '0' for '--step <N>': must be at least 1
    hint: for the options and their values see `forkhestra logs --help`
    ");
}

#[test]
fn the_newest_run_of_the_work_tree_is_shown_unless_another_is_named() {
    let env = TestEnv::new();
    env.agent("a", "cat word").write("word", "first\n").write("sub/.git/HEAD", "");
    assert_eq!(run(&env, &["a"]).code, Some(0));
    env.write("word", "second\n");
    assert_eq!(run(&env, &["a", "--state-dir", "state"]).code, Some(0));
    let shown = |args: &[&str]| run(&env, &[&["logs", "--raw"], args].concat()).success();
    let first = runs(&env).remove(0);
    let path = first.to_string_lossy().into_owned();
    assert_eq!(shown(&[]), "first\n");
    assert_eq!(shown(&[&id(&first)[..3], "--cwd", "sub"]), "first\n");
    assert_eq!(shown(&[&path]), "first\n");
    assert_eq!(shown(&["--state-dir", "state"]), "second\n");
    assert_snapshot!(run(&env, &["logs", "--cwd", "sub"]).failure(2), @"
    error: there are no runs of this work tree
    hint: `forkhestra runs --all` lists those of all work trees
    ");
}

#[test]
fn a_run_killed_before_its_start_is_skipped() {
    let env = TestEnv::new();
    env.agent("a", "echo here");
    assert_eq!(run(&env, &["a"]).code, Some(0));
    let run_dir = only_run(&env);
    let empty = run_dir.with_file_name("29991231T235959Z-00000000");
    fs::create_dir(&empty).expect("the directory is ours");
    fs::write(empty.join("journal.jsonl"), "").expect("the directory is ours");
    assert_eq!(run(&env, &["logs", "--raw"]).success(), "here\n");
    let message = run(&env, &["logs", "00000000"]).failure(2);
    assert!(message.contains("holds no complete line"), "{message}");
}

#[test]
fn an_ambiguous_or_unknown_id_lists_the_runs() {
    let env = TestEnv::new();
    env.agent("a", "");
    assert_eq!(run(&env, &["a"]).code, Some(0));
    assert_snapshot!(without_moments(&run(&env, &["logs", "nope"]).failure(2)), @"
    error: there is no run `nope`
    hint: the newest runs are: [id] (a, complete, started [moment])
    ");
}

#[test]
fn an_active_run_is_shown_up_to_now() {
    let env = TestEnv::new();
    env.agent("a", &format!("echo begun; echo ready\n{WAIT_FOR_GO}\necho done"));
    let at_work = RunInProgress::start(&env, &["a"], "ready\n");
    let shown = run(&env, &["logs"]).success();
    assert_eq!(at_work.release().1, Some(0));
    assert_eq!(shown, "[forkhestra] a\nbegun\nready\n");
    assert_eq!(run(&env, &["logs"]).success(), "[forkhestra] a\nbegun\nready\ndone\n");
}

#[test]
fn following_a_finished_run_shows_it_and_ends() {
    let env = with_history();
    let (once, followed) = (run(&env, &["logs"]), run(&env, &["logs", "-f"]));
    assert_eq!(followed.code, Some(0));
    assert_eq!((followed.stdout, followed.stderr), (once.stdout, once.stderr));
}

#[test]
fn following_an_interrupted_run_reports_it() {
    let env = TestEnv::new();
    env.agent("a", "echo half of it");
    assert_eq!(run(&env, &["a:2"]).code, Some(1));
    let directory = only_run(&env);
    let whole = fs::read_to_string(directory.join("journal.jsonl")).expect("there is a journal");
    let started = whole.lines().position(|line| line.contains(r#""agent_started""#));
    truncate_after_event(&directory, &whole, started.expect("an agent was started") + 1);
    assert_snapshot!(run(&env, &["logs", "--follow"]), @"
    [forkhestra] a, iteration 1/2
    half of it
    ------- stderr -------
    warning: run [id] was cut off: no process works on it any more
    hint: to resume: forkhestra resume [id]
    ");
    assert_eq!(run(&env, &["logs"]).success(), "[forkhestra] a, iteration 1/2\nhalf of it\n");
}
