//! A demo that is interrupted.

use std::fs;
use std::process::Stdio;

use rustix::process::Signal;

use crate::support::{GuardedRun, ProcessProject};

#[test]
fn an_interrupted_demo_keeps_its_project_and_can_be_resumed() {
    let project = ProcessProject::new();
    let git = project.place("git");
    let script = r#"#!/bin/sh
        PATH=/usr/local/bin:/usr/bin:/bin
        case "$*" in *"forkhestra: replay HEAD"*) [ -e "$PLACE/up" ] || { : > "$PLACE/up"; exec sleep 1000; } ;; esac
        exec git "$@"
    "#;
    testkit::write_executable(&git, script);
    let place = git.parent().expect("it is below").display();
    let mut command = project.command(&["demo", "--speed", "max"]);
    command.env("PATH", format!("{place}:/usr/local/bin:/usr/bin:/bin"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = GuardedRun::start(&project, command);
    project.wait_for("up");
    run.signal(Signal::INT);
    let output = run.ended();
    assert_eq!(output.code, Some(130), "{output}");
    let after =
        |text| output.stdout.lines().find_map(|line| line.split_once(text)).map(|(_, it)| it);
    assert!(!output.stdout.contains("tagged"), "the hook is for the end: {output}");
    let kept = after("Everything is kept in ").expect("it is kept");
    let kept = kept.split_once(". To try next").expect("there is something to try").0;
    let words = after("To resume: forkhestra ").expect("it can be resumed");
    let resumed = project.run(&words.split(' ').collect::<Vec<_>>());
    assert_eq!(resumed.code, Some(0), "{resumed}");
    fs::remove_dir_all(kept).expect("it is there");
}
