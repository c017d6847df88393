//! Questions whose timeout expires.

use super::support::{answers, project, start_asking};
use crate::killing::kill_both;

/// A chain whose question is answered by itself.
fn config(timeout: &str, on_timeout: &str) -> String {
    format!(
        r#"{{ "chains": {{ "night": {{ "steps": [
             {{ "agent": "./agent" }},
             {{ "ask": "Is it right?", "timeout": "{timeout}"{on_timeout} }},
             {{ "agent": "./agent" }} ] }} }} }}"#
    )
}

#[test]
fn an_unanswered_question_is_denied_unless_the_config_says_otherwise() {
    for (on_timeout, code, answer) in [
        ("", 1, "1 denied by timeout"),
        (r#", "onTimeout": "deny""#, 1, "1 denied by timeout"),
        (r#", "onTimeout": "approve""#, 0, "1 approved by timeout"),
    ] {
        let project = project();
        project.config(&config("1s", on_timeout));
        let output = project.run(&["--chain", "night"]);
        assert_eq!(output.code, Some(code), "{output}");
        assert_eq!(answers(&project), [answer]);
        // The clock of the run was paused meanwhile.
        let elapsed = |kind| project.events_of(kind)[0]["elapsedMs"].as_u64().expect("a number");
        assert!(elapsed("answered") < elapsed("asked") + 1000, "{:?}", project.events());
    }
}

/// The timeout runs while no process works on the run.
#[test]
fn the_time_of_a_question_survives_a_kill() {
    for (on_timeout, code, answer) in [
        ("", 1, "1 denied by timeout"),
        (r#", "onTimeout": "approve""#, 0, "1 approved by timeout"),
    ] {
        let project = project();
        project.config(&config("3s", on_timeout));
        let run = start_asking(&project, &["--chain", "night"]);
        kill_both(&run);
        drop(run);
        let output = project.run(&["resume"]);
        assert_eq!(output.code, Some(code), "{output}");
        assert_eq!(answers(&project), [answer]);
        let asked = project.events_of("asked");
        assert!(asked.iter().all(|event| event["until"] == asked[0]["until"]), "{asked:?}");
    }
}

#[test]
fn a_question_denied_by_its_timeout_is_asked_again_with_new_time() {
    let project = project();
    project.config(&config("1s", ""));
    assert_eq!(project.run(&["--chain", "night"]).code, Some(1));
    let output = project.run(&["resume", "--approve"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(answers(&project), ["1 denied by timeout", "2 approved by person"]);
}
