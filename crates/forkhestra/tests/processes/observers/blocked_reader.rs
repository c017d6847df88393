//! A reader that never reads cannot block the end of a run.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::process::Stdio;

use rustix::fs::OFlags;
use rustix::process::Signal;

use crate::support::{GuardedRun, ProcessProject, eventually, kill};

const PRINTING_AGENT: &str = r#"
    if [ -e "$PLACE/up" ]; then echo FORKHESTRA_COMPLETE; exit 0; fi
    : > "$PLACE/up"
    trap '' INT TERM
    while :; do echo line; done
"#;

#[test]
fn two_interrupts_end_a_run_with_unread_output() {
    let project = ProcessProject::with_agent(PRINTING_AGENT);
    let (reader, writer) = std::io::pipe().expect("there are pipes");
    let mut command = project.command(&["./agent:3"]);
    command.stdout(Stdio::from(writer)).stderr(Stdio::piped());
    let run = GuardedRun::start(&project, command);
    run.wait_until_stuck(&reader);
    run.signal(Signal::INT);
    eventually("the first signal is received", || {
        (!run.guard().has_pending_signals()).then_some(())
    });
    run.signal(Signal::INT);
    let output = run.ended();
    assert_eq!(output.code, Some(130), "{output}");
    assert!(output.stderr.contains("to resume: forkhestra resume"), "{output}");
    let resumed = project.resume_as_printed(&output);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert_eq!(project.started(), ["1.1", "1.1"]);
    drop(reader);
}

#[test]
fn two_interrupts_end_a_run_whose_runner_hangs() {
    let project = ProcessProject::with_agent(PRINTING_AGENT);
    let run = project.start(&["./agent:3"]);
    project.wait_for("up");
    kill(run.runner(), Signal::STOP);
    run.signal(Signal::INT);
    eventually("the first signal is received", || {
        (!run.guard().has_pending_signals()).then_some(())
    });
    run.signal(Signal::INT);
    let output = run.ended();
    assert_eq!(output.code, Some(130), "{output}");
    assert!(
        output.stderr.contains("error: the runner did not end when it was asked to"),
        "{output}"
    );
    assert_eq!(project.resume_as_printed(&output).code, Some(0));
}

/// The work tree stays locked as long as the run waits for its reader, and the terminal may be out
/// of reach.
#[test]
fn stop_now_ends_a_finished_run_with_unread_output() {
    let project = ProcessProject::with_agent("echo FORKHESTRA_COMPLETE; read go < \"$PLACE/gate\"");
    project.gate("gate");
    let (mut reader, writer) = std::io::pipe().expect("there are pipes");
    // Another writer, which does not block.
    let mut other = OpenOptions::new()
        .write(true)
        .custom_flags(i32::try_from(OFlags::NONBLOCK.bits()).expect("it is a small number"))
        .open(format!("/proc/self/fd/{}", writer.as_raw_fd()))
        .expect("it is ours");
    let mut command = project.command(&["./agent:3"]);
    command.stdout(Stdio::from(writer)).stderr(Stdio::piped());
    let run = GuardedRun::start(&project, command);
    let (mut read, mut part) = (String::new(), [0; 1024]);
    while !read.contains("FORKHESTRA_COMPLETE\n") {
        let length = reader.read(&mut part).expect("it prints");
        read.push_str(str::from_utf8(&part[..length]).expect("it prints text"));
    }
    while other.write(&[b'x'; 4096]).is_ok() {}
    project.open_gate("gate");
    let is_over = || project.events().last().is_some_and(|event| event["event"] == "run_finished");
    eventually("it is over", || is_over().then_some(()));
    let id = project.run_id();
    let output = project.run(&["stop", &id]);
    assert!(output.stderr.contains("is over: complete") && output.code == Some(2), "{output}");
    let output = project.run(&["stop", &id, "--now", "--wait"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(run.ended().code, Some(0));
}

#[test]
fn no_error_is_written_to_a_blocked_reader() {
    let project = ProcessProject::with_agent(PRINTING_AGENT);
    let (mut reader, writer) = std::io::pipe().expect("there are pipes");
    let mut command = project.command(&["./agent:3"]);
    let also = writer.try_clone().expect("it is open");
    command.stdout(Stdio::from(writer)).stderr(Stdio::from(also));
    let mut run = GuardedRun::start(&project, command);
    run.wait_until_stuck(&reader);
    run.signal(Signal::TERM);
    eventually("the first signal is received", || {
        (!run.guard().has_pending_signals()).then_some(())
    });
    run.signal(Signal::INT);
    assert_eq!(run.wait(), Some(143));
    let mut text = String::new();
    reader.read_to_string(&mut text).expect("a pipe can be read");
    assert!(!text.contains("error:"), "{text}");
    assert_eq!(project.run(&["resume"]).code, Some(0));
}
