//! Notifications, sent to a server on the loopback interface.

use std::process::Command;

use serde_json::{Value, json};
use testkit::{CommandOutput, TestEnv, WebhookReceiver, WebhookRequest, WebhookResponse};

use crate::{CONFIG, FORKHESTRA, USER_CONFIG, forkhestra, project};

/// A secret that must not appear in any output or file.
const SECRET: &str = "/hush-4711";

fn with_agent(script: &str) -> TestEnv {
    let env = TestEnv::new();
    env.agent("a", script);
    env
}

fn done() -> TestEnv {
    with_agent("echo FORKHESTRA_COMPLETE")
}

/// Runs with a service whose address is in the environment.
fn run_with_notifications(
    env: &TestEnv,
    receiver: &WebhookReceiver,
    service: &str,
    args: &[&str],
) -> CommandOutput {
    let mut command = command(env, args);
    command.args(["--notify", service]);
    command.env(format!("FORKHESTRA_{}_URL", service.to_uppercase()), receiver.url(SECRET));
    env.output_of(&mut command)
}

fn command(env: &TestEnv, args: &[&str]) -> Command {
    let mut command = env.command(FORKHESTRA);
    command.args(args);
    command
}

#[track_caller]
fn only(receiver: &WebhookReceiver) -> WebhookRequest {
    let received = receiver.received();
    let [one] = received.as_slice() else { panic!("not one request: {received:#?}") };
    one.clone()
}

#[track_caller]
fn json_of(received: &WebhookRequest) -> Value {
    assert_eq!(received.headers["content-type"], "application/json");
    serde_json::from_str(&received.body).unwrap_or_else(|error| panic!("{error}: {received:#?}"))
}

/// The content of every file of a test that is text.
fn all_files(env: &TestEnv) -> String {
    let mut text = String::new();
    let mut left = vec![env.root().to_owned()];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("the directory is ours");
            left.extend(entries.map(|entry| entry.expect("it is there").path()));
        } else {
            let bytes = std::fs::read(&path).unwrap_or_default();
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
    }
    text
}

