//! A run that is killed while it asks: the question stays open, and its answer is used once.

use rustix::process::Signal;

use super::support::{CHAIN, NOTING_AGENT, answers, given, project, start_asking};
use crate::killing::kill_both;
use crate::support::{ProcessProject, kill};

#[test]
fn a_resume_asks_an_open_question_again_and_never_approves_it() {
    let project = project();
    let run = start_asking(&project, CHAIN);
    let id = project.run_id();
    kill_both(&run);
    drop(run);
    for verb in ["approve", "deny"] {
        let message = project.run(&[verb, &id, "Use tabs."]).failure(2);
        let hint = format!(
            "hint: to resume it with this answer: forkhestra resume {id} --{verb} 'Use tabs.'\n"
        );
        assert_eq!(message, format!("error: run {id} was cut off\n{hint}"));
    }
    for times in [2, 3] {
        let resumed = project.start(&["resume"]);
        project.wait_until_asked(1, times);
        kill_both(&resumed);
        drop(resumed);
    }
    assert!(answers(&project).is_empty());
    assert_eq!(project.started(), ["1.1"], "nothing ran, and nothing was paid again");
    let resumed = project.start(&["resume"]);
    project.wait_until_asked(1, 4);
    project.run(&["approve"]).success();
    assert_eq!(resumed.ended().code, Some(0));
    assert_eq!(answers(&project), ["1 approved by person"]);
    assert_eq!(project.started(), ["1.1", "3.1"]);
}

#[test]
fn the_answer_of_a_resume_is_used_once() {
    let project = project();
    let run = start_asking(&project, &["./agent -> ? -> ./agent -> ?"]);
    let id = project.run_id();
    kill_both(&run);
    drop(run);
    let resumed = project.start(&["resume", "--approve", "Use tabs."]);
    project.wait_until_asked(2, 1);
    assert!(given(&project, "message", "3.1").contains("  | Use tabs.\n"));
    assert_eq!(answers(&project), ["1 approved by person"]);
    kill_both(&resumed);
    drop(resumed);
    let output = project.run(&["resume", &id, "--deny", "Enough."]);
    assert_eq!(output.code, Some(1), "{output}");
    let output = project.run(&["resume", &id, "--approve"]);
    assert_eq!(output.code, Some(0), "{output}");
    let expected = ["1 approved by person", "2 denied by person", "3 approved by person"];
    assert_eq!(answers(&project), expected);
    assert_eq!(project.started(), ["1.1", "3.1"]);
    let message = project.run(&["resume", &id, "--approve"]).failure(2);
    assert_eq!(message, format!("error: run {id} has no open question\nhint: it is complete\n"));
}

#[test]
fn either_process_may_be_killed_while_a_person_is_asked() {
    for kills_guard in [false, true] {
        let project = project();
        let run = start_asking(&project, CHAIN);
        kill(if kills_guard { run.guard() } else { run.runner() }, Signal::KILL);
        let output = run.ended();
        assert_eq!(output.code, (!kills_guard).then_some(137), "{output}");
        project.wait_until_empty();
        assert!(answers(&project).is_empty());
        let output = project.run(&["resume", "--approve"]);
        assert_eq!(output.code, Some(0), "{output}");
        assert_eq!(answers(&project), ["1 approved by person"]);
        assert_eq!(project.started(), ["1.1", "3.1"]);
    }
}

/// The agent of the second round is cut off. Its next attempt is given the same reason.
#[test]
fn a_denial_and_its_reason_survive_a_kill() {
    let waiting =
        r#"[ "$FORKHESTRA_ITERATION" -lt 2 ] || { echo "agent $$"; read go < "$PLACE/gate"; }"#;
    let project = ProcessProject::with_agent(&format!("{waiting}{NOTING_AGENT}"));
    project.gate("gate");
    let run = start_asking(&project, &["(./agent:2 -> ?):3"]);
    project.run(&["deny", "Too long."]).success();
    run.agent();
    kill_both(&run);
    drop(run);
    let message = project.run(&["resume", "--approve"]).failure(2);
    assert!(message.contains(" has no open question\n"), "{message}");
    let resumed = project.start(&["resume"]);
    resumed.agent();
    project.open_gate("gate");
    project.wait_until_asked(2, 1);
    assert!(given(&project, "feedback", "1.2").contains("  | Too long.\n"));
    project.run(&["approve", "--question", "2"]).success();
    assert_eq!(resumed.ended().code, Some(0));
    assert_eq!(answers(&project), ["1 denied by person", "2 approved by person"]);
    assert_eq!(project.events_of("round_refused").len(), 1);
    assert_eq!(project.started(), ["1.1", "1.2", "1.2"]);
}
