//! One or both processes of a run are killed, and no process is left.

use std::fs;

use rustix::process::Signal;

use crate::support::{GuardedRun, ProcessProject, TestProcess, eventually, kill};
use crate::work_tree::make_repository;

/// The first time it starts a child in the background, a daemon, and a process that ignores
/// signals; the next time it completes.
const PROCESS_TREE: &str = r#"
    if [ -e "$PLACE/up" ]; then echo FORKHESTRA_COMPLETE; exit 0; fi
    sleep 1000 &
    (setsid sh -c ': > "$PLACE/daemon"; exec sleep 1000' &)
    (setsid sh -c 'trap "" TERM INT HUP; : > "$PLACE/deaf"; while :; do sleep 1000; done' &)
    until [ -e "$PLACE/daemon" ] && [ -e "$PLACE/deaf" ]; do sleep 0.01; done
    : > "$PLACE/up"
    echo "agent $$"
    while :; do sleep 1000; done
"#;

/// The agent, its background child, its sleep, the daemon, the process that ignores signals, and
/// its sleep.
const MEMBERS: usize = 6;

fn start_family<'w>(
    project: &'w ProcessProject,
    args: &[&str],
) -> (GuardedRun<'w>, Vec<TestProcess>) {
    let run = project.start(args);
    run.agent();
    let (guard, runner) = (run.guard(), run.runner());
    let members = eventually("the whole family is there", || {
        let mut members = project.processes();
        members.retain(|member| *member != guard && *member != runner);
        (members.len() == MEMBERS).then_some(members)
    });
    (run, members)
}

/// Kills both processes of a run so that neither can react to the other's death.
pub(crate) fn kill_both(run: &GuardedRun<'_>) {
    let (guard, runner) = (run.guard(), run.runner());
    for process in [guard, runner] {
        kill(process, Signal::STOP);
        eventually("it is stopped", || process.is_stopped().then_some(()));
    }
    kill(runner, Signal::KILL);
    kill(guard, Signal::KILL);
    // Until then it holds the lock of the journal.
    eventually("the runner is gone", || runner.is_gone().then_some(()));
}

#[test]
fn a_runner_that_is_killed_leaves_nothing_and_the_run_can_be_resumed() {
    let project = ProcessProject::with_agent(PROCESS_TREE);
    let (run, members) = start_family(&project, &["./agent:3"]);
    kill(run.runner(), Signal::KILL);
    let output = run.ended();
    assert_eq!(output.code, Some(137), "{output}");
    assert!(members.iter().all(|member| member.is_gone()));
    assert!(output.stderr.contains("error: the runner was killed by signal 9"), "{output}");
    assert_eq!(project.resume_as_printed(&output).code, Some(0));
    assert_eq!(project.started(), ["1.1", "1.1"]);
}

#[test]
fn a_guard_that_is_killed_leaves_nothing_and_the_run_can_be_resumed() {
    let project = ProcessProject::with_agent(PROCESS_TREE);
    let (run, members) = start_family(&project, &["./agent:3"]);
    kill(run.guard(), Signal::KILL);
    // Its output ends when its runner is gone.
    let output = run.ended();
    assert_eq!(output.code, None, "{output}");
    project.wait_until_empty();
    assert!(members.iter().all(|member| member.is_gone()));
    assert!(output.stdout.contains("watches over the run was killed"), "{output}");
    assert_eq!(project.resume_as_printed(&output).code, Some(0));
    assert_eq!(project.started(), ["1.1", "1.1"]);
}

/// The first iteration makes one commit, and a resumed one makes another before it hangs.
#[test]
fn the_summary_of_a_run_whose_guard_was_killed_counts_every_commit() {
    let project = ProcessProject::with_agent(
        r#"
        git -c user.name=t -c user.email=t@t -c commit.gpgsign=false commit -q --allow-empty -m "Do $n"
        echo "$n" > "made-$n"
        if [ -e "$PLACE/second" ]; then echo "agent $$"; while :; do sleep 1000; done; fi
        : > "$PLACE/second"
        "#,
    );
    make_repository(&project);
    let first = project.run(&["./agent:1"]);
    assert!(first.stdout.contains("1 commit;"), "{first}");
    let run = project.start(&["resume", "--max-iterations", "2"]);
    run.agent();
    kill(run.guard(), Signal::KILL);
    let output = run.ended();
    project.wait_until_empty();
    assert!(output.stdout.contains("watches over the run was killed"), "{output}");
    assert!(output.stdout.contains("2 commits; 2 files changed"), "{output}");
    let shown = project.run(&["show", "-v"]);
    assert!(shown.stdout.contains("2 commits"), "{shown}");
}

