//! `forkhestra resume`: finished work is kept, and the rest is continued.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::resume::recovery::truncate_after_event;
use crate::support::agents_at_work::{
    DONE, events, id, iterations, journal, only_run, reason, run, runs, verdict, without_hashes,
};
use crate::{forkhestra, project};

/// An agent that fails the first time it runs.
pub(crate) const FAILS_ONCE: &str = "[ -e tried ] || { touch tried; exit 4; }";

#[test]
fn a_loop_continues_with_more_iterations_and_keeps_its_counters() {
    let env = TestEnv::new();
    env.agent("a", "echo $FORKHESTRA_ITERATION of $FORKHESTRA_MAX_ITERATIONS");
    assert_eq!(run(&env, &["a:2"]).code, Some(1));
    assert_snapshot!(run(&env, &["resume", "--max-iterations", "4"]), @"
    [forkhestra] Resuming run [id]: 0 of 1 steps complete, a at iteration 3
    [forkhestra] Iteration 3/4
    3 of 4
    [forkhestra] Iteration 4/4
    4 of 4
    [forkhestra] Incomplete after 4 iterations (max_iterations)

    [forkhestra] Summary
      1  a  incomplete  4 iterations  max_iterations  [time]

    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] To resume: forkhestra resume [id] --max-iterations 8
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, not complete after 4 iterations
    [exit status: 1]
    ");
    assert_eq!(iterations(&env), ["1-1-1", "1-2-1", "1-3-1", "1-4-1"]);
}

