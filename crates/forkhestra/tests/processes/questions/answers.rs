//! `approve` and `deny` from another process.

use std::fs::File;
use std::process::Stdio;

use super::support::{CHAIN, answers, given, project, start_asking};
use crate::support::{GuardedRun, ProcessProject};

#[test]
fn an_approval_continues_the_run_and_its_comment_reaches_the_next_agent() {
    let project = project();
    let run = start_asking(&project, CHAIN);
    let id = project.run_id();
    let output = project.run(&["approve", "Use tabs."]);
    assert_eq!(output.success(), format!("Step 2 of run {id} is approved\n"));
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(project.started(), ["1.1", "3.1"]);
    assert_eq!(given(&project, "message", "1.1"), "");
    assert!(given(&project, "message", "3.1").ends_with("\n\n  | Use tabs.\n"));
    let prompt = given(&project, "prompt", "3.1");
    assert!(prompt.contains("  | Use tabs.\n\nWork."), "{prompt}");
    assert_eq!(answers(&project), ["1 approved by person"]);
}

#[test]
fn a_run_is_named_by_its_id_with_and_without_a_comment() {
    for comment in [None, Some("Carry on.")] {
        let project = project();
        let run = start_asking(&project, CHAIN);
        let id = project.run_id();
        let words: Vec<&str> = ["approve", &id[..5]].into_iter().chain(comment).collect();
        project.run(&words).success();
        assert_eq!(run.ended().code, Some(0));
        let message = given(&project, "message", "3.1");
        assert_eq!(message.contains("  | Carry on.\n"), comment.is_some(), "{message}");
        assert_eq!(project.events_of("message_queued").len(), usize::from(comment.is_some()));
    }
}

#[test]
fn a_comment_is_read_from_standard_input() {
    let project = project();
    let run = start_asking(&project, CHAIN);
    let path = project.place("text");
    std::fs::write(&path, "Use tabs.\nAnd no spaces.\n").expect("the file is ours");
    let mut command = project.command(&["approve", "-"]);
    command.stdin(File::open(&path).expect("it is there"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    GuardedRun::start(&project, command).ended().success();
    assert_eq!(run.ended().code, Some(0));
    let message = given(&project, "message", "3.1");
    assert!(message.ends_with("  | Use tabs.\n  | And no spaces.\n"), "{message}");
}

#[test]
fn the_end_of_a_comment_on_standard_input_does_not_count() {
    for (size, end, expected) in [
        (16 * 1024, "\n", Some(0)),
        (16 * 1024, "\r\n\n \n", Some(0)),
        (16 * 1024 + 1, "", Some(2)),
        (16 * 1024 + 1, "\n", Some(2)),
        (64 * 1024, "\n", Some(2)),
    ] {
        let project = project();
        let run = start_asking(&project, &["? -> ./agent"]);
        let path = project.place("text");
        std::fs::write(&path, "x".repeat(size) + end).expect("the file is ours");
        let mut command = project.command(&["approve", "-"]);
        command.stdin(File::open(&path).expect("it is there"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = GuardedRun::start(&project, command).ended();
        assert_eq!(output.code, expected, "{size} {end:?}: {output}");
        if expected != Some(0) {
            assert!(
                output.stderr.starts_with("error: the message is longer than 16 KiB\n"),
                "{output}"
            );
            project.run(&["approve"]).success();
        }
        assert_eq!(run.ended().code, Some(0));
    }
}

#[test]
fn a_denial_ends_the_chain_and_a_resume_asks_again() {
    let project = project();
    let run = start_asking(&project, CHAIN);
    let id = project.run_id();
    let output = project.run(&["deny", &id, "Not today."]);
    assert_eq!(output.success(), format!("Step 2 of run {id} is denied\n"));
    let output = run.ended();
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.events_of("run_finished")[0]["end"]["reason"], "denied");
    let resumed = project.start(&["resume"]);
    project.wait_until_asked(2, 1);
    project.run(&["approve", "--question", "2"]).success();
    assert_eq!(resumed.ended().code, Some(0));
    assert_eq!(answers(&project), ["1 denied by person", "2 approved by person"]);
    assert_eq!(project.started(), ["1.1", "3.1"]);
}

#[test]
fn a_resume_approves_a_denied_question() {
    let project = project();
    let run = start_asking(&project, CHAIN);
    project.run(&["deny"]).success();
    assert_eq!(run.ended().code, Some(1));
    let output = project.run(&["resume", "--approve", "Now you may."]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(given(&project, "message", "3.1").contains("  | Now you may.\n"));
    assert_eq!(answers(&project), ["1 denied by person", "2 approved by person"]);
}

/// The next agent waits, so that the run is active while the other answers come.
#[test]
fn one_of_many_answers_counts_and_the_others_are_refused() {
    let project = ProcessProject::with_agent("echo \"agent $$\"; echo FORKHESTRA_COMPLETE");
    project.agent("last", r#"echo "last $$"; read go < "$PLACE/gate""#);
    project.gate("gate");
    let run = start_asking(&project, &["./agent -> ? -> ./last"]);
    let id = project.run_id();
    let clients: Vec<GuardedRun<'_>> = (0..20)
        .map(|number| project.start(&[if number % 2 == 0 { "approve" } else { "deny" }, &id]))
        .collect();
    let mut outputs: Vec<_> = clients.into_iter().map(GuardedRun::ended).collect();
    let accepted = outputs.extract_if(.., |output| output.code == Some(0)).collect::<Vec<_>>();
    let [accepted] = accepted.as_slice() else { panic!("not one answer: {accepted:?}") };
    let is_approved = accepted.stdout.ends_with(" is approved\n");
    for output in &outputs {
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{output}");
        let word = if is_approved { "approved" } else { "denied" };
        let over = format!("error: run {id} is over");
        let is_said = output.stderr.contains(&format!("was already {word}\n"))
            || output.stderr.contains(&format!(" was already {word} by a person\n"))
            || (!is_approved
                && (output.stderr.starts_with(&over) || output.stderr.contains(" is ending")));
        assert!(is_said, "{output}");
    }
    assert_eq!(answers(&project).len(), 1);
    if is_approved {
        project.open_gate("gate");
    }
    assert_eq!(run.ended().code, Some(if is_approved { 0 } else { 1 }));
}

#[test]
fn yes_answers_every_question() {
    let project = project();
    let output = project.run(&["? -> ./agent -> ?", "--yes"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(answers(&project), ["1 approved by option", "2 approved by option"]);
}

#[test]
fn a_question_is_answered_in_the_background() {
    let project = project();
    let output = project.run(&[&["--detach"], CHAIN].concat());
    assert_eq!(output.code, Some(0), "{output}");
    project.wait_until_asked(1, 1);
    project.run(&["approve"]).success();
    project.wait_until_empty();
    assert_eq!(project.events_of("run_finished")[0]["end"]["kind"], "complete");
}