#[test]
fn a_guard_killed_while_the_run_is_stopped_leaves_nothing() {
    let project = ProcessProject::with_agent(PROCESS_TREE);
    let (run, members) = start_family(&project, &["./agent:3"]);
    run.signal(Signal::TSTP);
    eventually("the guard is stopped", || run.guard().is_stopped().then_some(()));
    kill(run.guard(), Signal::KILL);
    let output = run.ended();
    project.wait_until_empty();
    assert!(members.iter().all(|member| member.is_gone()));
    assert_eq!(project.resume_as_printed(&output).code, Some(0));
}

#[test]
fn leftovers_of_two_killed_processes_are_ended_by_the_resume() {
    let project = ProcessProject::with_agent(PROCESS_TREE);
    let (run, members) = start_family(&project, &["./agent:3"]);
    kill_both(&run);
    drop(run);
    assert!(members.iter().all(|member| !member.is_gone()));
    let resumed = project.run(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert!(members.iter().all(|member| member.is_gone()));
    let swept = format!(
        "warning: {MEMBERS} processes that run {} had left behind when it was killed, ended now\n",
        project.run_id()
    );
    assert_eq!(resumed.stderr, swept);
}

#[test]
fn leftovers_of_two_killed_processes_are_ended_by_the_next_run_in_the_work_tree() {
    let project = ProcessProject::with_agent(PROCESS_TREE);
    let (run, members) = start_family(&project, &["./agent:3"]);
    kill_both(&run);
    drop(run);
    let id = project.run_id();
    let next = project.run(&["./agent:3"]);
    assert_eq!(next.code, Some(0), "{next}");
    assert!(members.iter().all(|member| member.is_gone()));
    assert!(next.stderr.contains(&format!("that run {id} had left behind")), "{next}");
    // The killed run can still be resumed.
    let resumed = project.run(&["resume", &id]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert_eq!(resumed.stderr, "", "{resumed}");
}

/// The git process would exit by itself in a moment, but not while it is stopped.
#[test]
fn a_git_process_left_by_two_killed_processes_is_ended_by_the_resume() {
    let project = ProcessProject::with_agent("echo FORKHESTRA_COMPLETE");
    // Git is not started where nothing looks like a repository.
    fs::create_dir(project.project().join(".git")).expect("the name is free");
    let git = project.place("git");
    let script = "#!/bin/sh\necho $$ > \"$PLACE/asked\"\nexec sleep 1000\n";
    testkit::write_executable(&git, script);
    let mut command = project.command(&["./agent:3", "--stagnation", "2"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", project.place("").display()));
    let run = GuardedRun::start(&project, command);
    let git = eventually("git is started", || {
        TestProcess::from_text(&fs::read_to_string(project.place("asked")).ok()?)
    });
    kill_both(&run);
    drop(run);
    assert!(!git.is_gone());
    let resumed = project.run(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert!(git.is_gone());
}

#[test]
fn leftovers_of_a_nested_run_are_ended_with_the_outer_one() {
    let project = ProcessProject::new();
    project.agent("inner", PROCESS_TREE);
    project.agent(
        "agent",
        &format!(
            r#"
            if [ -e "$PLACE/up" ]; then echo FORKHESTRA_COMPLETE; exit 0; fi
            exec '{}' "$PWD/inner:3" --cwd "$PLACE" --state-dir "$PLACE/inner" > "$PLACE/printed"
            "#,
            crate::FORKHESTRA
        ),
    );
    let run = project.start(&["./agent:3"]);
    let inner = eventually("the whole family is there", || {
        let mut inner = project.processes();
        inner.retain(|process| *process != run.guard() && *process != run.runner());
        // The members, and both processes of the inner run.
        (project.place("up").exists() && inner.len() == MEMBERS + 2).then_some(inner)
    });
    kill_both(&run);
    drop(run);
    let resumed = project.run(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    let left: Vec<String> =
        inner.iter().filter(|one| !one.is_gone()).map(|one| one.describe()).collect();
    assert!(left.is_empty(), "processes are left: {left:#?}");
}

#[test]
fn a_killed_agent_is_a_crash_and_does_not_end_the_run() {
    let project = ProcessProject::with_agent(PROCESS_TREE);
    let (run, members) = start_family(&project, &["./agent:3"]);
    kill(run.agent(), Signal::KILL);
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("Iteration 1/3 failed (killed by signal 9)"), "{output}");
    assert!(members.iter().all(|member| member.is_gone()));
}

#[test]
fn observation_files_are_removed_by_the_resume() {
    let project = ProcessProject::with_agent(PROCESS_TREE);
    for args in [&["init", "--quiet"][..], &["add", "--all"]] {
        let done = project.command_in_environment("git").args(args).status();
        assert!(done.is_ok_and(|status| status.success()));
    }
    let (run, _) = start_family(&project, &["./agent:3", "--stagnation", "2"]);
    kill(run.runner(), Signal::KILL);
    let output = run.ended();
    assert_eq!(output.code, Some(137), "{output}");
    assert!(fs::exists(project.run_directory()).is_ok_and(|there| there));
    assert_eq!(project.resume_as_printed(&output).code, Some(0));
}
