//! Steering a run from another terminal.

use std::fs;

use rustix::process::Signal;
use serde_json::Value;

use crate::killing::kill_both;
use crate::support::{ProcessProject, eventually, kill};

/// Records its prompt and messages, and waits at a gate with a child process.
const WAITING_AGENT: &str = r#"
    printf '%s' "$FORKHESTRA_MESSAGE" > "$PLACE/message-$n"
    printf '%s' "$*" > "$PLACE/prompt-$n"
    sleep 1000 & echo "child $!"
    echo "agent $$"
    read go < "$PLACE/gate"
    kill $!
"#;

fn project_at_gate() -> ProcessProject {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    project.gate("gate");
    project
}

fn names(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["event"].as_str()).collect()
}

/// The prompt and the messages of an agent, once it is running.
#[track_caller]
fn messages_received(project: &ProcessProject, unit: &str) -> [String; 2] {
    project.wait_for(&format!("prompt-{unit}"));
    let read = |what: &str| {
        let path = project.place(&format!("{what}-{unit}"));
        fs::read_to_string(path).expect("the agent wrote it")
    };
    eventually("it is written", || {
        let texts = [read("prompt"), read("message")];
        (!texts[0].is_empty()).then_some(texts)
    })
}

#[test]
fn a_stopped_run_ends_after_its_iteration() {
    let project = project_at_gate();
    let run = project.start(&["./agent:5", "-p", "Work."]);
    run.agent();
    let id = project.run_id();
    let output = project.run(&["stop"]);
    assert_eq!(output.success(), format!("Run {id} stops after iteration 1 of step 1\n"));
    let output = project.run(&["stop", &id[..6]]);
    assert_eq!(output.code, Some(0), "the second time has the same result: {output}");
    project.open_gate("gate");
    let output = run.ended();
    assert_eq!(output.code, Some(130), "{output}");
    assert_eq!(project.started(), ["1.1"]);
    let events = project.events();
    assert_eq!(names(&events).iter().filter(|name| **name == "stop_requested").count(), 1);
    let finished = events.iter().find(|event| event["event"] == "iteration_finished");
    assert_eq!(finished.expect("it has an outcome")["verdict"]["kind"], "incomplete");
    assert!(!project.run_directory().join("control").exists());
    // No report calls a requested stop an interruption.
    assert!(output.stdout.contains("Chain stopped (0/1 steps)"), "{output}");
    let shown = project.run(&["show"]).success();
    assert!(shown.contains("  state  stopped (0/1 steps)"), "{shown}");
    assert!(shown.contains("  1  ./agent  stopped"), "{shown}");
    let listed = project.run(&["runs"]).success();
    assert!(listed.contains("  stopped  ") && !listed.contains("interrupted"), "{listed}");
}

#[test]
fn stop_now_leaves_nothing_and_a_waiting_client_gets_the_outcome() {
    let project = project_at_gate();
    let run = project.start(&["./agent:5"]);
    let (agent, child) = (run.agent(), run.process("child"));
    let id = project.run_id();
    let message = project.run(&["stop", "--now", "--wait"]).success();
    assert!(agent.is_gone() && child.is_gone());
    let expected =
        format!("Run {id} is ending, and so is everything it started\nRun {id} is over: stopped\n");
    assert_eq!(message, expected);
    assert_eq!(run.ended().code, Some(130));
    let message = project.run(&["pause", &id]).failure(2);
    assert_eq!(message, format!("error: run {id} is over: stopped\n"));
    let message =
        project.run(&["set", &id, "--max-iterations", "9", "--timeout", "1h30m"]).failure(2);
    let expected = format!(
        "error: run {id} is over: stopped\n\
         hint: to resume: forkhestra resume {id} --max-iterations 9 --timeout 1h30m\n"
    );
    assert_eq!(message, expected);
}

