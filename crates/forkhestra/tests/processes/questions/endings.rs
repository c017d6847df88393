//! Ends and pauses of a run while a person is asked.

use std::process::Stdio;

use rustix::process::Signal;

use super::support::{CHAIN, answers, project, start_asking};
use crate::support::{GuardedRun, ProcessProject, eventually};

/// Resumes an interrupted run with an approval.
#[track_caller]
fn approve_by_resume(project: &ProcessProject) {
    assert!(answers(project).is_empty());
    let output = project.run(&["resume", "--approve"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(answers(project), ["1 approved by person"]);
    assert_eq!(project.started(), ["1.1", "3.1"]);
}

#[test]
fn a_signal_ends_the_run_and_leaves_the_question_open() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let project = project();
        let run = start_asking(&project, CHAIN);
        run.signal(signal);
        let output = run.ended();
        assert_eq!(output.code, Some(code), "{output}");
        approve_by_resume(&project);
    }
}

#[test]
fn a_stop_ends_the_run_and_leaves_the_question_open() {
    for words in [&["stop", "--wait"][..], &["stop", "--now", "--wait"]] {
        let project = project();
        let run = start_asking(&project, CHAIN);
        project.run(words).success();
        let output = run.ended();
        assert_eq!(output.code, Some(130), "{output}");
        let message = project.run(&["approve"]).failure(2);
        let hint = "hint: to resume the last one with this answer: forkhestra resume ";
        assert!(message.contains(hint) && message.ends_with(" --approve\n"), "{message}");
        approve_by_resume(&project);
    }
}

#[test]
fn a_paused_run_takes_an_answer_and_continues() {
    let project = project();
    let run = start_asking(&project, CHAIN);
    project.run(&["pause"]).success();
    let approved = project.run(&["approve"]).success();
    let id = project.run_id();
    assert_eq!(
        approved,
        format!("Step 2 of run {id} is approved\nRun {id} was paused, and continues\n")
    );
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn a_paused_run_still_asks_after_it_continues() {
    let project = project();
    let run = start_asking(&project, CHAIN);
    project.run(&["pause"]).success();
    project.run(&["continue"]).success();
    assert!(answers(&project).is_empty());
    project.run(&["approve"]).success();
    assert_eq!(run.ended().code, Some(0));
}

#[test]
fn a_suspended_run_still_asks_after_it_continues() {
    let project = project();
    let run = start_asking(&project, CHAIN);
    run.signal(Signal::TSTP);
    eventually("the guard is stopped", || run.guard().is_stopped().then_some(()));
    run.signal(Signal::CONT);
    eventually("it takes an answer", || (project.run(&["approve"]).code == Some(0)).then_some(()));
    assert_eq!(run.ended().code, Some(0));
    assert_eq!(answers(&project), ["1 approved by person"]);
}

/// The output of the run goes to a reader that has gone.
#[test]
fn a_run_whose_reader_has_gone_leaves_the_question_open() {
    let project = project();
    let (reader, writer) = std::io::pipe().expect("there are descriptors left");
    let mut command = project.command(CHAIN);
    command.stdout(writer).stderr(Stdio::piped());
    let run = GuardedRun::start(&project, command);
    project.wait_until_asked(1, 1);
    drop(reader);
    let output = run.ended();
    assert_eq!(output.code, Some(141), "{output}");
    approve_by_resume(&project);
}
