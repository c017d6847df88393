//! Tasks, failed checks and costs in the report of a run.

use testkit::{CommandOutput, TestEnv, WebhookReceiver};

use crate::support::{forkhestra, git, repository, run_id};
use crate::{FORGE_TASKS, FORKHESTRA};

#[track_caller]
fn tasks(env: &TestEnv, args: &[&str]) {
    let done = env.run(FORGE_TASKS, args);
    assert_eq!(done.code, Some(0), "{args:?}: {done}");
}

/// A repository with this many tasks, of which the first one is blocked.
fn with_tasks(number: u32) -> TestEnv {
    let env = repository();
    for number in 1..=number {
        tasks(&env, &["create", &format!("Part {number}")]);
    }
    tasks(&env, &["edit", "1", "-s", "blocked", "--append-notes", "The key is missing."]);
    git(&env, "add --all");
    git(&env, "commit --quiet --message plan");
    env
}

/// The lines from the summary on.
fn summary(parts: &CommandOutput) -> Vec<String> {
    let lines = parts.stdout.lines().skip_while(|line| *line != "[forkhestra] Summary");
    lines.map(str::to_owned).collect()
}

fn shown(env: &TestEnv) -> Vec<String> {
    forkhestra(env, &["show"]).stdout.lines().map(str::to_owned).collect()
}

/// The indices of the first lines that contain these texts.
#[track_caller]
fn places(lines: &[String], parts: &[&str]) -> Vec<usize> {
    let find = |part: &&str| {
        let found = lines.iter().position(|line| line.contains(*part));
        found.unwrap_or_else(|| panic!("{part:?} in:\n{}", lines.join("\n")))
    };
    parts.iter().map(find).collect()
}