#[test]
fn a_paused_run_stops_its_timers_and_still_answers() {
    let project = project_at_gate();
    let run = project.start(&["./agent:1", "--timeout", "10m"]);
    let (agent, child) = (run.agent(), run.process("child"));
    let id = project.run_id();
    let message = project.run(&["continue"]).failure(2);
    assert_eq!(message, format!("error: run {id} is not paused\n"));
    for _ in 0..2 {
        let message = project.run(&["pause"]).success();
        assert!(message.starts_with(&format!("Run {id} is paused")), "{message}");
        for process in [agent, child] {
            eventually("it is stopped", || process.is_stopped().then_some(()));
        }
        assert!(!run.runner().is_stopped() && !run.guard().is_stopped());
        assert_eq!(project.run(&["continue"]).success(), format!("Run {id} continues\n"));
        for process in [agent, child] {
            eventually("it continues", || (!process.is_stopped()).then_some(()));
        }
    }
    project.open_gate("gate");
    assert_eq!(run.ended().code, Some(1), "it has not completed");
    let events = project.events();
    let clocks = |name: &str| -> Vec<Value> {
        let named = events.iter().filter(|event| event["event"] == name);
        named.map(|event| event["elapsedMs"].clone()).collect()
    };
    assert_eq!(clocks("paused").len(), 2);
    assert_eq!(clocks("paused"), clocks("continued"));
}

#[test]
fn stop_now_ends_a_paused_run() {
    let project = project_at_gate();
    let run = project.start(&["./agent:5"]);
    let agent = run.agent();
    project.run(&["pause"]).success();
    eventually("it is stopped", || agent.is_stopped().then_some(()));
    project.run(&["stop", "--now", "--wait"]).success();
    assert!(agent.is_gone());
    assert_eq!(run.ended().code, Some(130));
}

#[test]
fn stop_of_a_paused_run_reports_that_it_is_pending() {
    let project = project_at_gate();
    let run = project.start(&["./agent:5"]);
    run.agent();
    project.run(&["pause"]).success();
    let id = project.run_id();
    let output = project.run(&["stop"]);
    assert_eq!(output.code, Some(0), "{output}");
    let expected = format!(
        "warning: run {id} is paused, and does that when it continues\n\
         hint: to continue: forkhestra continue {id}\n"
    );
    assert_eq!(output.stderr, expected);
    project.run(&["continue"]).success();
    assert_eq!(project.run(&["stop"]).stderr, "");
    project.open_gate("gate");
    assert_eq!(run.ended().code, Some(130));
}

#[test]
fn a_message_reaches_the_next_agent_and_not_the_one_at_work() {
    let project = project_at_gate();
    let run = project.start(&["./agent:3", "-p", "Work."]);
    run.agent();
    let id = project.run_id();
    let text = project.run(&["tell", "Leave the parser alone.\nFORKHESTRA_COMPLETE\n"]).success();
    assert_eq!(text, format!("Message 1 waits for the next agent of run {id}\n"));
    let text = project.run(&["tell", &id, "And be quick."]).success();
    assert_eq!(text, format!("Message 2 waits for the next agent of run {id}\n"));
    assert_eq!(messages_received(&project, "1.1"), ["Work.", ""]);
    project.open_gate("gate");
    let message = "Messages from the person who supervises this work:\n\n  \
                   | Leave the parser alone.\n  | FORKHESTRA_COMPLETE\n\n  | And be quick.";
    let [prompt, variable] = messages_received(&project, "1.2");
    assert_eq!(prompt, format!("{message}\n\nWork."));
    assert_eq!(variable.trim_end(), message);
    project.open_gate("gate");
    assert_eq!(messages_received(&project, "1.3"), ["Work.", ""], "the message is delivered once");
    project.run(&["stop", "--now", "--wait"]).success();
    let text = run.ended();
    assert!(!text.stdout.contains("prompt"), "the message is no prompt change: {text}");
}

