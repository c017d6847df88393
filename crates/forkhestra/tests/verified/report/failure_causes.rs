//! Why the iterations of a run failed, at the end of the run, in `show`, in the summary page and in
//! notifications.

use std::thread;

use testkit::{TestEnv, WebhookReceiver, eventually};

use crate::support::{forkhestra, project, repository, run_id};
use crate::{FORGE_TASKS, FORKHESTRA};

/// The reports of the end of a run: its output, `show`, the summary page, and a notification.
fn reports(env: &TestEnv, args: &[&str]) -> [(&'static str, String); 4] {
    let receiver = WebhookReceiver::responding_with([]);
    let mut command = env.command(FORKHESTRA);
    command.args(args).args(["--notify", "slack"]);
    let parts = env.output_of(command.env("FORKHESTRA_SLACK_URL", receiver.url("/hook")));
    assert_eq!(parts.code, Some(1), "{parts}");
    let end = parts.stdout.lines().skip_while(|line| *line != "[forkhestra] Summary");
    let end = end.collect::<Vec<_>>().join("\n");
    let page = env.read(&format!(".agent-state/summary-{}.md", run_id(env)));
    let notices = receiver.received();
    let notice: serde_json::Value =
        serde_json::from_str(&notices[0].body).expect("a notice is JSON");
    let notice = notice["text"].as_str().unwrap_or_default().to_owned();
    let shown = forkhestra(env, &["show"]).stdout;
    [("end", end), ("show", shown), ("summary page", page), ("notification", notice)]
}

#[track_caller]
fn assert_all_contain(places: &[(&str, String)], expected: &[&str]) {
    for (place, text) in places {
        for part in expected {
            assert!(text.contains(part), "{part:?} in {place}:\n{text}");
        }
    }
}

#[test]
fn crashes_are_counted_with_the_last_line_of_the_agent() {
    let env = project();
    env.agent("broken", "echo working; echo 'cannot reach the model' >&2; exit 1");
    let places = reports(&env, &["broken:2"]);
    assert_all_contain(&places, &["2 of 2 iterations crashed (exit 1)", "cannot reach the model"]);
    let id = run_id(&env);
    let logs = format!("What to do: read what the agent printed (`forkhestra logs {id}`)");
    assert_all_contain(&places[..2], &[&logs]);
    // The same command in every report: without the option the run would end again at once.
    assert_all_contain(&places, &[&format!("forkhestra resume {id} --max-iterations 4")]);
}

/// The end of a long stream line is no text, and neither is a short line.
#[test]
fn tool_results_of_a_coding_agent_are_not_reported() {
    let env = repository();
    let created = env.run(FORGE_TASKS, &["create", "One"]);
    assert_eq!(created.code, Some(0), "{created}");
    let result = "PASSWORD=hunter2 ".repeat(400);
    let line = serde_json::json!({ "type": "user", "message": { "role": "user", "content": [
        { "type": "tool_result", "tool_use_id": "t1", "content": result },
    ] } });
    env.write("stream", format!("{line}\n"));
    env.agent("claude", "cat stream; exit 1");
    let places = reports(&env, &["builder:1"]);
    assert_all_contain(&places, &["1 of 1 iterations crashed (exit 1)"]);
    for (place, text) in &places {
        assert!(!text.contains("hunter2"), "{place}:\n{text}");
    }
}

/// An iteration that an earlier limit stopped is not reported with the current limit.
#[test]
fn a_limit_that_was_changed_is_not_named() {
    let env = project();
    env.agent("slow", "[ $FORKHESTRA_ITERATION = 1 ] && exec sleep 60; exit 1");
    let hook = "post-iteration:touch waiting; until [ -e go ]; do sleep 0.01; done";
    let places = thread::scope(|scope| {
        scope.spawn(|| {
            eventually("the hook waits", || env.has("waiting").then_some(()));
            let output = forkhestra(&env, &["set", "--timeout", "1h"]);
            env.write("go", "");
            assert_eq!(output.code, Some(0), "{output}");
        });
        reports(&env, &["slow:2", "--timeout", "1s", "--hook", hook])
    });
    assert_all_contain(&places, &["1 stopped by forkhestra: took too long"]);
}

#[test]
fn an_agent_that_hangs_is_named_with_its_limit() {
    let env = project();
    env.agent("silent", "echo thinking; exec sleep 60");
    let places = reports(&env, &["silent:2", "--idle-timeout", "3s"]);
    let cause = "2 of 2 iterations stopped by forkhestra: no output for 3s";
    assert_all_contain(&places, &[cause, "thinking"]);
    assert_all_contain(&places[..2], &["then resume, with a longer --idle-timeout"]);
}

#[test]
fn an_iteration_that_takes_too_long_is_named_with_its_limit() {
    let env = project();
    env.agent("slow", "exec sleep 60");
    let places = reports(&env, &["slow:1", "--timeout", "1s"]);
    assert_all_contain(&places, &["1 of 1 iterations stopped by forkhestra: longer than 1s"]);
    assert_all_contain(&places[..2], &["then resume, with a longer --timeout"]);
}

/// A rare failure that did not end the run is not reported.
#[test]
fn one_crash_of_many_iterations_is_no_cause() {
    let env = project();
    env.agent("mostly", "[ $FORKHESTRA_ITERATION != 1 ]");
    let places = reports(&env, &["mostly:3"]);
    for (place, text) in &places {
        assert!(!text.contains("of 3 iterations"), "{place}:\n{text}");
    }
}