#[test]
fn a_loop_that_completes_after_it_was_resumed_is_complete() {
    let env = TestEnv::new();
    env.agent("a", &format!("[ $FORKHESTRA_ITERATION -lt 3 ] || {DONE}")).agent("b", "touch b-ran");
    assert_eq!(run(&env, &["a:2 -> b"]).code, Some(1));
    assert_snapshot!(run(&env, &["resume", "--max-iterations", "9"]), @"
    [forkhestra] Resuming run [id]: 0 of 2 steps complete, a at iteration 3
    [forkhestra] Iteration 3/9
    FORKHESTRA_COMPLETE
    [forkhestra] Complete after 3 iterations

    [forkhestra] Running: b
    [forkhestra] Done: b (exit 0)

    [forkhestra] Summary
      1  a  complete  3 iterations  marker     [time]
      2  b  complete  1 iteration   exit_code  [time]

    [forkhestra] In all: 4 iterations, [time]
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Chain complete (2/2 steps)
    ");
    assert!(env.has("b-ran"));
}

#[test]
fn a_limit_that_still_holds_ends_the_run_again_without_starting_anything() {
    let env = TestEnv::new();
    env.agent("a", "echo again");
    assert_eq!(run(&env, &["a:2"]).code, Some(1));
    for options in [&["resume"][..], &["resume", "--max-iterations", "1"]] {
        let output = run(&env, options);
        assert_eq!(output.code, Some(1), "{output}");
        assert_eq!(iterations(&env).len(), 2);
        assert_eq!(reason(&env), "max_iterations");
    }
}

#[test]
fn a_failed_single_agent_is_retried_and_finished_steps_stay_finished() {
    let env = TestEnv::new();
    env.agent("first", "echo first >> order").agent("second", FAILS_ONCE).agent("third", "");
    assert_eq!(run(&env, &["first -> second -> third"]).code, Some(1));
    assert_snapshot!(run(&env, &["resume"]), @"
    [forkhestra] Resuming run [id]: 1 of 3 steps complete, second next
    [forkhestra] Running: second
    [forkhestra] Done: second (exit 0)

    [forkhestra] Running: third
    [forkhestra] Done: third (exit 0)

    [forkhestra] Summary
      1  first   complete  1 iteration  exit_code  [time]
      2  second  complete  1 iteration  exit_code  [time]
      3  third   complete  1 iteration  exit_code  [time]

    [forkhestra] In all: 3 iterations, [time]
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Chain complete (3/3 steps)
    ");
    assert_eq!(env.read("order"), "first\n");
    assert_eq!(iterations(&env), ["1-1-1", "2-1-1", "2-1-2", "3-1-1"]);
}

/// A retry is another attempt of the same iteration.
#[test]
fn the_failed_iteration_of_a_single_agent_counts_during_its_retry() {
    let env = TestEnv::new();
    env.agent("a", FAILS_ONCE);
    assert_eq!(run(&env, &["a"]).code, Some(1));
    assert_eq!(run(&env, &["resume"]).code, Some(0));
    let directory = only_run(&env);
    let whole = fs::read_to_string(directory.join("journal.jsonl")).expect("there is a journal");
    let retry = whole.lines().position(|line| line.contains("\"attempt\":2"));
    truncate_after_event(&directory, &whole, retry.expect("it is retried") + 1);
    let shown = run(&env, &["show"]);
    assert!(shown.stdout.contains("  work   1 iteration\n"), "{shown}");
    assert!(shown.stdout.contains("  1  a  interrupted  1 iteration "), "{shown}");
}

#[test]
fn a_complete_run_is_reported_with_its_exit_code() {
    let env = TestEnv::new();
    env.agent("a", "");
    assert_eq!(run(&env, &["a"]).code, Some(0));
    let run_dir = only_run(&env);
    let before = journal(&run_dir);
    assert_snapshot!(run(&env, &["resume", id(&run_dir)]), @"[forkhestra] Run [id] is complete; nothing is left to do");
    let output = env.run(crate::FORKHESTRA, &["resume", id(&run_dir), "--output", "json"]);
    let text = fs::read_to_string(run_dir.join("journal.jsonl")).expect("there is a journal");
    let result = text.split_inclusive('\n').next_back().expect("there is a last line");
    assert_eq!(output.success(), result);
    assert!(result.contains("run_finished"), "{result}");
    assert_eq!(journal(&run_dir), before);
}

#[test]
fn a_run_is_found_by_a_few_letters_or_a_path_from_anywhere() {
    let env = TestEnv::new();
    env.agent("a", "exit 1").write("elsewhere/keep", "");
    assert_eq!(run(&env, &["a"]).code, Some(1));
    let directory = only_run(&env);
    let journal_file = directory.join("journal.jsonl");
    let relative = format!("../{}", directory.strip_prefix(env.root()).expect("below").display());
    for named in [
        &id(&directory)[..3],
        id(&directory),
        &directory.to_string_lossy(),
        &journal_file.to_string_lossy(),
        &relative,
        &format!("{relative}/"),
    ] {
        let output = run(&env, &["resume", named, "--quiet"]);
        assert_eq!(
            verdict(&output),
            "[forkhestra] Chain incomplete (0/1 steps): step 1, a, failed (exit 1)"
        );
    }
    let output = run(&env, &["resume", id(&directory), "--cwd", "elsewhere"]);
    assert!(output.stdout.starts_with("[forkhestra] Resuming run [id]"), "{output}");
}

#[test]
fn a_journal_is_found_by_its_file_name_in_the_current_directory() {
    let env = TestEnv::new();
    env.agent("a", "exit 1");
    assert_eq!(run(&env, &["a"]).code, Some(1));
    let mut command = env.command(crate::FORKHESTRA);
    command.args(["resume", "journal.jsonl"]).current_dir(only_run(&env));
    let output = env.output_of(&mut command);
    assert!(output.stdout.starts_with("[forkhestra] Resuming run"), "{output}");
}

#[test]
fn without_a_name_the_last_incomplete_run_of_the_work_tree_resumes() {
    let env = TestEnv::new();
    env.agent("bad", "exit 1").agent("good", "").write("elsewhere/keep", "");
    assert_eq!(run(&env, &["bad -> good"]).code, Some(1));
    let unfinished = only_run(&env);
    assert_eq!(run(&env, &["good"]).code, Some(0));
    assert_eq!(run(&env, &["bad", "--cwd", "elsewhere"]).code, Some(1));
    let lines = journal(&unfinished).len();
    assert_eq!(run(&env, &["resume"]).code, Some(1));
    assert!(journal(&unfinished).len() > lines);
}

#[test]
fn the_last_run_is_found_among_runs_of_the_same_second() {
    let env = TestEnv::new();
    env.agent("a", "echo $1");
    let numbers: Vec<String> = (1..=6).map(|number| number.to_string()).collect();
    let mut ids: Vec<String> = Vec::new();
    for number in &numbers {
        assert_eq!(run(&env, &["a:1", "-p", number]).code, Some(1));
        let new = runs(&env).into_iter().map(|run| id(&run).to_owned());
        let new: Vec<String> = new.filter(|id| !ids.contains(id)).collect();
        ids.extend(new);
    }
    // The directory name of a run has its start, to the second.
    for run in runs(&env) {
        let name = format!("20260101T000000Z-{}", id(&run));
        fs::rename(&run, run.with_file_name(name)).expect("the run has a new name");
    }
    let last = ids.last().expect("there are runs");
    assert_eq!(forkhestra(&env, &["logs", "--raw"]).stdout, "6\n");
    let shown = forkhestra(&env, &["show", "-v"]).stdout;
    assert!(shown.starts_with(&format!("Run {last}:")), "{shown}");
    let resumed = forkhestra(&env, &["resume"]).stdout;
    assert!(resumed.starts_with(&format!("[forkhestra] Resuming run {last}:")), "{resumed}");
}

#[test]
fn values_of_variables_come_from_the_current_config() {
    let config = |value: &str| {
        format!(
            r#"{{ "agents": {{ "w": {{ "command": "tool", "env": {{ "TOKEN": "{value}" }} }} }}, "chains": {{}} }}"#
        )
    };
    let env = project(&config("old-secret"));
    env.agent("tool", "echo $TOKEN >> tokens; exit 1");
    assert_eq!(run(&env, &["w"]).code, Some(1));
    env.write(crate::CONFIG, config("new-secret"));
    assert_eq!(run(&env, &["resume"]).code, Some(1));
    assert_eq!(env.read("tokens"), "old-secret\nnew-secret\n");
}

#[test]
fn a_prompt_file_that_changed_is_used_and_noted() {
    let env = TestEnv::new();
    env.agent("a", r#"echo "got: $1"; exit 1"#).write("prompt.md", "old");
    assert_eq!(run(&env, &["a", "--prompt-file", "prompt.md"]).code, Some(1));
    env.write("prompt.md", "new");
    assert_snapshot!(run(&env, &["resume"]), @"
    [forkhestra] Resuming run [id]: 0 of 1 steps complete, a next
    [forkhestra] Running: a
    got: new
    [forkhestra] Failed: a (exit 1)

    [forkhestra] Summary
      1  a  incomplete  1 iteration  failed (exit 1)  [time]

    [forkhestra] Warnings: 1 (see above)
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] To resume: forkhestra resume [id]
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, failed (exit 1)
    ------- stderr -------
    warning: the prompt of step 1 is not what it was before
    [exit status: 1]
    ");
}

#[test]
fn a_moved_program_is_found() {
    let env = TestEnv::new();
    env.agent("a", "exit 1");
    assert_eq!(run(&env, &["a"]).code, Some(1));
    let elsewhere = env.root().join("elsewhere");
    fs::rename(env.bin(), &elsewhere).expect("the directory is ours");
    let mut command = env.command(crate::FORKHESTRA);
    let output = env.output_of(command.args(["resume"]).env("PATH", &elsewhere));
    assert!(output.stdout.contains("[forkhestra] Failed: a (exit 1)"), "{output}");
}

/// An iteration whose agent never started is not counted, and its number is used again.
#[test]
fn a_restored_program_runs_under_the_number_of_the_failed_start() {
    let env = TestEnv::new();
    env.agent("a", r#"rm "$0""#);
    assert_eq!(run(&env, &["a:2"]).code, Some(1));
    env.agent("a", DONE);
    assert_snapshot!(run(&env, &["resume"]), @"
    [forkhestra] Resuming run [id]: 0 of 1 steps complete, a at iteration 2
    [forkhestra] Iteration 2/2
    FORKHESTRA_COMPLETE
    [forkhestra] Complete after 2 iterations

    [forkhestra] Summary
      1  a  complete  2 iterations  marker  [time]

    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Chain complete (1/1 steps)
    ");
}

#[test]
fn a_stagnated_run_can_be_resumed() {
    let env = crate::run::stagnation::repository();
    env.agent("a", "echo thinking");
    assert_eq!(run(&env, &["a:9", "--stagnation", "2"]).code, Some(1));
    assert_eq!(iterations(&env).len(), 2);
    assert_eq!(run(&env, &["resume"]).code, Some(1));
    assert_eq!((iterations(&env).len(), reason(&env).as_str()), (4, "stagnated"));
    assert_eq!(run(&env, &["resume", "--stagnation", "off"]).code, Some(1));
    assert_eq!((iterations(&env).len(), reason(&env).as_str()), (9, "max_iterations"));
}

#[test]
fn a_run_past_its_time_limit_resumes_with_a_higher_one() {
    let env = TestEnv::new();
    env.agent("a", &format!("[ -e go ] && exec {DONE}\nexec sleep 60"));
    // Long enough for the first iteration to begin.
    assert_eq!(run(&env, &["a:3", "--max-time", "3s"]).code, Some(1));
    assert_eq!(reason(&env), "run_time");
    env.write("go", "");
    assert_eq!(run(&env, &["resume"]).code, Some(1));
    assert_eq!((reason(&env).as_str(), iterations(&env).len()), ("run_time", 1));
    let output = run(&env, &["resume", "--max-time", "off"]);
    assert_eq!(verdict(&output), "[forkhestra] Chain complete (1/1 steps)", "{output}");
}

/// The year in which a run began.
fn year_of(journal: &str) -> String {
    let (_, moment) = journal.split_once("\"at\":\"").expect("every line has a moment");
    moment.chars().take(4).collect()
}

/// Copies and backups change the modification time of a journal, which says nothing about the run.
#[test]
fn only_the_output_of_an_interrupted_agent_extends_its_time() {
    let env = TestEnv::new();
    env.agent("a", "echo working");
    assert_eq!(run(&env, &["a:1"]).code, Some(1));
    let directory = only_run(&env);
    let journal = directory.join("journal.jsonl");
    let whole = without_hashes(&fs::read_to_string(&journal).expect("there is a journal"));
    // All timestamps are four years old, so nothing is later than now.
    let year = year_of(&whole);
    let four_years_ago = year.parse::<u32>().expect("a year") - 4;
    let whole = whole.replace(&format!("\"at\":\"{year}"), &format!("\"at\":\"{four_years_ago}"));
    let options = ["resume", "--max-time", "1h", "--max-iterations", "2"];
    let days = Duration::from_secs(86_400);
    let later = SystemTime::now() - 1461 * days + Duration::from_secs(7200);
    let change = |path: &Path| {
        let file = fs::File::options().append(true).open(path).expect("it is there");
        file.set_modified(later).expect("it is ours");
    };
    // The run was over; it was between two iterations; an agent was running, and printed later.
    for (kept, expected) in [(7, "max_iterations"), (5, "max_iterations"), (4, "run_time")] {
        truncate_after_event(&directory, &whole, kept);
        change(&journal);
        change(&directory.join("output/1-1-1/stdout"));
        assert_eq!(run(&env, &options).code, Some(1));
        assert_eq!(reason(&env), expected, "after {kept} lines");
    }
}

#[test]
fn other_limits_can_be_changed_too() {
    let env = TestEnv::new();
    env.agent("a", "[ $FORKHESTRA_ITERATION = 1 ] && exit 0\nexec sleep 60");
    for (flag, time, why) in [
        ("--timeout", "300ms", "timeout"),
        ("--idle-timeout", "300ms", "idle"),
        // The first iteration and the start of the second count, too.
        ("--step-time", "3s", "step_time"),
    ] {
        let state = format!("state{flag}");
        assert_eq!(run(&env, &["a:1", "--state-dir", &state]).code, Some(1));
        let args = ["resume", "--state-dir", &state, "--max-iterations", "2", flag, time];
        let output = run(&env, &[&args[..], &["--output", "json"]].concat());
        assert!(output.stdout.contains(&format!(r#""event":"agent_ending","unit":{{"step":1,"iteration":2,"attempt":1}},"why":"{why}""#)), "{output}");
    }
}

#[test]
fn event_numbers_continue_in_json() {
    let env = TestEnv::new();
    env.agent("a", FAILS_ONCE);
    assert_eq!(run(&env, &["a"]).code, Some(1));
    let directory = only_run(&env);
    let before = fs::read_to_string(directory.join("journal.jsonl")).expect("there is a journal");
    let output = env.run(crate::FORKHESTRA, &["resume", "--output", "json"]);
    let after = fs::read_to_string(directory.join("journal.jsonl")).expect("there is a journal");
    assert_eq!(
        env.normalised(after.as_bytes()),
        env.normalised(before.as_bytes()) + &output.stdout
    );
    assert!(output.stdout.starts_with(r#"{"seq":7,"#), "{output}");
    assert_eq!(events(&env, "run_resumed")[0]["run"], id(&directory));
    let events: Vec<_> =
        journal(&directory).iter().skip(7).map(|line| line["event"].clone()).collect();
    assert_eq!(
        events,
        [
            "run_resumed",
            "iteration_started",
            "agent_started",
            "iteration_finished",
            "step_finished",
            "run_finished"
        ]
    );
}

#[test]
fn the_plan_is_that_of_the_journal() {
    let env = project(
        r#"{ "chains": { "c": { "steps": [{ "agent": "a", "args": ["old"] }, { "agent": "b" }] } } }"#,
    );
    env.agent("a", "echo \"$@\" >> args; exit 1").agent("b", "");
    assert_eq!(run(&env, &["--chain", "c"]).code, Some(1));
    env.write(
        crate::CONFIG,
        r#"{ "chains": { "c": { "steps": [{ "agent": "a", "args": ["new"] }] } } }"#,
    );
    let output = run(&env, &["resume", "--quiet"]);
    assert!(verdict(&output).contains("(0/2 steps)"), "{output}");
    assert_eq!(env.read("args"), "old\nold\n");
}

#[test]
fn a_file_that_is_called_like_the_beginning_of_an_id_does_not_hide_the_run() {
    let env = TestEnv::new();
    env.agent("a", FAILS_ONCE);
    assert_eq!(run(&env, &["a"]).code, Some(1));
    let id = id(&only_run(&env)).to_owned();
    env.write(&id[..4], "something else");
    assert_eq!(run(&env, &["resume", &id[..4].to_uppercase()]).code, Some(0));
    assert_eq!(run(&env, &["resume", &id[..4]]).code, Some(0));
}