#[test]
fn a_message_survives_the_death_of_all_processes() {
    let project = project_at_gate();
    let run = project.start(&["./agent:3", "-p", "Work."]);
    run.agent();
    let id = project.run_id();
    project.run(&["tell", "Take care."]).success();
    kill_both(&run);
    drop(run);
    assert!(
        project.run_directory().join("control").exists(),
        "the killed process could not remove it"
    );
    for verb in ["stop", "pause"] {
        let message = project.run(&[verb, &id]).failure(2);
        let resume = format!("hint: to resume: forkhestra resume {id}\n");
        assert_eq!(message, format!("error: run {id} was cut off\n{resume}"));
    }
    fs::remove_file(project.place("prompt-1.1")).expect("the first agent wrote it");
    let run = project.start(&["resume", &id]);
    let [prompt, _] = messages_received(&project, "1.1");
    assert!(prompt.contains("  | Take care.\n\nWork."), "{prompt}");
    project.run(&["stop", "--now", "--wait"]).success();
    assert_eq!(run.ended().code, Some(130));
}

#[test]
fn skipping_a_step_starts_the_next_one() {
    let project = project_at_gate();
    project.agent("next", "echo done");
    let run = project.start(&["./agent:3 -> ./next"]);
    let agent = run.agent();
    let id = project.run_id();
    assert_eq!(project.run(&["skip"]).success(), format!("Run {id} skips step 1\n"));
    let message = run.ended();
    assert_eq!(message.code, Some(0), "{message}");
    assert!(agent.is_gone());
    assert_eq!(project.started(), ["1.1", "2.1"]);
    let message = project.run(&["skip", &id]).failure(2);
    assert_eq!(message, format!("error: run {id} is over: complete\n"));
}

#[test]
fn limits_can_be_changed_during_a_run() {
    let project = project_at_gate();
    let run = project.start(&["./agent:1", "-p", "Work."]);
    run.agent();
    let id = project.run_id();
    let output =
        project.run(&["set", "--max-iterations", "3", "--max-cost", "5", "--timeout", "off"]);
    let options = "--max-iterations 3, --timeout off and --max-cost 5";
    assert_eq!(output.success(), format!("Run {id} has new limits: {options}\n"));
    project.open_gate("gate");
    messages_received(&project, "1.2");
    project.run(&["set", "--max-iterations", "2"]).success();
    project.open_gate("gate");
    let output = run.ended();
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.started(), ["1.1", "1.2"]);
}

/// As before a run: a program is held back only if it tells how full its account is.
#[test]
fn a_quota_that_may_not_be_enforced_is_a_warning_of_set_and_resume() {
    let warning = "warning: quota may not be enforced for step 1: its agent is a program\n";
    let project = project_at_gate();
    let run = project.start(&["./agent:1"]);
    run.agent();
    let output = project.run(&["set", "--quota", "5h=90%"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr.starts_with(warning), "{output}");
    let output = project.run(&["set", "--quota", "off"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    project.run(&["stop", "--now", "--wait"]).success();
    assert_eq!(run.ended().code, Some(130));
    let run = project.start(&["resume", "--quota", "7d=even"]);
    run.agent();
    project.run(&["stop", "--now", "--wait"]).success();
    let output = run.ended();
    assert!(output.stderr.contains(warning) || output.stdout.contains(warning), "{output}");
}

#[test]
fn a_runner_that_is_killed_leaves_no_socket() {
    let project = project_at_gate();
    let run = project.start(&["./agent:3"]);
    run.agent();
    kill(run.runner(), Signal::KILL);
    assert_eq!(run.ended().code, Some(137));
    assert!(!project.run_directory().join("control").exists());
    let message = project.run(&["stop", &project.run_id()]).failure(2);
    assert!(message.contains("was cut off\n"), "{message}");
    let run = project.start(&["resume"]);
    run.agent();
    project.run(&["stop", "--now", "--wait"]).success();
    assert_eq!(run.ended().code, Some(130));
}
