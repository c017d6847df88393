//! One or both processes of a run are killed, and no process is left.

use std::fs;

use rustix::process::Signal;

use crate::support::{GuardedRun, ProcessProject, TestProcess, eventually, kill};
use crate::work_tree::make_repository;

/// The first time it starts a child in the background, a daemon, and a process that ignores
/// signals; the next time it completes.
const FAMILY: &str = r#"
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
    world: &'w ProcessProject,
    args: &[&str],
) -> (GuardedRun<'w>, Vec<TestProcess>) {
    let run = world.start(args);
    run.agent();
    let (guard, runner) = (run.guard(), run.runner());
    let members = eventually("the whole family is there", || {
        let mut members = world.processes();
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
    let world = ProcessProject::with_agent(FAMILY);
    let (run, members) = start_family(&world, &["./agent:3"]);
    kill(run.runner(), Signal::KILL);
    let said = run.ended();
    assert_eq!(said.code, Some(137), "{said}");
    assert!(members.iter().all(|member| member.is_gone()));
    assert!(said.stderr.contains("error: the runner was killed by signal 9"), "{said}");
    assert_eq!(world.resume_as_printed(&said).code, Some(0));
    assert_eq!(world.started(), ["1.1", "1.1"]);
}

#[test]
fn a_guard_that_is_killed_leaves_nothing_and_the_run_can_be_resumed() {
    let world = ProcessProject::with_agent(FAMILY);
    let (run, members) = start_family(&world, &["./agent:3"]);
    kill(run.guard(), Signal::KILL);
    // Its output ends when its runner is gone.
    let said = run.ended();
    assert_eq!(said.code, None, "{said}");
    world.wait_until_empty();
    assert!(members.iter().all(|member| member.is_gone()));
    assert!(said.stdout.contains("watches over the run was killed"), "{said}");
    assert_eq!(world.resume_as_printed(&said).code, Some(0));
    assert_eq!(world.started(), ["1.1", "1.1"]);
}

/// The first iteration makes one commit, and a resumed one makes another before it hangs.
#[test]
fn the_summary_of_a_run_whose_guard_was_killed_counts_every_commit() {
    let world = ProcessProject::with_agent(
        r#"
        git -c user.name=t -c user.email=t@t -c commit.gpgsign=false commit -q --allow-empty -m "Do $n"
        echo "$n" > "made-$n"
        if [ -e "$PLACE/second" ]; then echo "agent $$"; while :; do sleep 1000; done; fi
        : > "$PLACE/second"
        "#,
    );
    make_repository(&world);
    let first = world.run(&["./agent:1"]);
    assert!(first.stdout.contains("1 commit;"), "{first}");
    let run = world.start(&["resume", "--max-iterations", "2"]);
    run.agent();
    kill(run.guard(), Signal::KILL);
    let said = run.ended();
    world.wait_until_empty();
    assert!(said.stdout.contains("watches over the run was killed"), "{said}");
    assert!(said.stdout.contains("2 commits; 2 files changed"), "{said}");
    let shown = world.run(&["show", "-v"]);
    assert!(shown.stdout.contains("2 commits"), "{shown}");
}

#[test]
fn a_guard_killed_while_the_run_is_stopped_leaves_nothing() {
    let world = ProcessProject::with_agent(FAMILY);
    let (run, members) = start_family(&world, &["./agent:3"]);
    run.signal(Signal::TSTP);
    eventually("the guard is stopped", || run.guard().is_stopped().then_some(()));
    kill(run.guard(), Signal::KILL);
    let said = run.ended();
    world.wait_until_empty();
    assert!(members.iter().all(|member| member.is_gone()));
    assert_eq!(world.resume_as_printed(&said).code, Some(0));
}

#[test]
fn leftovers_of_two_killed_processes_are_ended_by_the_resume() {
    let world = ProcessProject::with_agent(FAMILY);
    let (run, members) = start_family(&world, &["./agent:3"]);
    kill_both(&run);
    drop(run);
    assert!(members.iter().all(|member| !member.is_gone()));
    let resumed = world.run(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert!(members.iter().all(|member| member.is_gone()));
    let swept = format!(
        "warning: {MEMBERS} processes that run {} had left behind when it was killed, ended now\n",
        world.run_id()
    );
    assert_eq!(resumed.stderr, swept);
}

#[test]
fn leftovers_of_two_killed_processes_are_ended_by_the_next_run_in_the_work_tree() {
    let world = ProcessProject::with_agent(FAMILY);
    let (run, members) = start_family(&world, &["./agent:3"]);
    kill_both(&run);
    drop(run);
    let id = world.run_id();
    let next = world.run(&["./agent:3"]);
    assert_eq!(next.code, Some(0), "{next}");
    assert!(members.iter().all(|member| member.is_gone()));
    assert!(next.stderr.contains(&format!("that run {id} had left behind")), "{next}");
    // The killed run can still be resumed.
    let resumed = world.run(&["resume", &id]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert_eq!(resumed.stderr, "", "{resumed}");
}

/// The git process would exit by itself in a moment, but not while it is stopped.
#[test]
fn a_git_process_left_by_two_killed_processes_is_ended_by_the_resume() {
    let world = ProcessProject::with_agent("echo FORKHESTRA_COMPLETE");
    // Git is not started where nothing looks like a repository.
    fs::create_dir(world.project().join(".git")).expect("the name is free");
    let git = world.place("git");
    let script = "#!/bin/sh\necho $$ > \"$PLACE/asked\"\nexec sleep 1000\n";
    testkit::write_executable(&git, script);
    let mut command = world.command(&["./agent:3", "--stagnation", "2"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", world.place("").display()));
    let run = GuardedRun::start(&world, command);
    let git = eventually("git is started", || {
        TestProcess::from_text(&fs::read_to_string(world.place("asked")).ok()?)
    });
    kill_both(&run);
    drop(run);
    assert!(!git.is_gone());
    let resumed = world.run(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert!(git.is_gone());
}

#[test]
fn leftovers_of_a_nested_run_are_ended_with_the_outer_one() {
    let world = ProcessProject::new();
    world.agent("inner", FAMILY);
    world.agent(
        "agent",
        &format!(
            r#"
            if [ -e "$PLACE/up" ]; then echo FORKHESTRA_COMPLETE; exit 0; fi
            exec '{}' "$PWD/inner:3" --cwd "$PLACE" --state-dir "$PLACE/inner" > "$PLACE/printed"
            "#,
            crate::FORKHESTRA
        ),
    );
    let run = world.start(&["./agent:3"]);
    let inner = eventually("the whole family is there", || {
        let mut inner = world.processes();
        inner.retain(|process| *process != run.guard() && *process != run.runner());
        // The members, and both processes of the inner run.
        (world.place("up").exists() && inner.len() == MEMBERS + 2).then_some(inner)
    });
    kill_both(&run);
    drop(run);
    let resumed = world.run(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    let left: Vec<String> =
        inner.iter().filter(|one| !one.is_gone()).map(|one| one.describe()).collect();
    assert!(left.is_empty(), "processes are left: {left:#?}");
}

#[test]
fn a_killed_agent_is_a_crash_and_does_not_end_the_run() {
    let world = ProcessProject::with_agent(FAMILY);
    let (run, members) = start_family(&world, &["./agent:3"]);
    kill(run.agent(), Signal::KILL);
    let said = run.ended();
    assert_eq!(said.code, Some(0), "{said}");
    assert!(said.stdout.contains("Iteration 1/3 failed (killed by signal 9)"), "{said}");
    assert!(members.iter().all(|member| member.is_gone()));
}

#[test]
fn observation_files_are_removed_by_the_resume() {
    let world = ProcessProject::with_agent(FAMILY);
    for args in [&["init", "--quiet"][..], &["add", "--all"]] {
        let done = world.command_in_environment("git").args(args).status();
        assert!(done.is_ok_and(|status| status.success()));
    }
    let (run, _) = start_family(&world, &["./agent:3", "--stagnation", "2"]);
    kill(run.runner(), Signal::KILL);
    let said = run.ended();
    assert_eq!(said.code, Some(137), "{said}");
    assert!(fs::exists(world.run_directory()).is_ok_and(|there| there));
    assert_eq!(world.resume_as_printed(&said).code, Some(0));
}
