//! Runs in the background that are interrupted, or refused by the system, before they start.

use std::fs::{self, File};
use std::process::Stdio;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Signal, kill_process};

use super::{
    agent_runner_and_guard, console, detached, named_in, release_agent_and_wait, with_waiting_agent,
};
use crate::support::{CapturedStream, GuardedRun, ProcessProject, eventually, kill};

/// Resumes an ended run in the background up to its console, which is a pipe without a reader.
fn resume_blocked_at_console(project: &ProcessProject) -> GuardedRun<'_> {
    detached(project, &["./agent:3"]);
    let [_, _, guard] = agent_runner_and_guard(project);
    kill(guard, Signal::TERM);
    project.wait_until_empty();
    fs::remove_file(project.place("pid")).expect("the agent was there");
    fs::remove_file(console(project)).expect("it was in the background");
    mknodat(CWD, console(project), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("it is ours");
    let run = project.start(&["resume", "--detach", "--quiet"]);
    eventually("it is in the background", || run.guard().children().first().copied());
    run
}

/// Reads the console, which the run waits for, while the run ends.
#[track_caller]
fn let_begin_and_end(project: &ProcessProject) {
    let mut console = CapturedStream::reading(File::open(console(project)).expect("it is ours"));
    named_in(project, "pid");
    release_agent_and_wait(project);
    let text = console.rest();
    assert!(text.ends_with("[forkhestra] Chain complete (1/1 steps)\n"), "{text}");
    assert_eq!(project.started(), ["1.1", "1.1"]);
}

#[test]
fn a_hangup_before_the_start_changes_nothing() {
    let project = with_waiting_agent();
    let run = resume_blocked_at_console(&project);
    run.signal(Signal::HUP);
    eventually("the signal was received", || (!run.guard().has_pending_signals()).then_some(()));
    let_begin_and_end(&project);
    let output = run.ended();
    assert_eq!((output.code, output.stdout), (Some(0), format!("{}\n", project.run_id())));
}

#[test]
fn a_run_starts_even_if_the_waiting_process_was_killed() {
    let project = with_waiting_agent();
    let mut run = resume_blocked_at_console(&project);
    run.signal(Signal::KILL);
    assert_eq!(run.wait(), None);
    let_begin_and_end(&project);
}

#[test]
fn a_run_interrupted_late_in_its_start_can_be_resumed() {
    let project = with_waiting_agent();
    let run = resume_blocked_at_console(&project);
    run.signal(Signal::INT);
    let output = run.ended();
    assert_eq!((output.code, output.stdout.as_str()), (Some(130), ""), "{output}");
    project.wait_until_empty();
    fs::remove_file(console(&project)).expect("it is ours");
    detached(&project, &["resume"]);
    named_in(&project, "pid");
    release_agent_and_wait(&project);
    assert_eq!(project.started(), ["1.1", "1.1"]);
}

/// Wherever the system refuses something during the start, it is reported, or the run starts.
#[test]
fn a_run_that_cannot_start_reports_it_in_the_foreground() {
    let project = ProcessProject::with_agent("echo FORKHESTRA_COMPLETE");
    let (mut refused, mut begun) = (0, String::new());
    for files in 4..64 {
        let mut shell = project.command_in_environment("/bin/sh");
        shell.args(["-c", r#"ulimit -n "$1"; exec "$0" ./agent:3 --detach --quiet"#]);
        shell.arg(crate::FORKHESTRA).arg(files.to_string());
        shell.stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = GuardedRun::start(&project, shell).ended();
        if output.code == Some(0) {
            begun = output.stdout;
            break;
        }
        project.wait_until_empty();
        refused += 1;
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{files} files: {output}");
        assert!(output.stderr.contains("error: "), "{files} files: {output}");
    }
    assert!(refused > 3, "the system refuses nothing: {refused}");
    assert_ne!(begun, "", "no number of files is enough");
    // With so few files its agent may fail to start, with long retries.
    for process in project.processes() {
        // The process may have ended already.
        let _ = kill_process(process.0, Signal::TERM);
    }
    project.wait_until_empty();
    // Without files, the run cannot clean up either.
    let removed = project.run(&["runs", "rm", begun.trim(), "--force"]);
    assert_eq!(removed.code, Some(0), "{removed}");
}
