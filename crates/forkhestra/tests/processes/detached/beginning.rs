//! Runs in the background that are interrupted, or refused by the system, before they start.

use std::fs::{self, File};
use std::process::Stdio;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Signal, getsid, kill_process};

use super::{
    agent_runner_and_guard, console, detached, named_in, release_agent_and_wait, with_waiting_agent,
};
use crate::support::{CapturedStream, GuardedRun, ProcessProject, eventually, kill};

/// Starts a run in the background that blocks on its lock.
fn start_blocked(world: &ProcessProject) -> GuardedRun<'_> {
    assert_eq!(world.run(&["run", "true"]).code, Some(0));
    let lock = world.run_directory().with_file_name("lock");
    fs::remove_file(&lock).expect("it is ours");
    mknodat(CWD, &lock, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("the name is free");
    let run = world.start(&["./agent:3", "--detach"]);
    // In its own session it does not receive signals of our terminal.
    eventually("it is in the background", || {
        let background = *run.guard().children().first()?;
        (getsid(Some(background.0)) == Ok(background.0)).then_some(())
    });
    run
}

#[test]
fn an_interrupt_before_the_start_leaves_no_run() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let world = with_waiting_agent();
        let run = start_blocked(&world);
        run.signal(signal);
        let said = run.ended();
        assert_eq!((said.code, said.stdout.as_str()), (Some(code), ""), "{said}");
        assert!(said.stderr.contains("before it had begun"), "{said}");
        world.wait_until_empty();
        assert!(world.started().is_empty());
        fs::remove_file(world.run_directory().with_file_name("lock")).expect("it is ours");
    }
}

/// Resumes an ended run in the background up to its console, which is a pipe without a reader.
fn resume_blocked_at_console(world: &ProcessProject) -> GuardedRun<'_> {
    detached(world, &["./agent:3"]);
    let [_, _, guard] = agent_runner_and_guard(world);
    kill(guard, Signal::TERM);
    world.wait_until_empty();
    fs::remove_file(world.place("pid")).expect("the agent was there");
    fs::remove_file(console(world)).expect("it was in the background");
    mknodat(CWD, console(world), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("it is ours");
    let run = world.start(&["resume", "--detach", "--quiet"]);
    eventually("it is in the background", || run.guard().children().first().copied());
    run
}

/// Reads the console, which the run waits for, while the run ends.
#[track_caller]
fn let_begin_and_end(world: &ProcessProject) {
    let mut console = CapturedStream::reading(File::open(console(world)).expect("it is ours"));
    named_in(world, "pid");
    release_agent_and_wait(world);
    let text = console.rest();
    assert!(text.ends_with("[forkhestra] Chain complete (1/1 steps)\n"), "{text}");
    assert_eq!(world.started(), ["1.1", "1.1"]);
}

#[test]
fn a_hangup_before_the_start_changes_nothing() {
    let world = with_waiting_agent();
    let run = resume_blocked_at_console(&world);
    run.signal(Signal::HUP);
    eventually("the signal was received", || (!run.guard().has_pending_signals()).then_some(()));
    let_begin_and_end(&world);
    let said = run.ended();
    assert_eq!((said.code, said.stdout), (Some(0), format!("{}\n", world.run_id())));
}

#[test]
fn a_run_starts_even_if_the_waiting_process_was_killed() {
    let world = with_waiting_agent();
    let mut run = resume_blocked_at_console(&world);
    run.signal(Signal::KILL);
    assert_eq!(run.wait(), None);
    let_begin_and_end(&world);
}

#[test]
fn a_run_interrupted_late_in_its_start_can_be_resumed() {
    let world = with_waiting_agent();
    let run = resume_blocked_at_console(&world);
    run.signal(Signal::INT);
    let said = run.ended();
    assert_eq!((said.code, said.stdout.as_str()), (Some(130), ""), "{said}");
    world.wait_until_empty();
    fs::remove_file(console(&world)).expect("it is ours");
    detached(&world, &["resume"]);
    named_in(&world, "pid");
    release_agent_and_wait(&world);
    assert_eq!(world.started(), ["1.1", "1.1"]);
}

/// Wherever the system refuses something during the start, it is reported, or the run starts.
#[test]
fn a_run_that_cannot_start_reports_it_in_the_foreground() {
    let world = ProcessProject::with_agent("echo FORKHESTRA_COMPLETE");
    let (mut refused, mut begun) = (0, String::new());
    for files in 4..64 {
        let mut shell = world.command_in_environment("/bin/sh");
        shell.args(["-c", r#"ulimit -n "$1"; exec "$0" ./agent:3 --detach --quiet"#]);
        shell.arg(crate::FORKHESTRA).arg(files.to_string());
        shell.stdout(Stdio::piped()).stderr(Stdio::piped());
        let said = GuardedRun::start(&world, shell).ended();
        if said.code == Some(0) {
            begun = said.stdout;
            break;
        }
        world.wait_until_empty();
        refused += 1;
        assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{files} files: {said}");
        assert!(said.stderr.contains("error: "), "{files} files: {said}");
    }
    assert!(refused > 3, "the system refuses nothing: {refused}");
    assert_ne!(begun, "", "no number of files is enough");
    // With so few files its agent may fail to start, with long retries.
    for process in world.processes() {
        // The process may have ended already.
        let _ = kill_process(process.0, Signal::TERM);
    }
    world.wait_until_empty();
    // Without files, the run cannot clean up either.
    let removed = world.run(&["runs", "rm", begun.trim(), "--force"]);
    assert_eq!(removed.code, Some(0), "{removed}");
}
