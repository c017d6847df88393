//! Limits that end a run, and their messages.

use std::io::Write;
use std::net::TcpListener;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::project;
use crate::support::agents_at_work::{DONE, events, iterations, reason, run};

/// The reasons for which forkhestra stopped agents, in order.
#[track_caller]
fn stop_reasons(env: &TestEnv) -> Vec<String> {
    let why = |event: &serde_json::Value| event["why"].as_str().unwrap_or_default().to_owned();
    events(env, "agent_ending").iter().map(why).collect()
}

#[test]
fn an_iteration_timeout_ends_the_iteration_and_the_loop_continues() {
    let env = TestEnv::new();
    env.agent("a", "exec sleep 60");
    assert_snapshot!(run(&env, &["a:2", "--timeout", "300ms"]), @"
    [forkhestra] Starting: a (max 2 iterations)
    [forkhestra] Iteration 1/2
    [forkhestra] Iteration 1/2 stopped by forkhestra: the iteration took too long (--timeout)
    [forkhestra] Iteration 2/2
    [forkhestra] Iteration 2/2 stopped by forkhestra: the iteration took too long (--timeout)
    [forkhestra] Incomplete after 2 iterations (max_iterations)

    [forkhestra] Summary
      1  a  incomplete  2 iterations  max_iterations  [time]

    [forkhestra] 2 of 2 iterations stopped by forkhestra: longer than 300ms
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] What to do: read what the agent printed (`forkhestra logs [id]`), then resume, with a longer --timeout if it needs more time
    [forkhestra] To resume: forkhestra resume [id] --max-iterations 4
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, not complete after 2 iterations
    [exit status: 1]
    ");
    assert_eq!(stop_reasons(&env), ["timeout", "timeout"]);
}

