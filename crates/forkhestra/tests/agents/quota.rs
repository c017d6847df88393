//! No agent is started while a window of its account is fuller than `--quota` allows.

use rustix::process::Signal;
use serde_json::Value;
use testkit::WebhookReceiver;

use crate::scripted_stream::ScriptedStream;
use crate::support::AgentProject;

const HOUR: i64 = 3600;

/// A first agent that works and reports these shares of its windows, and one that completes.
fn reporting(five_hours: (f64, i64), seven_days: (f64, i64)) -> AgentProject {
    let first = ScriptedStream::paid_by("none")
        .model_message("More is to be done.")
        .reports_quota(five_hours, seven_days)
        .reports_quota(five_hours, seven_days)
        .succeeds(0.01);
    let second = ScriptedStream::paid_by("none")
        .runs("true", "")
        .model_message("FORKHESTRA_COMPLETE")
        .succeeds(0.01);
    AgentProject::new(&[first, second])
}

fn readings(project: &AgentProject) -> Vec<(String, u64)> {
    let reading = |event: Value| {
        assert_eq!(event["backend"], "claude");
        let window = event["window"].as_str().expect("a window").to_owned();
        (window, event["used"].as_u64().expect("a number"))
    };
    project.all("quota").into_iter().map(reading).collect()
}

#[test]
fn a_run_and_its_resume_wait_for_the_quota() {
    let project = reporting((0.62, 2 * HOUR), (0.41, 90 * HOUR));
    let run = project.start(&["worker:5", "--quota", "5h=50%,7d=80%"]);
    run.wait_for("waiting until");
    for args in [&["show"][..], &["show", "-v"]] {
        let shown = project.run(args).success();
        assert!(shown.contains("  waiting (0/1 steps): step 1, worker"), "{shown}");
        assert!(shown.contains("for the account's quota until 20"), "{shown}");
        assert!(shown.contains("5h 62 % · 7d 41 % (Claude Code)"), "{shown}");
    }
    assert!(project.run(&["runs"]).success().contains("  waiting  "));
    for (args, path) in [(["show", "--json"], ""), (["runs", "--json"], "/0")] {
        let json: Value = serde_json::from_str(&project.run(&args).success()).expect("it is JSON");
        let run = json.pointer(path).expect("there is one");
        assert_eq!(run["waitingFor"], "quota", "{run}");
        assert!(run["waitingUntil"].as_str().is_some_and(|until| until.ends_with('Z')), "{run}");
    }
    run.signal(Signal::INT);
    let (output, code) = run.ended();
    assert_eq!(code, Some(130), "{output}");
    let why = "worker is not started, because 62 % of the account's 5h window is used, more than \
               --quota 5h=50% allows: waiting until 20";
    assert!(output.contains(why), "{output}");
    assert_eq!(readings(&project), [("5h".to_owned(), 62), ("7d".to_owned(), 41)]);
    assert_eq!(project.all("waiting")[0]["why"], "quota");

    let run = project.start(&["resume"]);
    run.wait_for("waiting until");
    run.signal(Signal::TERM);
    assert_eq!(run.ended().1, Some(143));
    assert_eq!(project.started(), ["1"], "nothing is started before the window ends");

    let output = project.run(&["resume", "--quota", "5h=70%"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(project.started(), ["1", "2"]);
}

#[test]
fn an_active_run_gets_another_quota() {
    let project = reporting((0.62, 2 * HOUR), (0.41, 90 * HOUR));
    let run = project.start(&["worker:5", "--quota", "5h=50%"]);
    run.wait_for("waiting until");
    project.run(&["set", "--quota", "5h=60%,7d=even"]).success();
    assert_eq!(project.started(), ["1"], "that is not enough");
    project.run(&["set", "--quota", "off"]).success();
    let (output, code) = run.ended();
    assert_eq!(code, Some(0), "{output}");
    assert!(output.contains("--quota"), "{output}");
    let changes = project.all("limits_changed");
    assert_eq!(changes[0]["changes"]["quota"], serde_json::json!({ "5h": "60%", "7d": "even" }));
    assert_eq!(changes[1]["changes"]["quota"], Value::Null);
}

#[test]
fn a_wait_that_is_too_long_ends_the_run_and_a_higher_quota_resumes_it() {
    let project = reporting((0.62, 2 * HOUR), (0.91, 90 * HOUR));
    let output = project.run(&["worker:5", "--quota", "7d=90%"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.all("step_finished")[0]["reason"], "quota");
    let why = "91 % of the account's 7d window is used, more than --quota 7d=90% allows before 20";
    assert!(output.stdout.contains(why), "{output}");
    assert!(output.stdout.contains(", later than --max-wait 6h allows (quota)"), "{output}");
    assert!(output.stdout.contains(" --quota 7d=100%\n"), "{output}");
    let shown = project.run(&["show", "--why"]).success();
    let crossed = "--quota 7d=90%: 91 % of the account's 7d window is used, too much until 20";
    assert!(shown.contains(crossed), "{shown}");
    let output = project.run(&["resume"]);
    assert_eq!((output.code, project.started()), (Some(1), vec!["1".to_owned()]), "{output}");
    let output = project.run(&["resume", "--quota", "7d=100%"]);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn a_window_that_has_ended_or_is_not_full_holds_no_agent_back() {
    for (five_hours, quota) in
        [((0.99, -5), "5h=1%"), ((0.5, HOUR), "5h=50%"), ((1.0, HOUR), "5h=even")]
    {
        let project = reporting(five_hours, (0.01, 160 * HOUR));
        let output = project.run(&["worker:5", "--quota", quota]);
        assert_eq!(output.code, Some(0), "{quota}: {output}");
        assert_eq!(project.all("waiting").len(), 0, "{quota}: {output}");
    }
}

#[test]
fn an_agent_that_reports_nothing_is_not_delayed() {
    let project = AgentProject::new(&[ScriptedStream::new().model_message("More.").succeeds(0.01)]);
    let output = project.run(&["worker:2", "--quota", "5h=1%,7d=1%"]);
    assert_eq!((output.code, project.started().len()), (Some(1), 2), "{output}");
    assert_eq!(readings(&project), []);
}

#[test]
fn a_notification_names_the_quota() {
    let project = reporting((0.62, 2 * HOUR), (0.41, 90 * HOUR));
    let receiver = WebhookReceiver::responding_with([]);
    let mut command = project.command(&["worker:5", "--quota", "5h=50%", "--notify", "webhook"]);
    command.env("FORKHESTRA_WEBHOOK_URL", receiver.url("/x"));
    let run = project.start_command(command);
    let notifications = receiver.wait_for(1);
    let notification: Value = serde_json::from_str(&notifications[0].body).expect("it is JSON");
    run.signal(Signal::INT);
    assert_eq!(run.ended().1, Some(130));
    assert_eq!(notification["kind"], "limit");
    let text = notification["text"].as_str().expect("a text");
    assert!(text.starts_with("Step 1, worker, waits for the account's quota until 20"), "{text}");
}

#[test]
fn the_output_of_a_program_reports_its_account() {
    let project = reporting((0.62, 2 * HOUR), (0.41, 90 * HOUR));
    project.env.agent("wrapper", "exec claude < /dev/null");
    let run = project.start(&["wrapper:5", "--quota", "5h=50%"]);
    run.wait_for("waiting until");
    run.signal(Signal::INT);
    let (output, code) = run.ended();
    assert_eq!((code, project.started()), (Some(130), vec!["1".to_owned()]), "{output}");
    let warning = "quota may not be enforced for step 1: its agent is a program";
    assert!(output.contains(warning), "{output}");
}
