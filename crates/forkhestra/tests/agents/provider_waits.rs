//! Waits for usage limits of an account use up no iteration.

use rustix::process::Signal;
use serde_json::Value;
use testkit::WebhookReceiver;

use crate::scripted_stream::{ScriptedStream, in_seconds};
use crate::support::AgentProject;

pub(crate) fn limited(seconds: i64) -> AgentProject {
    limited_until(in_seconds(seconds))
}

fn limited_until(reset: i64) -> AgentProject {
    let limit = ScriptedStream::new().reaches_usage_limit(reset);
    AgentProject::new(&[limit]).exits(1, 1)
}

#[test]
fn a_run_and_its_resume_wait_for_the_usage_limit() {
    let project = limited(7200);
    let run = project.start(&["worker:5"]);
    run.wait_for("waiting until");
    for args in [&["show"][..], &["show", "-v"]] {
        let shown = project.run(args).success();
        assert!(shown.contains("  waiting (0/1 steps): step 1, worker"), "{shown}");
        let until = shown.lines().find(|line| line.contains("for the usage limit until 20"));
        assert!(until.is_some_and(|line| line.ends_with(" UTC")), "{shown}");
    }
    let listed = project.run(&["runs"]).success();
    assert!(listed.contains("  waiting  "), "{listed}");
    run.signal(Signal::INT);
    let (output, code) = run.ended();
    assert_eq!(code, Some(130), "{output}");
    assert!(!output.contains("ending agents"), "{output}");
    assert_eq!(project.started(), ["1"]);
    let waits = project.all("waiting");
    assert_eq!(waits[0]["why"], "usage_limit");

    let run = project.start(&["resume"]);
    run.wait_for("waiting until");
    run.signal(Signal::TERM);
    let (output, code) = run.ended();
    assert_eq!(code, Some(143), "{output}");
    assert_eq!(project.started(), ["1"], "nothing is tried before the limit is reset");
    let finished = project.all("iteration_finished");
    assert_eq!(finished[0]["verdict"]["kind"], "postponed");
}

#[test]
fn a_notification_names_the_end_of_the_wait() {
    let project = limited(7200);
    let receiver = WebhookReceiver::responding_with([]);
    let mut command = project.command(&["worker:5", "--notify", "webhook"]);
    command.env("FORKHESTRA_WEBHOOK_URL", receiver.url("/x"));
    let run = project.start_command(command);
    let notifications = receiver.wait_for(1);
    let notifications: Value = serde_json::from_str(&notifications[0].body).expect("it is JSON");
    run.signal(Signal::INT);
    assert_eq!(run.ended().1, Some(130));
    assert_eq!(receiver.received().len(), 1, "Ctrl-C sends no notification");
    assert_eq!((&notifications["kind"], &notifications["end"]), (&"limit".into(), &Value::Null));
    let until = notifications["waitsUntil"].as_str().expect("a moment").to_owned();
    let minute = until.replace('T', " ")[..16].to_owned();
    let text = notifications["text"].as_str().expect("a text");
    let expected = format!("Step 1, worker, waits for the usage limit until {minute} UTC\nRun ");
    assert!(text.starts_with(&expected), "{text}");
    let waiting = &project.all("waiting")[0]["until"];
    assert!(until.as_str() <= waiting.as_str().expect("a moment"), "{until} {waiting}");
}

#[test]
fn a_reset_beyond_the_maximum_wait_ends_the_run_and_a_longer_maximum_resumes_it() {
    let project = limited(7200);
    let output = project.run(&["worker:5", "--max-wait", "1h"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.all("step_finished")[0]["reason"], "usage_limit");
    assert!(output.stdout.contains(", later than --max-wait 1h allows (usage_limit)"), "{output}");
    let shown = project.run(&["show", "-v"]).success();
    assert!(shown.contains(", later than --max-wait 1h allows"), "{shown}");

    let run = project.start(&["resume", "--max-wait", "3h"]);
    run.wait_for("waiting until");
    run.signal(Signal::INT);
    assert_eq!(run.ended().1, Some(130));
    assert_eq!(project.started(), ["1"]);
}

#[test]
fn a_run_killed_during_a_wait_continues_the_wait() {
    let project = limited(7200);
    let mut run = project.start(&["worker:5"]);
    run.wait_for("waiting until");
    run.kill();
    drop(run);
    let run = project.start(&["resume"]);
    run.wait_for("waiting until");
    run.signal(Signal::INT);
    assert_eq!(run.ended().1, Some(130));
    assert_eq!(project.started(), ["1"]);
}

#[test]
fn work_continues_when_the_limit_is_reset() {
    let limit = ScriptedStream::new().reaches_usage_limit(in_seconds(-5));
    let done = ScriptedStream::new()
        .runs("make", "ok")
        .model_message("FORKHESTRA_COMPLETE")
        .succeeds(0.01);
    let project = AgentProject::new(&[limit]).exits(1, 1);
    project.put("stream.last", &done.text());
    let run = project.start(&["worker:2"]);
    run.wait_for("waiting until");
    // The same iteration is retried and now succeeds.
    project.put("stream.1", &done.text()).put("exit.1", "0");
    let (output, code) = run.ended();
    assert_eq!(code, Some(0), "{output}");
    assert_eq!(project.started(), ["1", "1"]);
}

#[test]
fn every_report_names_the_time_of_the_next_attempt() {
    // The next attempt starts a little after the reset, here in the next minute.
    let reset = in_seconds(7200) / 60 * 60 + 45;
    let project = limited_until(reset);
    let run = project.start(&["worker:5"]);
    run.wait_for("waiting until");
    let until = project.all("waiting")[0]["until"].as_str().expect("a moment").to_owned();
    assert!(until[16..].starts_with(":15"), "{until}");
    let minute = format!("until {} UTC", &until[..16].replace('T', " "));
    let [page, details] = [&["show"][..], &["show", "-v"]].map(|args| project.run(args).success());
    run.signal(Signal::INT);
    let (output, code) = run.ended();
    assert_eq!(code, Some(130), "{output}");
    for text in [output, page, details] {
        assert!(text.contains(&minute), "{minute} in:\n{text}");
    }
}
