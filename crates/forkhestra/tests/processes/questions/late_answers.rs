//! Answers that were meant for an earlier question.

use super::support::{answers, given, project, start_asking};

#[test]
fn a_late_answer_does_not_answer_the_next_question() {
    let project = project();
    let run = start_asking(&project, &["(./agent:2 -> ?):3", "-p", "Plan."]);
    let id = project.run_id();
    project.run(&["deny", &id, "redo"]).success();
    project.wait_until_asked(2, 1);
    given(&project, "feedback", "1.2");
    let asks = "hint: it asks question 2 now: Step 2 asks for approval\n";
    let command = format!("hint: to approve that: forkhestra approve {id} --question 2\n");
    for (words, expected) in [
        (
            &["approve", &id, "--question", "1"][..],
            format!("error: question 1 of run {id} was already denied by a person\n"),
        ),
        (&["approve", &id], format!("error: run {id} has asked before: name its question\n")),
        (&["approve"], format!("error: run {id} has asked before: name its question\n")),
        (&["approve", "--question", "7"], format!("error: run {id} has not asked question 7\n")),
    ] {
        let message = project.run(words).failure(2);
        // An id without digits could be a comment, and another hint says so.
        assert!(message.starts_with(&format!("{expected}{asks}{command}")), "{words:?}: {message}");
    }
    let message = project.run(&["deny", "It's late."]).failure(2);
    let command = format!("forkhestra deny {id} --question 2 'It'\\''s late.'\n");
    assert!(message.ends_with(&format!("hint: to deny that: {command}")), "{message}");
    assert_eq!(answers(&project), ["1 denied by person"]);
    let output = project.run(&["approve", &id, "--question", "2", "Now."]);
    assert_eq!(output.success(), format!("Step 2 of run {id} is approved\n"));
    assert_eq!(run.ended().code, Some(0));
    assert_eq!(answers(&project), ["1 denied by person", "2 approved by person"]);
}

#[test]
fn the_first_question_may_be_named_or_not() {
    for words in [&["approve"][..], &["approve", "--question", "1"]] {
        let project = project();
        let run = start_asking(&project, &["./agent -> ?"]);
        project.run(words).success();
        assert_eq!(run.ended().code, Some(0));
        let message = project.run(&["approve", &project.run_id(), "--question", "1"]).failure(2);
        assert!(message.contains(" is over: complete\n"), "{message}");
    }
}

#[test]
fn a_question_number_is_a_positive_number() {
    let project = project();
    for number in ["0", "x", "-1", ""] {
        let message = project.run(&["approve", "--question", number]).failure(2);
        assert!(message.starts_with("error: ") && message.contains("--question"), "{message}");
    }
}