#[test]
fn an_iteration_after_one_that_took_too_long_may_complete() {
    let env = TestEnv::new();
    env.agent("a", &format!("[ $FORKHESTRA_ITERATION = 1 ] && exec sleep 60\n{DONE}"));
    let output = run(&env, &["a:100", "--timeout", "300ms"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(stop_reasons(&env)[0], "timeout");
    assert_eq!(reason(&env), "marker");
}

#[test]
fn an_agent_that_runs_once_and_takes_too_long_has_failed() {
    let env = TestEnv::new();
    env.agent("a", "exec sleep 60").agent("b", "touch ran");
    assert_snapshot!(run(&env, &["a -> b", "--timeout", "300ms"]), @"
    [forkhestra] Running: a
    [forkhestra] Failed: a (stopped by forkhestra: took too long)

    [forkhestra] Summary
      1  a  incomplete   1 iteration  timeout  [time]
      2  b  not reached

    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] What to do: read what the agent printed (`forkhestra logs [id]`), then resume, with a longer --timeout if it needs more time
    [forkhestra] To resume: forkhestra resume [id]
    [forkhestra] Chain incomplete (0/2 steps): step 1, a, stopped by forkhestra: took too long
    [exit status: 1]
    ");
    assert!(!env.has("ran"));
}

#[test]
fn exit_code_zero_of_a_stopped_agent_is_no_success() {
    let env = TestEnv::new();
    env.agent("a", "trap 'exit 0' TERM\nsleep 60 & wait");
    let output = run(&env, &["a", "--timeout", "300ms"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(reason(&env), "timeout");
}

#[test]
fn a_silent_agent_without_activity_is_ended() {
    let env = TestEnv::new();
    env.agent("a", "exec sleep 60");
    assert_snapshot!(run(&env, &["a:1", "--idle-timeout", "300ms"]), @"
    [forkhestra] Starting: a (max 1 iteration)
    [forkhestra] Iteration 1/1
    [forkhestra] Iteration 1/1 stopped by forkhestra: no output for 300ms (--idle-timeout)
    [forkhestra] Incomplete after 1 iteration (max_iterations)

    [forkhestra] Summary
      1  a  incomplete  1 iteration  max_iterations  [time]

    [forkhestra] 1 of 1 iterations stopped by forkhestra: no output for 300ms
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] What to do: read what the agent printed (`forkhestra logs [id]`), then resume, with a longer --idle-timeout if it needs more time
    [forkhestra] To resume: forkhestra resume [id] --max-iterations 2
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, not complete after 1 iteration
    [exit status: 1]
    ");
    assert_eq!(stop_reasons(&env), ["idle"]);
}

#[test]
fn a_silent_agent_with_activity_is_not_ended() {
    let env = TestEnv::new();
    // Silent for longer than the limit, however fast or loaded the machine is.
    let work = "end=$(($(date +%s) + 4))\nwhile [ $(date +%s) -lt $end ]; do :; done";
    env.agent("a", &format!("{work}\n{DONE}"));
    let output = run(&env, &["a:1", "--idle-timeout", "2s"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(stop_reasons(&env).is_empty());
}

/// An event loop that wakes up now and then uses more than half a percent of a core, and is idle.
#[test]
fn an_agent_with_minimal_activity_is_ended() {
    let env = TestEnv::new();
    // About one percent of a core, like an event loop that waits for an answer.
    let little = "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done; sleep 0.4";
    env.agent("a", &format!("while :; do {little}; done"));
    let output = run(&env, &["a:1", "--idle-timeout", "3s", "--timeout", "30s"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(stop_reasons(&env), ["idle"], "{output}");
}

#[test]
fn the_time_of_a_run_ends_it_in_the_middle_of_an_iteration() {
    let env = TestEnv::new();
    env.agent("a", "exec sleep 60").agent("b", "touch ran");
    assert_snapshot!(run(&env, &["a:5 -> b", "--max-time", "2s"]), @"
    [forkhestra] Starting: a (max 5 iterations)
    [forkhestra] Iteration 1/5
    [forkhestra] Iteration 1/5 stopped by forkhestra: the time of the run is used up (--max-time)
    [forkhestra] Incomplete after 1 iteration: the time of the run is used up (run_time)

    [forkhestra] Summary
      1  a  incomplete   1 iteration  run_time  [time]
      2  b  not reached

    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] To resume: forkhestra resume [id] --max-time 4s
    [forkhestra] Chain incomplete (0/2 steps): step 1, a, the time of the run is used up
    [exit status: 1]
    ");
    assert_eq!(stop_reasons(&env), ["run_time"]);
}

#[test]
fn the_time_of_a_run_ends_it_between_iterations_too() {
    let env = TestEnv::new();
    env.agent("a", "echo again");
    let output = run(&env, &["a:1000000", "--max-time", "300ms", "--quiet"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(reason(&env), "run_time");
}

#[test]
fn the_limits_of_a_config_hold() {
    let env = project(
        r#"{ "chains": {
          "timeout": { "steps": [{ "agent": "a", "limits": { "timeout": "300ms" } }] },
          "step": { "steps": [{ "agent": "a", "iterations": 9, "limits": { "time": "300ms" } }] },
          "run": { "limits": { "time": "300ms" }, "steps": [{ "agent": "a", "iterations": 9 }] },
          "idle": { "limits": { "idleTimeout": "300ms" }, "steps": [{ "agent": "a" }] },
        } }"#,
    );
    env.agent("a", "exec sleep 60");
    for (chain, why, verdict) in [
        ("timeout", "timeout", "stopped by forkhestra: took too long"),
        ("step", "step_time", "the time of the step is used up"),
        ("run", "run_time", "the time of the run is used up"),
        ("idle", "idle", "stopped by forkhestra: no progress for too long"),
    ] {
        let state = format!("state-{chain}");
        let args = ["--chain", chain, "--state-dir", &state, "--output", "json"];
        let output = run(&env, &args);
        assert_eq!(output.code, Some(1), "{output}");
        assert!(output.stdout.contains(&format!(r#""reason":"{why}""#)), "{output}");
        let output = run(&env, &["--chain", chain, "--state-dir", &state, "--quiet"]);
        let expected = format!("[forkhestra] Chain incomplete (0/1 steps): step 1, a, {verdict}\n");
        assert!(output.stdout.ends_with(&expected), "{output}");
    }
}

#[test]
fn the_wait_grows_with_every_crash() {
    let env = TestEnv::new();
    env.agent("a", "exit 1");
    let output = run(&env, &["a:9", "--max-time", "2900ms"]);
    let waits: Vec<_> = events(&env, "backing_off").iter().map(|e| e["delayMs"].clone()).collect();
    assert_eq!(waits, [1000, 2000], "{output}");
    assert_eq!((output.code, reason(&env).as_str()), (Some(1), "run_time"));
    assert_eq!(iterations(&env).len(), 2);
}

/// A program that prints nothing while a response arrives, like `claude -p`: 20 chunks in a second.
#[cfg(target_os = "linux")]
#[test]
fn a_silent_program_that_receives_an_answer_is_not_idle() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it has one").port();
    let (over, is_over) = mpsc::channel::<()>();
    let server = thread::spawn(move || {
        let (mut client, _) = listener.accept().expect("the agent asks");
        let pace = Duration::from_millis(50);
        while is_over.recv_timeout(pace) == Err(RecvTimeoutError::Timeout) {
            if client.write_all(&[b'x'; 150]).is_err() {
                break;
            }
        }
    });
    let env = TestEnv::new();
    let read = format!("exec 3<>/dev/tcp/127.0.0.1/{port}; head --bytes 12000 <&3 > /dev/null");
    env.agent("a", &format!("bash -c '{read}'; {DONE}"));
    let output = run(&env, &["a:1", "--idle-timeout", "1s"]);
    drop(over);
    server.join().expect("it ends with the agent");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(stop_reasons(&env).is_empty(), "{output}");
}