#[test]
fn slack_gets_a_completed_run() {
    let (env, receiver) = (done(), WebhookReceiver::responding_with([]));
    let output = run_with_notifications(&env, &receiver, "slack", &["a:2"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    let received = only(&receiver);
    assert_eq!(received.line, format!("POST {SECRET}"));
    let text = json_of(&received)["text"].as_str().expect("a text").to_owned();
    let expected = "a:2 in project: complete\nChain complete (1/1 steps)\nRun ";
    assert!(text.starts_with(expected) && text.contains(", 1 iteration, "), "{text}");
}

#[test]
fn discord_message_mentions_no_user() {
    let (env, receiver) = (with_agent("exit 3"), WebhookReceiver::responding_with([]));
    let output = run_with_notifications(&env, &receiver, "discord", &["a"]);
    assert_eq!(output.code, Some(1), "{output}");
    let body = json_of(&only(&receiver));
    assert_eq!(body["allowed_mentions"], json!({ "parse": [] }));
    let text = body["content"].as_str().expect("a text");
    let expected =
        "a in project: incomplete\nChain incomplete (0/1 steps): step 1, a, failed (exit 3)\n";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn ntfy_gets_the_limit_that_ended_a_run() {
    let (env, receiver) = (with_agent(":"), WebhookReceiver::responding_with([]));
    let output = run_with_notifications(&env, &receiver, "ntfy", &["a:2"]);
    assert_eq!(output.code, Some(1), "{output}");
    let WebhookRequest { headers, body, .. } = only(&receiver);
    assert_eq!(headers["title"], "a:2 in project: stopped at a limit");
    assert_eq!((headers["priority"].as_str(), headers["tags"].as_str()), ("default", "hourglass"));
    let text = "Chain incomplete (0/1 steps): step 1, a, not complete after 2 iterations\nRun ";
    assert!(body.starts_with(text), "{body}");
}

#[test]
fn a_webhook_gets_the_whole_payload() {
    let (env, receiver) = (with_agent(":"), WebhookReceiver::responding_with([]));
    assert_eq!(run_with_notifications(&env, &receiver, "webhook", &["a:2"]).code, Some(1));
    let body = json_of(&only(&receiver));
    assert_eq!((&body["version"], &body["kind"]), (&json!("1.1"), &json!("limit")));
    assert_eq!((&body["chain"], &body["definition"]), (&json!(null), &json!("a:2")));
    assert_eq!(body["directory"], env.project().to_string_lossy().as_ref());
    assert_eq!((&body["iterations"], &body["costUsd"]), (&json!(2), &json!(null)));
    assert!(body["elapsedMs"].is_u64(), "{body}");
    let shown = forkhestra(&env, &["show", "-v", body["run"].as_str().expect("an id")]).success();
    assert!(shown.contains("not complete after 2 iterations"), "{shown}");
    let events =
        run_with_notifications(&env, &receiver, "webhook", &["a:2", "--output", "json"]).stdout;
    let last: Value = serde_json::from_str(events.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["end"], body["end"]);
}

#[test]
fn an_unavailable_server_is_retried() {
    let receiver = WebhookReceiver::responding_with([
        WebhookResponse::Status(503, None),
        WebhookResponse::Status(429, Some("retry-after: 0")),
    ]);
    let env = done();
    let output = run_with_notifications(&env, &receiver, "slack", &["a:2"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    assert_eq!(receiver.received().len(), 3);
}

#[test]
fn a_refused_notification_is_not_retried_and_does_not_change_the_run() {
    for (answer, printed) in [
        (WebhookResponse::Status(404, None), "it answered 404 Not Found"),
        (
            WebhookResponse::Status(307, Some("location: /elsewhere")),
            "it answered 307 Temporary Redirect; redirects are not followed",
        ),
    ] {
        let (env, receiver) = (done(), WebhookReceiver::responding_with([answer]));
        let output = run_with_notifications(&env, &receiver, "slack", &["a:2"]);
        assert_eq!(output.code, Some(0), "{output}");
        let host = receiver.host();
        let expected = format!("warning: slack ({host}) could not be notified: {printed}\n");
        assert_eq!(output.stderr, expected);
        assert_eq!(receiver.received().len(), 1);
    }
}

#[test]
fn only_selected_kinds_are_sent() {
    let receiver = WebhookReceiver::responding_with([]);
    let url = receiver.url(SECRET);
    let env = with_agent(":");
    let notify = json!([
        { "to": "slack", "url": url, "on": ["complete", "failure"] },
        { "to": "webhook", "url": url, "on": ["limit"] },
    ]);
    env.write(CONFIG, json!({ "chains": {}, "notify": notify }).to_string());
    let output = forkhestra(&env, &["a:2"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(1), ""), "{output}");
    assert_eq!(json_of(&only(&receiver))["kind"], "limit");
}

#[test]
fn a_flag_replaces_the_config_and_uses_its_addresses() {
    let receiver = WebhookReceiver::responding_with([]);
    let env = done();
    let entry = |to: &str| json!({ "to": to, "urlEnv": "MY_PLACE" });
    let user = json!({ "chains": {}, "notify": [entry("ntfy"), entry("slack")] });
    env.write_home(USER_CONFIG, user.to_string());
    env.write(CONFIG, json!({ "chains": {}, "notify": [entry("webhook")] }).to_string());
    let run = |args: &[&str]| {
        let mut command = command(&env, &[&["a:2"], args].concat());
        let output = env.output_of(command.env("MY_PLACE", receiver.url(SECRET)));
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
        receiver.received().len()
    };
    assert_eq!(run(&[]), 1);
    assert!(json_of(&receiver.received()[0])["kind"] == "complete", "the project's wins");
    assert_eq!(run(&["--notify", "ntfy"]), 2);
    assert!(receiver.received()[1].headers.contains_key("title"));
    assert_eq!(run(&["--notify", "none"]), 2);
}

#[test]
fn a_resumed_run_uses_the_current_notification_settings() {
    let receiver = WebhookReceiver::responding_with([]);
    let env = with_agent("test -e ready && echo FORKHESTRA_COMPLETE");
    let ended = run_with_notifications(&env, &receiver, "slack", &["a:1"]);
    assert_eq!(ended.code, Some(1), "{ended}");
    env.write("ready", "");
    let output =
        run_with_notifications(&env, &receiver, "webhook", &["resume", "--max-iterations", "2"]);
    assert_eq!(output.code, Some(0), "{output}");
    let received = receiver.received();
    assert_eq!(received.len(), 2);
    assert_eq!(json_of(&received[1])["kind"], "complete");
}

#[test]
fn an_unreadable_config_does_not_stop_a_resumed_run() {
    let env = with_agent("test -e ready && echo FORKHESTRA_COMPLETE");
    assert_eq!(forkhestra(&env, &["a:1"]).code, Some(1));
    env.write("ready", "").write(CONFIG, "{ nonsense");
    let output = forkhestra(&env, &["resume", "--max-iterations", "2"]);
    assert_eq!(output.code, Some(0), "{output}");
    insta::assert_snapshot!(output.stderr, @"
    warning: a config file cannot be used, so no notifications are sent
    hint: `forkhestra list` says what is wrong with it
    ");
}

#[test]
fn addresses_are_never_printed_or_stored() {
    let receiver = WebhookReceiver::responding_with([WebhookResponse::Status(404, None)]);
    let env = with_agent("env; echo FORKHESTRA_COMPLETE");
    let output =
        run_with_notifications(&env, &receiver, "slack", &["a:2", "--output", "json", "-v"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!format!("{output}").contains(SECRET), "{output}");
    assert_eq!(only(&receiver).line, format!("POST {SECRET}"));
    let files = all_files(&env);
    assert!(files.contains("run_finished"), "the journal was read");
    assert!(files.contains("FORKHESTRA_SLACK_URL="), "the log was read");
    assert!(!files.contains(SECRET));
}

#[test]
fn a_service_without_an_address_is_refused_before_anything_runs() {
    let env = done();
    let output = forkhestra(&env, &["a:2", "--notify", "slack", "--notify", "ntfy"]);
    insta::assert_snapshot!(output.failure(2), @"
    error: the URL of `slack` is not known: `FORKHESTRA_SLACK_URL` is not set
    hint: set it in the environment, or give `url` or `urlEnv` in the `notify` of a config file
    error: the URL of `ntfy` is not known: `FORKHESTRA_NTFY_URL` is not set
    hint: set it in the environment, or give `url` or `urlEnv` in the `notify` of a config file
    ");
    let entry = json!({ "to": "ntfy", "urlEnv": "MY_TOPIC" });
    let env = project(&json!({ "chains": {}, "notify": [entry] }).to_string());
    env.agent("a", "echo FORKHESTRA_COMPLETE");
    insta::assert_snapshot!(forkhestra(&env, &["a:2"]).failure(2), @r#"
    error: the URL of `ntfy` is not known: `MY_TOPIC` is not set
     --> forge/orch/chains.json:1:46
      |
    1 | {"chains":{},"notify":[{"to":"ntfy","urlEnv":"********"}]}
      |                                              ^^^^^^^^^^ named here
    hint: set it in the environment, or give `url` or `urlEnv` in the `notify` of a config file
    "#);
    assert_eq!(forkhestra(&env, &["runs"]).stdout, "");
}

#[test]
fn an_invalid_address_is_refused_without_being_shown() {
    let env = done();
    let mut command = command(&env, &["a:2", "--notify", "slack", "--dry-run"]);
    let output = env.output_of(command.env("FORKHESTRA_SLACK_URL", "hooks.example.com/hush"));
    insta::assert_snapshot!(output.failure(2), @"error: the URL of `slack` in `FORKHESTRA_SLACK_URL` must begin with https:// or http://");
    let notify = json!(["https://hooks.example.com/hush", { "to": "slack", "url": "hush" }]);
    let env = project(&json!({ "chains": {}, "notify": notify }).to_string());
    let refused = forkhestra(&env, &["a:2"]).failure(2);
    assert!(!refused.contains("hush"), "{refused}");
    insta::assert_snapshot!(refused, @r#"
    error: `notify[0]` must be `terminal`, `desktop`, `ntfy`, `slack`, `discord` or `webhook`, found a string
     --> forge/orch/chains.json:1:24
      |
    1 | {"chains":{},"notify":["******************************",{"to":"slack","url":"****"}]}
      |                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expected `terminal`, `desktop`, `ntfy`, `slack`, `discord` or `webhook`
    error: `notify[1].url` must begin with https:// or http://
     --> forge/orch/chains.json:1:77
      |
    1 | {"chains":{},"notify":["******************************",{"to":"slack","url":"****"}]}
      |                                                                             ^^^^^^ this value
    "#);
}

#[test]
fn no_notification_and_a_service_conflict() {
    let output = forkhestra(&done(), &["a:2", "--notify", "none", "--notify", "terminal"]);
    insta::assert_snapshot!(output.failure(2), @"
    error: `--notify none` turns notifications off, but another `--notify` asks for one
    hint: leave one of the two out
    ");
    let output = forkhestra(&done(), &["a:2", "--notify", "slak"]);
    insta::assert_snapshot!(output.failure(2), @"
    error: invalid value 'slak' for '--notify <WHERE>' [possible values: terminal, desktop, ntfy, slack, discord, webhook, none]
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn a_missing_terminal_or_desktop_is_reported_at_once() {
    let env = done();
    let output = forkhestra(&env, &["a:2", "--notify", "terminal", "--notify", "desktop"]);
    assert_eq!(output.code, Some(0), "{output}");
    insta::assert_snapshot!(output.stderr, @"
    warning: there is no terminal for notifications: neither standard output nor standard error is one
    warning: desktop notifications are not possible: `notify-send` is not on PATH
    ");
}

#[test]
#[cfg(target_os = "linux")]
fn a_desktop_is_notified_and_its_errors_are_reported() {
    let env = done();
    let script = "for word; do echo \"<$word>\" >> told; done; echo a warning >&2
        if test -e sick; then echo no display >&2; exit 1; fi";
    env.agent("notify-send", script);
    let output = forkhestra(&env, &["a:2", "--notify", "desktop"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    let arguments = env.read("told");
    let expected = "<--app-name=forkhestra>\n<--urgency=normal>\n<-->\n<a:2 in project: complete>\n\
                    <Chain complete (1/1 steps)\nRun ";
    assert!(arguments.starts_with(expected), "{arguments}");
    env.write("sick", "");
    let output = forkhestra(&env, &["a:2", "--notify", "desktop"]);
    let expected = "warning: the desktop could not be notified: notify-send says: a warning\n";
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), expected));
}