/// The tasks were finished by hand between the run and its resume.
#[test]
fn a_step_that_its_tasks_complete_leaves_none() {
    let env = repository();
    tasks(&env, &["create", "One"]);
    env.agent("builder", "exit 0");
    let first = forkhestra(&env, &["builder:1"]);
    assert!(first.stdout.contains("Tasks: 0 of 1 done, 1 left"), "{first}");
    tasks(&env, &["edit", "1", "-s", "done"]);
    let resumed = forkhestra(&env, &["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    for lines in [summary(&resumed), shown(&env)] {
        let text = lines.join("\n");
        assert!(text.contains("Tasks: 1 of 1 done") && !text.contains("1 left"), "{text}");
    }
}

#[test]
fn tasks_that_the_run_did_not_touch_are_named() {
    let env = with_tasks(30);
    env.agent(
        "builder",
        "n=$((FORKHESTRA_ITERATION * 5))
        for i in 1 2 3 4 5; do forge-tasks edit $((n - i + 2)) -s done --plain >/dev/null; done",
    );
    let parts = forkhestra(&env, &["builder:3", "--stagnation", "off"]);
    for lines in [summary(&parts), shown(&env)] {
        let text = lines.join("\n");
        let places = places(
            &lines,
            &[
                "Tasks: 15 of 30 done, 1 blocked, 14 left",
                "  blocked  TASK-001  Part 1: The key is missing.",
                "  to do    TASK-017  Part 17",
                "  to do    TASK-018  Part 18",
                "  to do    and ",
                "  done     ",
            ],
        );
        assert!(places.is_sorted(), "{places:?}:\n{text}");
        assert!(lines.len() <= 24, "{} lines:\n{text}", lines.len());
    }
    let page = env.read(&format!(".agent-state/summary-{}.md", run_id(&env)));
    for part in ["TASK-001  Part 1: The key is missing.", "to do    TASK-030  Part 30"] {
        assert!(page.contains(part), "{page}");
    }
}

#[test]
fn a_run_that_changes_no_task_names_those_that_are_left() {
    let env = with_tasks(3);
    env.agent("builder", "exit 0");
    let parts = forkhestra(&env, &["builder:5"]);
    assert!(parts.stdout.contains("(stagnated)"), "{parts}");
    // Changes of tasks after the run are no part of its report.
    tasks(&env, &["edit", "2", "-s", "done"]);
    for lines in [summary(&parts), shown(&env)] {
        places(
            &lines,
            &[
                "Tasks: 0 of 3 done, 1 blocked, 2 left",
                "  blocked  TASK-001  Part 1: The key is missing.",
                "  to do    TASK-002  Part 2",
                "  to do    TASK-003  Part 3",
            ],
        );
    }
}

#[test]
fn a_task_that_the_run_created_is_named_with_its_title() {
    let env = repository();
    env.agent("planner", "forge-tasks create 'Write the parser' --plain");
    let parts = forkhestra(&env, &["planner"]);
    assert_eq!(parts.code, Some(0), "{parts}");
    places(&summary(&parts), &["  to do    TASK-001  Write the parser"]);
    places(&shown(&env), &["  to do    TASK-001  Write the parser"]);
}

#[test]
fn every_failed_check_is_reported_with_its_last_lines() {
    let env = with_tasks(2);
    env.agent("builder", "forge-tasks edit 2 -s done --plain >/dev/null; echo FORKHESTRA_COMPLETE");
    let receiver = WebhookReceiver::responding_with([]);
    let mut command = env.command(FORKHESTRA);
    let check = "command:echo one; echo two is wrong; exit 3";
    command.args(["builder:1", "--check", "tasks", "--check", check, "--notify", "slack"]);
    let parts = env.output_of(command.env("FORKHESTRA_SLACK_URL", receiver.url("/hook")));
    let notice = receiver.received().first().expect("there is a notice").body.replace("\\n", "\n");
    let notice: Vec<String> = notice.lines().map(str::to_owned).collect();
    for lines in [summary(&parts), shown(&env), notice] {
        places(
            &lines,
            &[
                "Check failed: tasks: TASK-001 is blocked",
                "Check failed: echo one; echo two is wrong; exit 3: exit 3",
                "| two is wrong",
            ],
        );
    }
}

#[test]
fn an_iteration_that_continues_a_task_belongs_to_it() {
    let env = repository();
    tasks(&env, &["create", "One"]);
    git(&env, "add --all");
    git(&env, "commit --quiet --message plan");
    env.agent(
        "builder",
        "[ $FORKHESTRA_ITERATION = 1 ] && forge-tasks edit 1 -s 'In Progress' --plain >/dev/null
        echo $FORKHESTRA_ITERATION >> work; git add work; git commit -qm work",
    );
    let parts = forkhestra(&env, &["builder:3"]);
    for lines in [summary(&parts), shown(&env)] {
        places(&lines, &["  begun    TASK-001  One (3 iterations, 3 commits)"]);
        assert!(!lines.iter().any(|line| line.starts_with("  other")), "{lines:#?}");
    }
}

#[test]
fn a_notification_has_commits_and_the_reasons_of_blocked_tasks() {
    let env = with_tasks(12);
    env.agent(
        "builder",
        "echo $FORKHESTRA_ITERATION >> work; git add work; git commit -qm work
        forge-tasks edit 2 -s done --plain >/dev/null",
    );
    let receiver = WebhookReceiver::responding_with([]);
    let mut command = env.command(FORKHESTRA);
    command.args(["builder:2", "--notify", "slack"]);
    let parts = env.output_of(command.env("FORKHESTRA_SLACK_URL", receiver.url("/hook")));
    assert_eq!(parts.code, Some(1), "{parts}");
    let notice = receiver.received().first().expect("there is a notice").body.replace("\\n", "\n");
    for part in [
        "2 commits",
        "Tasks: 1 of 12 done, 1 blocked, 10 left",
        "blocked: TASK-001 Part 1: The key is missing.",
        "to do: TASK-003 Part 3",
        "to do: and 7 more",
    ] {
        assert!(notice.contains(part), "{part:?} in:\n{notice}");
    }
}

#[test]
fn a_run_whose_tasks_are_blocked_is_incomplete_everywhere() {
    let env = with_tasks(2);
    let note = "The name of the server is not known, and nobody answers questions about it.";
    env.agent(
        "builder",
        &format!("forge-tasks edit 2 -s blocked --append-notes '{note}' --plain >/dev/null"),
    );
    let parts = forkhestra(&env, &["builder:3"]);
    assert_eq!(parts.code, Some(1), "{parts}");
    let lines = shown(&env);
    let why = "no task can be claimed: TASK-001 is blocked; TASK-002 is blocked";
    places(
        &lines,
        &[
            &format!("  state  incomplete (0/1 steps): step 1, builder, {why}"),
            "  1  builder  incomplete  1/3 iterations  ",
            &format!("     {why}"),
            &format!("  blocked  TASK-002  Part 2: {note}"),
        ],
    );
    let runs = forkhestra(&env, &["runs"]).stdout;
    assert!(runs.contains("  incomplete  "), "{runs}");
}

/// A warning about uncommitted work disappears when a resume commits it.
#[test]
fn a_warning_about_uncommitted_work_ends_when_it_is_committed() {
    let env = repository();
    tasks(&env, &["create", "One"]);
    git(&env, "add --all");
    git(&env, "commit --quiet --message plan");
    env.agent(
        "claude",
        "if [ $FORKHESTRA_ITERATION = 1 ]; then echo x > out.txt
        else git add --all; git commit -qm out; forge-tasks edit 1 -s done --plain >/dev/null
        git add --all; git commit -qm done; fi",
    );
    let parts = forkhestra(&env, &["builder:1"]);
    assert!(parts.stderr.contains("ends with uncommitted work"), "{parts}");
    places(&shown(&env), &["Warnings: 1", "ends with uncommitted work"]);
    let parts = forkhestra(&env, &["resume", "--max-iterations", "2"]);
    let lines = shown(&env);
    let is_stale = lines.iter().any(|line| line.contains("ends with uncommitted work"));
    assert!(!is_stale, "{lines:#?}\n{parts}");
}

/// A repository with this many tasks that are To Do.
fn with_open_tasks(number: u32) -> TestEnv {
    let env = repository();
    for number in 1..=number {
        tasks(&env, &["create", &format!("Part {number}")]);
    }
    git(&env, "add --all");
    git(&env, "commit --quiet --message plan");
    env
}

/// The work on a task whose file became unreadable is still reported.
#[test]
fn a_task_that_became_unreadable_is_counted_and_its_work_is_reported() {
    let env = with_open_tasks(2);
    env.agent(
        "builder",
        "case $FORKHESTRA_ITERATION in
        1) forge-tasks edit 1 -s done --plain;;
        2) forge-tasks edit 2 -s 'In Progress' --plain; echo x > work; git add work
           git commit -qm 'TASK-002: begin';;
        3) for file in forge/tasks/TASK-002*; do echo '<<<<<<< HEAD' > \"$file\"; done;;
        esac >/dev/null",
    );
    let parts = forkhestra(&env, &["builder:3"]);
    let page = env.read(&format!(".agent-state/summary-{}.md", run_id(&env)));
    let page: Vec<String> = page.lines().map(str::to_owned).collect();
    for lines in [summary(&parts), shown(&env), page] {
        let heading = "Tasks: 1 of 1 done, 1 unreadable";
        places(
            &lines,
            &[heading, "  done     TASK-001  Part 1", "  other    2 iterations, 1 commit"],
        );
    }
}

