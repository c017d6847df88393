//! A person who decides about rounds.

use super::support::{answers, given, project, start_asking};

#[test]
fn a_denial_sends_the_work_back_with_its_reason() {
    let project = project();
    let run = start_asking(&project, &["(./agent:2 -> ?):4", "-p", "Plan."]);
    project.run(&["deny", "Too long."]).success();
    project.wait_until_asked(2, 1);
    let reason = "A person did not accept the work of round 1:\n\n  | Too long.\n";
    assert_eq!(given(&project, "feedback", "1.1"), "");
    assert_eq!(given(&project, "feedback", "1.2"), reason);
    let prompt = given(&project, "prompt", "1.2");
    assert!(prompt.contains(reason) && prompt.ends_with("Plan."), "{prompt}");
    project.run(&["deny", "--question", "2"]).success();
    project.wait_until_asked(3, 1);
    let reason = "A person did not accept the work of round 2.\n";
    assert_eq!(given(&project, "feedback", "1.3"), reason);
    project.run(&["approve", "--question", "3"]).success();
    assert_eq!(run.ended().code, Some(0));
    let expected = ["1 denied by person", "2 denied by person", "3 approved by person"];
    assert_eq!(answers(&project), expected);
}

#[test]
fn used_up_rounds_end_the_run_and_more_of_them_ask_again() {
    let project = project();
    let run = start_asking(&project, &["(./agent:2 -> ?):1 -> ./agent"]);
    let id = project.run_id();
    project.run(&["deny", "No."]).success();
    assert_eq!(run.ended().code, Some(1));
    assert_eq!(project.events_of("run_finished")[0]["end"]["reason"], "max_rounds");
    let message = project.run(&["resume", "--approve", "--rounds", "2"]).failure(2);
    let expected = format!(
        "error: `--approve` and `--rounds` cannot be combined: another round of run {id} asks again\n"
    );
    assert!(message.starts_with(&expected), "{message}");
    let resumed = project.start(&["resume", "--rounds", "2"]);
    project.wait_until_asked(2, 1);
    assert!(given(&project, "feedback", "1.2").contains("  | No.\n"));
    project.run(&["approve", "--question", "2"]).success();
    assert_eq!(resumed.ended().code, Some(0));
    assert_eq!(project.started(), ["1.1", "1.2", "3.1"]);
}

#[test]
fn a_question_that_was_denied_in_the_last_round_can_be_approved() {
    let project = project();
    let run = start_asking(&project, &["(./agent:2 -> ?):1 -> ./agent"]);
    project.run(&["deny", "No."]).success();
    assert_eq!(run.ended().code, Some(1));
    let resumed = project.run(&["resume", "--approve", "On reflection, yes."]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert_eq!(project.started(), ["1.1", "3.1"], "no other round is paid for");
    assert_eq!(answers(&project), ["1 denied by person", "2 approved by person"]);
    let shown = project.run(&["show"]).success();
    for report in [&resumed.stdout, &shown] {
        assert!(report.contains("round 1 of 1 of steps 1 and 2, accepted\n"), "{report}");
        assert!(!report.contains("round 1 was refused"), "{report}");
    }
}

#[test]
fn a_denial_leads_to_the_alternative_with_its_reason() {
    let project = project();
    let run = start_asking(&project, &["? else ./agent"]);
    project.run(&["deny", "Do it alone."]).success();
    assert_eq!(run.ended().code, Some(0));
    let feedback = given(&project, "feedback", "2.1");
    assert!(feedback.contains("  | Do it alone.\n"), "{feedback}");
}

#[test]
fn a_skipped_question_counts_as_behind_and_a_skipped_group_is_left() {
    for (words, started) in
        [(vec!["skip"], vec!["1.1", "3.1", "4.1"]), (vec!["skip", "--group"], vec!["1.1", "4.1"])]
    {
        let project = project();
        let run = start_asking(&project, &["(./agent:2 -> ? -> ./agent):3 -> ./agent"]);
        project.run(&words).success();
        let output = run.ended();
        assert_eq!(output.code, Some(0), "{output}");
        assert_eq!(project.started(), started);
        assert!(answers(&project).is_empty());
    }
}

#[test]
fn a_group_is_skipped_only_by_a_step_in_it() {
    let project = project();
    let run = start_asking(&project, &["? -> (./agent:2 -> ./agent):3"]);
    let id = project.run_id();
    let message = project.run(&["skip", "--group"]).failure(2);
    let expected = format!("error: the current step of run {id} is in no repeated group\n");
    assert_eq!(message, expected);
    project.run(&["approve"]).success();
    assert_eq!(run.ended().code, Some(0));
}
