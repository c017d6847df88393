//! A reader who never reads cannot keep a run that is to end.

use std::io::Read;
use std::process::Stdio;

use rustix::process::Signal;

use crate::support::{Run, World, eventually, kill};

const PRINTS: &str = r#"
    if [ -e "$PLACE/up" ]; then echo FORKHESTRA_COMPLETE; exit 0; fi
    : > "$PLACE/up"
    trap '' INT TERM
    while :; do echo line; done
"#;

#[test]
fn two_interrupts_end_a_run_that_nobody_reads() {
    let world = World::with_agent(PRINTS);
    let (reader, writer) = std::io::pipe().expect("there are pipes");
    let mut command = world.command(&["./agent:3"]);
    command.stdout(Stdio::from(writer)).stderr(Stdio::piped());
    let run = Run::start(&world, command);
    run.wait_until_stuck();
    run.signal(Signal::INT);
    eventually("the first one is taken", || (!run.guard().has_pending_signals()).then_some(()));
    run.signal(Signal::INT);
    let said = run.ended();
    assert_eq!(said.code, Some(130), "{said}");
    assert!(said.stderr.contains("to go on: forkhestra resume"), "{said}");
    let resumed = world.go_on(&said);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert_eq!(world.started(), ["1.1", "1.1"]);
    drop(reader);
}

#[test]
fn two_interrupts_end_a_run_whose_runner_does_nothing_any_more() {
    let world = World::with_agent(PRINTS);
    let run = world.start(&["./agent:3"]);
    world.wait_for("up");
    kill(run.runner(), Signal::STOP);
    run.signal(Signal::INT);
    eventually("the first one is taken", || (!run.guard().has_pending_signals()).then_some(()));
    run.signal(Signal::INT);
    let said = run.ended();
    assert_eq!(said.code, Some(130), "{said}");
    assert!(said.stderr.contains("error: the runner did not end when it was asked to"), "{said}");
    assert_eq!(world.go_on(&said).code, Some(0));
}

#[test]
fn it_is_not_told_to_somebody_who_does_not_read() {
    let world = World::with_agent(PRINTS);
    let (mut reader, writer) = std::io::pipe().expect("there are pipes");
    let mut command = world.command(&["./agent:3"]);
    let also = writer.try_clone().expect("it is open");
    command.stdout(Stdio::from(writer)).stderr(Stdio::from(also));
    let mut run = Run::start(&world, command);
    run.wait_until_stuck();
    run.signal(Signal::TERM);
    eventually("the first one is taken", || (!run.guard().has_pending_signals()).then_some(()));
    run.signal(Signal::INT);
    assert_eq!(run.wait(), Some(143));
    let mut text = String::new();
    reader.read_to_string(&mut text).expect("a pipe can be read");
    assert!(!text.contains("error:"), "{text}");
    assert_eq!(world.run(&["resume"]).code, Some(0));
}
