//! Searches for the iteration that broke something, whose tests are ended with them.

use std::fs;
use std::path::PathBuf;

use rustix::process::Signal;

use crate::support::{GuardedRun, ProcessProject, TestProcess, eventually, kill};
use crate::work_tree::make_repository;

/// Writes its process number and that of a process which leaves its session, then waits.
const WAITING: &str = r#"
    setsid sh -c 'echo $$ > "$PLACE/escaped"; exec sleep 1000' &
    until [ -s "$PLACE/escaped" ]; do sleep 0.01; done
    echo $$ > "$PLACE/tmp"; mv "$PLACE/tmp" "$PLACE/up"
    exec sleep 1000
"#;

/// A run with one iteration.
fn project() -> ProcessProject {
    let project = ProcessProject::with_agent("echo x > made; exit 0");
    make_repository(&project);
    let output = project.run(&["./agent:1"]);
    assert_eq!(output.code, Some(1), "{output}");
    project
}

fn start(project: &ProcessProject) -> GuardedRun<'_> {
    let search = project.start(&["bisect", "--", "sh", "-c", WAITING]);
    project.wait_for("up");
    search
}

/// The directory of all searches of the run.
fn searches(project: &ProcessProject) -> PathBuf {
    project.run_directory().join("bisect")
}

/// The processes of the test that runs.
fn test_processes(project: &ProcessProject) -> [TestProcess; 2] {
    ["up", "escaped"].map(|name| {
        let text = fs::read_to_string(project.place(name)).expect("it is there");
        TestProcess::from_text(&text).expect("it is a number")
    })
}

fn assert_nothing_is_left(project: &ProcessProject) {
    for process in test_processes(project) {
        assert!(process.is_gone(), "{}", process.describe());
    }
    assert!(!searches(project).exists(), "its directory is left");
}

#[test]
fn a_signal_ends_the_test_and_removes_its_files() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let project = project();
        let search = start(&project);
        search.signal(signal);
        let output = search.ended();
        assert_eq!(output.code, Some(code), "{output}");
        assert_nothing_is_left(&project);
    }
}

#[test]
fn the_guard_cleans_up_after_a_killed_runner() {
    let project = project();
    let search = start(&project);
    kill(search.runner(), Signal::KILL);
    let output = search.ended();
    assert_eq!(output.code, Some(137), "{output}");
    assert!(output.stderr.contains("the process of the tests was killed by signal 9"), "{output}");
    assert_nothing_is_left(&project);
}

#[test]
fn the_runner_ends_with_its_guard() {
    let project = project();
    let search = start(&project);
    let runner = search.runner();
    kill(search.guard(), Signal::KILL);
    eventually("the runner ends", || runner.is_gone().then_some(()));
    assert_nothing_is_left(&project);
    drop(search);
}

#[test]
fn the_next_search_removes_what_a_killed_one_left() {
    let project = project();
    let search = start(&project);
    let (guard, runner) = (search.guard(), search.runner());
    kill(guard, Signal::STOP);
    kill(runner, Signal::KILL);
    kill(guard, Signal::KILL);
    eventually("both are gone", || (guard.is_gone() && runner.is_gone()).then_some(()));
    drop(search);
    assert!(searches(&project).exists(), "both were killed");
    let output = project.run(&["bisect", "--", "test", "!", "-e", "made"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_nothing_is_left(&project);
}

#[test]
fn two_searches_of_one_run_do_not_disturb_each_other() {
    let project = project();
    let search = start(&project);
    let output = project.run(&["bisect", "--", "test", "!", "-e", "made"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(test_processes(&project).iter().all(|process| !process.is_gone()));
    assert!(searches(&project).exists(), "the first one goes on");
    search.signal(Signal::INT);
    assert_eq!(search.ended().code, Some(130));
    assert_nothing_is_left(&project);
}

#[test]
fn a_suspended_search_continues() {
    let project = project();
    project.gate("gate");
    // The shell waits by itself. While it creates a process, a stop would wait for that.
    let script = r#"if [ ! -e "$PLACE/up" ]; then
            echo $$ > "$PLACE/tmp"; mv "$PLACE/tmp" "$PLACE/up"
            read line < "$PLACE/gate"
        fi
        test ! -e made"#;
    let search = project.start(&["bisect", "--", "sh", "-c", script]);
    project.wait_for("up");
    let test = fs::read_to_string(project.place("up")).expect("it is there");
    let test = TestProcess::from_text(&test).expect("it is a number");
    let all = [search.guard(), search.runner(), test];
    search.signal(Signal::TSTP);
    eventually("all are stopped", || all.iter().all(|it| it.is_stopped()).then_some(()));
    search.signal(Signal::CONT);
    project.open_gate("gate");
    let output = search.ended();
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn processes_that_outlive_their_test_are_ended() {
    let project = project();
    let script = r#"setsid sh -c 'echo $$ > "$PLACE/escaped"; exec sleep 1000' &
        until [ -s "$PLACE/escaped" ]; do sleep 0.01; done
        cp "$PLACE/escaped" "$PLACE/up"
        test ! -e made"#;
    let output = project.run(&["bisect", "--", "sh", "-c", script]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_nothing_is_left(&project);
}

#[test]
fn a_run_is_not_removed_during_a_search() {
    let project = project();
    let search = start(&project);
    let id = project.run_id();
    let output = project.run(&["runs", "rm", &id]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr.contains(&format!("run {id} is being bisected")), "{output}");
    search.signal(Signal::INT);
    assert_eq!(search.ended().code, Some(130));
    project.run(&["runs", "rm", &id]).success();
}

#[test]
fn a_search_whose_files_were_removed_blames_no_iteration() {
    let project = project();
    let directory = project.run_directory();
    let script = format!("rm -rf '{}'; exit 1", directory.display());
    let output = project.run(&["bisect", "--", "sh", "-c", &script]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr.contains("the files of the search were removed"), "{output}");
    assert!(!directory.exists(), "it is not made again");
}

#[test]
fn a_stranger_that_holds_the_output_does_not_stop_the_search() {
    let project = project();
    let script = r#"echo $$ > "$PLACE/tmp"; mv "$PLACE/tmp" "$PLACE/up"
        until [ -e "$PLACE/go" ]; do sleep 0.01; done
        test ! -e made"#;
    let search = project.start(&["bisect", "--", "sh", "-c", script]);
    project.wait_for("up");
    let pid = fs::read_to_string(project.place("up")).expect("it is there");
    let output = format!("/proc/{}/fd/1", pid.trim());
    let held = fs::File::options().write(true).open(output).expect("it is a pipe");
    fs::write(project.place("go"), "").expect("the place is ours");
    let output = search.ended();
    assert_eq!(output.code, Some(0), "{output}");
    drop(held);
}
