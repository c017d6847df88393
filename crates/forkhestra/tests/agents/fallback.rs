//! Another back-end takes over at a usage limit: Claude Code is used up, and Codex does the work.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::scripted_stream::{ScriptedStream, in_seconds};
use crate::support::AgentProject;

const CONFIG: &str = r#"{
    "agents": { "worker": { "systemPromptText": "You are a worker.", "model": "opus",
        "env": { "SHARED": "yes", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9" } } },
    "prices": { "gpt-5.5": { "input": 1000, "output": 1000 } },
    "chains": { "night": { "fallback": "codex",
        "steps": [{ "agent": "worker", "iterations": 3 }] } }
}"#;

/// A stand-in for Codex that works until its iteration exists as a file, and notes how it was
/// started.
const CODEX: &str = r#"
printf '%s\n' "$@" > "$PLACE/codex.args.$FORKHESTRA_ITERATION"
cat > /dev/null
echo "codex $FORKHESTRA_ITERATION $SHARED ${ANTHROPIC_BASE_URL-unset}" >> "$PLACE/started"
if [ -e "$PLACE/codex.hangs.$FORKHESTRA_ITERATION" ]; then exec sleep 1000; fi
echo '{"type":"thread.started","thread_id":"t"}'
echo '{"type":"turn.started"}'
if [ -e "$PLACE/codex.limited" ]; then
  echo '{"type":"error","message":"You have hit your usage limit. Try again later."}'
  echo '{"type":"turn.failed","error":{"message":"You have hit your usage limit. Try again later."}}'
  exit 1
fi
echo '{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"true","aggregated_output":"","exit_code":0,"status":"completed"}}'
text="More is to be done."
if [ "$FORKHESTRA_ITERATION" = 2 ]; then text="FORKHESTRA_COMPLETE"; fi
echo '{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"'"$text"'"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1000,"output_tokens":100}}'
"#;

/// Claude Code is used up for so many seconds, and Codex is installed.
fn used_up_for(seconds: i64) -> AgentProject {
    let limit = ScriptedStream::new().reaches_usage_limit(in_seconds(seconds));
    let project = AgentProject::with_config(CONFIG, &[limit]).exits(1, 1);
    project.env.agent("codex", CODEX);
    project
}

/// The back-end and the iteration of each attempt.
fn attempts(project: &AgentProject) -> Vec<String> {
    let started = project.all("iteration_started");
    let attempt = |event: &Value| {
        let backend = event["fallback"]["backend"].as_str().unwrap_or("claude");
        format!("{backend} {}.{}", event["unit"]["iteration"], event["unit"]["attempt"])
    };
    started.iter().map(attempt).collect()
}

#[test]
fn codex_does_the_work_while_the_usage_limit_of_claude_holds() {
    let project = used_up_for(7200);
    let output = project.run(&["--chain", "night"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(attempts(&project), ["claude 1.1", "codex 1.2", "codex 2.1"]);
    // Variables of Claude Code are not passed on, and the model is not either.
    assert_eq!(project.started(), ["1", "codex 1 yes unset", "codex 2 yes unset"]);
    let args = project.got("codex.args.1");
    assert!(args.starts_with("exec\n") && !args.contains("opus"), "{args}");
    assert!(args.contains("You are a worker."), "{args}");
    let used = &project.all("iteration_started")[1]["fallback"];
    assert_eq!((&used["backend"], &used["why"]), (&json!("codex"), &json!("usage_limit")));
    assert_eq!(project.all("waiting"), [] as [Value; 0], "nothing is waited for");
    let switch = "worker: the usage limit of Claude Code holds until 20";
    assert!(output.stdout.contains(switch), "{output}");
    assert!(output.stdout.contains(": Codex takes over\n"), "{output}");
    let summary = "2 of 2 iterations on Codex";
    let reason = ": usage limit of Claude Code";
    for text in [output.stdout.clone(), project.run(&["show"]).success()] {
        let line = text.lines().find(|line| line.contains(summary)).unwrap_or_default();
        assert!(line.ends_with(reason), "{summary} in:\n{text}");
    }
    let log = project.env.read(".agent-state/iterations.jsonl");
    let fallbacks: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["fallback"].clone())
        .collect();
    assert_eq!(fallbacks, [Value::Null, json!("codex"), json!("codex")]);
    let stats = project.run(&["stats", "--by", "agent"]).success();
    assert!(stats.contains("worker (opus)") && stats.contains("worker (codex)"), "{stats}");
    let logs = project.run(&["logs", "--iteration", "2"]);
    assert!(logs.stdout.contains("FORKHESTRA_COMPLETE"), "{logs}");
    assert!(!logs.stdout.contains("turn.completed"), "the stream of Codex is read: {logs}");
}

#[test]
fn a_killed_run_goes_on_with_the_back_end_that_is_free() {
    let project = used_up_for(7200);
    project.put("codex.hangs.2", "");
    let mut run = project.start(&["--chain", "night"]);
    run.wait_for("Iteration 2/3");
    testkit::eventually("the second agent works", || {
        project.started().last().is_some_and(|last| last.starts_with("codex 2")).then_some(())
    });
    run.kill();
    drop(run);
    std::fs::remove_file(project.place("codex.hangs.2")).expect("it is ours");
    let output = project.run(&["resume"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(attempts(&project), ["claude 1.1", "codex 1.2", "codex 2.1", "codex 2.2"]);
    let started: Vec<String> = project.started();
    assert_eq!(started.iter().filter(|line| *line == "1").count(), 1, "{started:?}");
}

#[test]
fn if_both_are_used_up_the_run_waits_and_says_so() {
    let project = used_up_for(7200);
    project.put("codex.limited", "");
    let run = project.start(&["--chain", "night"]);
    run.wait_for("waiting until");
    run.signal(Signal::INT);
    let (output, code) = run.ended();
    assert_eq!(code, Some(130), "{output}");
    assert_eq!(attempts(&project), ["claude 1.1", "codex 1.2"]);
    let why = "worker is not started: limits of Claude Code and Codex hold: waiting until 20";
    assert!(output.contains(why), "{output}");
}

#[test]
fn the_command_line_names_a_fallback() {
    let project = used_up_for(7200);
    let output = project.run(&["worker:3", "--fallback", "codex"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(attempts(&project), ["claude 1.1", "codex 1.2", "codex 2.1"]);
}