/// A task that a person finished between two iterations is not continued by the next one.
#[test]
fn a_task_that_a_person_finished_is_not_continued() {
    let env = with_open_tasks(3);
    env.agent(
        "builder",
        "case $FORKHESTRA_ITERATION in
        1) forge-tasks edit 1 -s 'In Progress' --plain;;
        2) forge-tasks edit 2 -s done --plain;;
        esac >/dev/null
        echo $FORKHESTRA_ITERATION > work; git add work; git commit -qm work",
    );
    assert_eq!(forkhestra(&env, &["builder:1"]).code, Some(1));
    places(&shown(&env), &["  begun    TASK-001  Part 1 (1 iteration, 1 commit)"]);
    tasks(&env, &["edit", "1", "-s", "done"]);
    let parts = forkhestra(&env, &["resume", "--max-iterations", "3"]);
    for lines in [summary(&parts), shown(&env)] {
        places(
            &lines,
            &[
                "Tasks: 2 of 3 done, 1 left",
                "  to do    TASK-003  Part 3",
                "  done     TASK-002  Part 2",
                "  other    2 iterations, 2 commits",
            ],
        );
    }
}

#[test]
fn an_archived_task_that_is_done_is_counted() {
    let env = with_open_tasks(2);
    env.agent("builder", "forge-tasks edit 1 -s done --plain; forge-tasks archive 1 --plain");
    let parts = forkhestra(&env, &["builder:1"]);
    for lines in [summary(&parts), shown(&env)] {
        places(&lines, &["Tasks: 1 of 2 done, 1 left", "  done     TASK-001  Part 1"]);
    }
}

#[test]
fn a_commit_that_names_another_task_does_not_belong_to_that_of_its_iteration() {
    let env = with_open_tasks(3);
    env.agent(
        "builder",
        "commit() { echo \"$1\" > work; git add work; git commit -qm \"$1\"; }
        forge-tasks edit 2 -s done --plain >/dev/null
        commit 'TASK-3: prepare'; commit 'TASK-099: foreign'; commit 'Finish the work'
        commit 'TASK-002: follow up TASK-001'",
    );
    let parts = forkhestra(&env, &["builder:1"]);
    for lines in [summary(&parts), shown(&env)] {
        let line = places(&lines, &["  done     TASK-002  Part 2"])[0];
        assert!(lines[line].contains("  +1 "), "{lines:#?}");
        places(&lines, &["  to do    TASK-003  Part 3 (1 commit)", "  other    1 commit"]);
    }
}
