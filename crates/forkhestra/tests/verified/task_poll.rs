//! Steps that work through the task database: the database is polled before an agent is started,
//! unfinished tasks are released, and every agent finds `forge-tasks`.

use std::fs;

use insta::assert_snapshot;
use testkit::{CommandOutput, TestEnv};

use crate::support::{
    config, events_of, forkhestra, project, ralph, reason, repository, run_directory, run_id,
    verdicts,
};
use crate::{FORGE_TASKS, FORKHESTRA};

/// Records its iteration, claims a task and finishes it.
const ONE_TASK: &str = "echo $FORKHESTRA_ITERATION >> ran
    id=$(forge-tasks claim --plain | sed -n 's/^id=//p')
    forge-tasks edit \"$id\" --status done --plain";

/// A project with tasks of these titles, numbered from one.
fn with_tasks(titles: &[&str]) -> TestEnv {
    let env = project();
    titles.iter().for_each(|title| tasks(&env, &["create", title]));
    env
}

#[track_caller]
fn tasks(env: &TestEnv, args: &[&str]) {
    let done = env.run(FORGE_TASKS, args);
    assert_eq!(done.code, Some(0), "{args:?}: {done}");
}

/// The status of each task, in order.
fn states(env: &TestEnv) -> Vec<String> {
    let listed = env.run(FORGE_TASKS, &["list", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed.stdout).expect("it is JSON");
    let status = |task: &serde_json::Value| task["status"].as_str().unwrap_or_default().to_owned();
    listed.as_array().expect("it is a list").iter().map(status).collect()
}

/// The number of started agents.
fn started(env: &TestEnv) -> usize {
    events_of(env, "iteration_started").len()
}

#[track_caller]
fn assert_ends(env: &TestEnv, output: &CommandOutput, code: i32, why: &str, agents: usize) {
    let found = (output.code, reason(env), started(env));
    assert_eq!(found, (Some(code), why.to_owned(), agents), "{output}");
}

/// Our output, without what differs from run to run.
fn shown(env: &TestEnv, output: &CommandOutput) -> String {
    let lines =
        output.stdout.lines().filter(|line| !line.contains("Logs: ") && !line.starts_with("  1  "));
    lines.collect::<Vec<_>>().join("\n").replace(&run_id(env), "[id]")
}

#[test]
fn a_builder_with_nothing_left_to_do_starts_no_agent_and_is_complete() {
    let env = with_tasks(&["one"]);
    tasks(&env, &["edit", "1", "--status", "done"]);
    env.agent("claude", ONE_TASK);
    let output = forkhestra(&env, &["builder:9"]);
    assert_ends(&env, &output, 0, "tasks_done", 0);
    assert!(output.stdout.contains("Complete after 0 iterations: every task is done"), "{output}");
    let shown = forkhestra(&env, &["show", "-v"]);
    assert!(
        shown.stdout.contains("0/9 iterations") && shown.stdout.contains("tasks_done"),
        "{shown}"
    );
}

#[test]
fn archived_tasks_count_as_done() {
    let env = with_tasks(&["one"]);
    tasks(&env, &["edit", "1", "--status", "done"]);
    tasks(&env, &["archive", "1"]);
    env.agent("claude", ONE_TASK);
    assert_ends(&env, &forkhestra(&env, &["builder:9"]), 0, "tasks_done", 0);
}

#[test]
fn blocked_tasks_are_named_and_end_the_step_without_an_agent() {
    let env = with_tasks(&["one", "two"]);
    tasks(&env, &["edit", "1", "--status", "blocked"]);
    tasks(&env, &["edit", "2", "--add-dep", "1"]);
    env.agent("claude", ONE_TASK);
    let output = forkhestra(&env, &["builder:9"]);
    assert_ends(&env, &output, 1, "tasks_blocked", 0);
    assert!(
        output.stdout.contains("builder  incomplete  0 iterations  tasks_blocked "),
        "{output}"
    );
    assert_snapshot!(shown(&env, &output), @r#"
    [forkhestra] Starting: builder (max 9 iterations)
    [forkhestra] Incomplete after 0 iterations: no task can be claimed: TASK-001 is blocked; TASK-002 waits for TASK-001 (tasks_blocked)

    [forkhestra] Summary

    [forkhestra] Warnings: 1 (see above)
    [forkhestra] What to do: see what they wait for (`forge-tasks view ID`), and free them (`forge-tasks edit ID --status "To Do"`), then resume; a new run takes the tasks as they are
    [forkhestra] To resume: forkhestra resume [id]
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, no task can be claimed
    "#);
}

#[test]
fn a_step_without_tasks_hints_to_plan_first() {
    let env = project();
    env.agent("claude", ONE_TASK);
    let output = forkhestra(&env, &["builder:9"]);
    assert_ends(&env, &output, 1, "no_tasks", 0);
    assert_snapshot!(shown(&env, &output), @"
    [forkhestra] Starting: builder (max 9 iterations)
    [forkhestra] Incomplete after 0 iterations: there are no tasks (no_tasks)

    [forkhestra] Summary

    [forkhestra] Warnings: 1 (see above)
    [forkhestra] What to do: plan first (`forkhestra --chain plan`, or `forge-tasks create TITLE`), then resume
    [forkhestra] To resume: forkhestra resume [id]
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, there are no tasks
    ");
}

#[test]
fn a_database_without_a_task_is_no_work_either() {
    let env = with_tasks(&["one"]);
    tasks(&env, &["delete", "1", "--force"]);
    env.agent("claude", ONE_TASK);
    assert_ends(&env, &forkhestra(&env, &["builder:9"]), 1, "no_tasks", 0);
}

#[test]
fn tasks_of_a_planner_of_the_same_run_are_found() {
    let env = project();
    env.agent("planner", "forge-tasks create one --plain; forge-tasks create two --plain");
    env.agent("builder", ONE_TASK);
    let output = forkhestra(&env, &["planner -> builder:9"]);
    assert_ends(&env, &output, 0, "tasks_done", 3);
}

#[test]
fn the_last_task_completes_the_step_without_a_marker_and_without_one_more_agent() {
    for most in ["2", "9"] {
        let env = with_tasks(&["one", "two"]);
        env.agent("builder", ONE_TASK);
        let output = forkhestra(&env, &[&format!("builder:{most}")]);
        assert_ends(&env, &output, 0, "tasks_done", 2);
        assert_eq!(env.read("ran"), "1\n2\n");
    }
}

#[test]
fn with_further_checks_an_agent_runs_even_without_tasks() {
    let env = with_tasks(&["one"]);
    tasks(&env, &["edit", "1", "--status", "done"]);
    env.agent("builder", "touch made; echo FORKHESTRA_COMPLETE");
    let output = forkhestra(&env, &["builder:9", "--check", "file:made"]);
    assert_ends(&env, &output, 0, "marker", 1);
}

#[test]
fn tasks_that_cannot_be_read_are_left_to_the_agent() {
    let env = with_tasks(&["one"]);
    tasks(&env, &["edit", "1", "--status", "done"]);
    env.write("forge/tasks/TASK-002 - Broken.md", "no front matter");
    env.agent("builder", "rm forge/tasks/*Broken*; echo FORKHESTRA_COMPLETE");
    assert_ends(&env, &forkhestra(&env, &["builder:9"]), 0, "marker", 1);
}

#[test]
fn a_task_leased_to_another_owner_is_not_claimed() {
    let env = with_tasks(&["one"]);
    tasks(&env, &["claim", "1", "--as", "ada"]);
    env.agent("claude", ONE_TASK);
    let output = forkhestra(&env, &["builder:9"]);
    assert_ends(&env, &output, 1, "tasks_blocked", 0);
    assert!(output.stdout.contains("TASK-001 is in progress (ada, until "), "{output}");
    assert_eq!(states(&env), ["In Progress"], "the task of another owner is left alone");
}

#[test]
fn unfinished_tasks_are_released_for_the_next_agent() {
    let env = with_tasks(&["one"]);
    env.agent(
        "builder",
        &format!("[ -e ran ] || {{ forge-tasks claim --plain; echo 1 >> ran; kill -KILL $$; }}\n{ONE_TASK}"),
    );
    let output = forkhestra(&env, &["builder:9"]);
    assert_ends(&env, &output, 0, "tasks_done", 2);
    assert_eq!(verdicts(&env), ["crashed", "incomplete"]);
    assert_eq!(states(&env), ["Done"]);
}

#[test]
fn finished_and_blocked_tasks_are_not_released() {
    let env = with_tasks(&["one", "two", "three"]);
    env.agent(
        "a",
        "forge-tasks claim 1 --plain; forge-tasks claim 2 --plain; forge-tasks claim 3 --plain
         forge-tasks edit 1 --status done --plain; forge-tasks edit 2 --status blocked --plain",
    );
    let output = forkhestra(&env, &["a"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(states(&env), ["Done", "Blocked", "To Do"]);
}

/// A project whose only task was claimed by a killed run.
fn killed_with_a_task() -> TestEnv {
    let env = with_tasks(&["one"]);
    let first = "forge-tasks claim --plain; echo 1 >> ran; kill -KILL $PPID; sleep 100";
    env.agent("builder", &format!("[ -e ran ] || {{ {first}; }}\n{ONE_TASK}"));
    let killed = forkhestra(&env, &["builder:9"]);
    assert_eq!(killed.code, Some(137), "{killed}");
    assert_eq!(states(&env), ["In Progress"]);
    env
}

#[test]
fn the_task_of_a_killed_run_is_released_by_the_resume() {
    let env = killed_with_a_task();
    assert_ends(&env, &env.run(FORKHESTRA, &["resume"]), 0, "tasks_done", 2);
}

#[test]
fn the_lease_of_a_killed_run_blocks_no_other() {
    let env = killed_with_a_task();
    let other = env.run(FORGE_TASKS, &["claim", "--as", "ada", "--plain"]);
    assert!(other.stdout.contains("\nassignee=ada\n"), "{other}");
}

#[test]
fn a_stuck_run_resumes_when_its_task_is_unblocked() {
    let env = with_tasks(&["one"]);
    tasks(&env, &["edit", "1", "--status", "blocked"]);
    env.agent("claude", ONE_TASK);
    assert_eq!(forkhestra(&env, &["builder:9"]).code, Some(1));
    assert_eq!(env.run(FORKHESTRA, &["resume"]).code, Some(1), "it is still stuck");
    tasks(&env, &["edit", "1", "--status", "to-do"]);
    assert_ends(&env, &env.run(FORKHESTRA, &["resume"]), 0, "tasks_done", 1);
}

#[test]
fn released_tasks_are_no_progress_of_an_agent() {
    let env = repository();
    tasks(&env, &["create", "one"]);
    env.agent("builder", "forge-tasks claim --plain");
    let output = forkhestra(&env, &["builder:9", "--stagnation", "2"]);
    assert_ends(&env, &output, 1, "stagnated", 2);
}

#[test]
fn agents_checks_and_hooks_find_forge_tasks_wherever_the_path_leads() {
    let env = with_tasks(&["one"]);
    env.agent_file("alone.sh", "PATH=${PATH%%:*}\nforge-tasks edit 1 --status done --plain");
    let found = "command -v forge-tasks >> found; forge-tasks list --plain";
    let mut command = env.command(FORKHESTRA);
    command.env("PATH", "").args(["./alone.sh", "--check"]).arg(format!("command:{found}"));
    let output = env.output_of(command.arg("--hook").arg(format!("post-iteration:{found}")));
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(states(&env), ["Done"]);
    let found = env.read("found");
    assert_eq!(found.lines().count(), 2, "{found}");
    let is_ours = |line: &str| {
        let directory = line.strip_suffix("/forge-tasks").unwrap_or_default();
        directory.rsplit('/').next().is_some_and(|name| name.starts_with("bin-"))
    };
    assert!(found.lines().all(is_ours), "{found}");
    assert!(!run_directory(&env).join("scratch").exists(), "it goes with the run");
}

#[test]
fn an_agent_with_a_path_of_its_own_finds_it_too() {
    let env = with_tasks(&["one"]);
    env.agent("claude", "forge-tasks edit 1 --status done --plain");
    config(
        &env,
        r#"{"agents": {"a": {"backend": "claude", "systemPromptText": "x", "defaultPrompt": "y",
            "env": {"PATH": "/usr/bin:/bin"}}}, "chains": {}}"#,
    );
    let output = forkhestra(&env, &["a"]);
    assert_eq!(states(&env), ["Done"], "{output}");
}

#[test]
fn ralph_runner_provides_forge_tasks_and_polls_tasks() {
    let env = with_tasks(&["one"]);
    env.agent("builder", ONE_TASK);
    let run = |env: &TestEnv| ralph(env, &["--agent", "builder", "--max-iterations", "5"]);
    assert_ends(&env, &run(&env), 0, "tasks_done", 1);
    let env = with_tasks(&["one"]);
    tasks(&env, &["edit", "1", "--status", "blocked"]);
    env.agent("builder", ONE_TASK);
    assert_ends(&env, &run(&env), 1, "tasks_blocked", 1);
}

#[test]
fn either_program_called_by_that_name_is_forge_tasks() {
    let env = project();
    for program in [FORKHESTRA, crate::RALPH_RUNNER] {
        let link = env.root().join("forge-tasks");
        std::os::unix::fs::symlink(program, &link).expect("the place is ours");
        let output = env.run(&link, &["--version"]);
        assert_eq!(output.stdout, env.run(FORGE_TASKS, &["--version"]).stdout);
        let wrong = env.run(&link, &["builder:3"]);
        assert_eq!(wrong.to_string(), env.run(FORGE_TASKS, &["builder:3"]).to_string());
        fs::remove_file(link).expect("the place is ours");
    }
}

#[test]
fn a_run_without_a_usable_bin_directory_continues_with_a_warning() {
    let env = with_tasks(&["one"]);
    env.agent("a", "exit 0");
    let output = forkhestra(&env, &["a", "--state-dir", "st:ate"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(
        output.stderr.contains("warning: agents have to find `forge-tasks` by themselves"),
        "{output}"
    );
}

#[test]
fn json_events_contain_the_reason() {
    let env = with_tasks(&["one"]);
    tasks(&env, &["edit", "1", "--status", "blocked"]);
    env.agent("claude", ONE_TASK);
    let output = forkhestra(&env, &["builder:9", "--output", "json"]);
    let last = output.stdout.lines().last().expect("there is a result");
    let last: serde_json::Value = serde_json::from_str(last).expect("it is JSON");
    let text = last.to_string();
    assert!(text.contains("\"tasks_blocked\"") && text.contains("TASK-001 is blocked"), "{text}");
}

#[test]
fn an_agent_with_its_own_prompt_runs_without_tasks() {
    for (status, code, why) in [("done", 0, "marker"), ("blocked", 1, "tasks_blocked")] {
        let env = with_tasks(&["one"]);
        tasks(&env, &["edit", "1", "--status", status]);
        env.agent("claude", "echo FORKHESTRA_COMPLETE");
        let output = forkhestra(&env, &["builder:9", "-p", "Fix the failing tests"]);
        assert_ends(&env, &output, code, why, 1);
    }
}

#[test]
fn a_review_that_found_nothing_leaves_a_fixer_nothing_to_do() {
    let env = project();
    env.agent("claude", "echo FORKHESTRA_COMPLETE");
    assert_ends(&env, &forkhestra(&env, &["fixer:9"]), 0, "tasks_done", 0);
}

#[test]
fn by_its_name_alone_a_fixer_is_any_agent() {
    let env = with_tasks(&["one"]);
    env.agent("fixer", "echo FORKHESTRA_COMPLETE");
    assert_ends(&env, &forkhestra(&env, &["fixer:9"]), 0, "marker", 1);
}

#[test]
fn a_program_that_happens_to_be_called_builder_needs_no_tasks() {
    let env = with_tasks(&["one"]);
    tasks(&env, &["delete", "1", "--force"]);
    env.agent("builder", "echo FORKHESTRA_COMPLETE");
    assert_ends(&env, &forkhestra(&env, &["builder:9"]), 0, "marker", 1);
}
