//! `forkhestra show --why`: why a run stopped, with the evidence.

use std::fs;

use insta::assert_snapshot;
use serde_json::Value;
use testkit::TestEnv;

use crate::run::stagnation::repository;
use crate::support::agents_at_work::{DONE, run};
use crate::support::past_runs::{cut_off, damage, normalised_output, past, with_agents};
use crate::support::run_in_progress::{RunInProgress, WAIT_FOR_GO};
use crate::{CONFIG, forkhestra};

#[track_caller]
fn why(env: &TestEnv) -> String {
    normalised_output(env, &["show", "--why"]).success()
}

/// The object `why` of the last run.
#[track_caller]
fn why_json(env: &TestEnv) -> Value {
    let text = forkhestra(env, &["show", "--why", "--json"]).success();
    let whole: Value = serde_json::from_str(&text).expect("it is JSON");
    assert!(whole["id"].is_string(), "{whole}");
    whole["why"].clone()
}

#[track_caller]
fn assert_shows(shown: &str, parts: &[&str]) {
    for part in parts {
        assert!(shown.contains(part), "`{part}` is missing in:\n{shown}");
    }
}

#[test]
fn a_complete_run_has_nothing_left() {
    let env = with_agents();
    past(&env, &["done:3"]);
    let shown = why(&env);
    assert_shows(&shown, &["state  complete (1/1 steps)", "done  1 of 1 steps, 1 iteration"]);
    assert_shows(&shown, &["It is complete; nothing is left to do"]);
    assert!(!shown.contains("left  "), "{shown}");
    let why = why_json(&env);
    assert_eq!((&why["code"], &why["limit"]), (&"complete".into(), &Value::Null));
}

#[test]
fn iterations_without_a_change_are_evidence_only_where_they_used_up_a_limit() {
    let env = repository();
    env.agent("idle", "echo thinking").agent("crash", "exit 3").agent("done", DONE);
    for (arguments, is_evidence) in [
        (&["idle:2"][..], true),
        (&["idle:9", "--stagnation", "2"], true),
        (&["done:3"], false),
        (&["crash"], false),
    ] {
        past(&env, arguments);
        let why = why_json(&env);
        assert_eq!(why["nothingNew"].is_object(), is_evidence, "{arguments:?}: {why}");
    }
}

#[test]
fn the_limit_of_iterations_is_named_with_what_crossed_it() {
    let env = with_agents();
    past(&env, &["idle:2 -> done:3"]);
    assert_snapshot!(why(&env), @"
    Run [id]: idle:2 -> done:3
      state  max_iterations (0/2 steps): step 1, idle, not complete after 2 iterations
      limit  --max-iterations 2: 2 iterations are over
      done  0 of 2 steps, 2 iterations
      left  step 1 (idle) and step 2 (done)
    Last iterations of step 1:
      1  continued  exit 0
      2  continued  exit 0
    To resume: forkhestra resume [id] --max-iterations 4
    ");
    let why = why_json(&env);
    assert_eq!(why["limit"]["option"], "--max-iterations");
    assert_eq!(why["limit"]["value"], "2");
    assert_eq!(why["lastIterations"].as_array().map(Vec::len), Some(2));
}

#[test]
fn stagnation_shows_what_the_work_trees_have_in_common() {
    let env = repository();
    env.agent("a", "[ -e been ] || { echo x > been; exit 0; }\necho thinking");
    past(&env, &["a:9", "--stagnation", "2"]);
    let shown = why(&env);
    assert_shows(
        &shown,
        &[
            "state  stagnated (0/1 steps): step 1, a, nothing has changed for 2 iterations",
            "limit  --stagnation 2: 2 iterations in a row without a new state of the work tree",
            "nothing new  the last 2 iterations: ",
            ": new  exit 0\n",
            ": no change  exit 0\n",
            "What to do: the agent is stuck",
        ],
    );
    let why = why_json(&env);
    let last = &why["lastIterations"];
    assert_eq!([&last[0]["change"], &last[2]["change"]], ["new", "none"]);
    assert_eq!(last[1]["tree"], last[2]["tree"]);
    assert_eq!(why["nothingNew"]["iterations"], 2);
}

#[test]
fn a_cycle_names_the_iteration_with_the_same_work_tree() {
    let env = repository();
    env.agent("a", "if [ -e flag ]; then rm flag; else touch flag; fi");
    past(&env, &["a:9", "--stagnation", "2"]);
    let shown = why(&env);
    assert_shows(&shown, &["(0/1 steps): step 1, a, for 2 iterations the work tree only returned"]);
    assert_shows(&shown, &[": as before the first iteration", ": as after iteration 1"]);
    assert_eq!(why_json(&env)["lastIterations"][2]["sameAs"], 1);
}

#[test]
fn a_refused_claim_shows_the_check_and_the_end_of_its_output() {
    let env = with_agents();
    env.write("tests/run.sh", "echo one of three failed; exit 1");
    past(&env, &["done", "--check", "command:\"/bin/sh tests/run.sh\""]);
    let shown = why(&env);
    assert_shows(
        &shown,
        &[
            "step 1, done, 1 check failed (/bin/sh tests/run.sh)",
            "Check failed: /bin/sh tests/run.sh: exit 1\n  | one of three failed\n",
            "What to do: do what the check asks for",
        ],
    );
    let check = &why_json(&env)["failedChecks"][0];
    assert_eq!((&check["outcome"], &check["message"]), (&"failed".into(), &"exit 1".into()));
    assert_eq!(check["tail"], "one of three failed");
}

#[test]
fn crashes_show_the_last_lines_of_the_agent() {
    let env = with_agents();
    past(&env, &["fails:2"]);
    let shown = why(&env);
    assert_shows(&shown, &["2 of 2 iterations crashed (exit 3)", "oops", "2  crashed  exit 3"]);
}

#[test]
fn the_time_of_a_run_is_named_with_what_was_used() {
    let env = TestEnv::new();
    env.agent("slow", "exec sleep 60");
    past(&env, &["slow:3", "--max-time", "1s"]);
    let shown = why(&env);
    assert_shows(
        &shown,
        &["limit  --max-time [duration]: [duration] used\n", "the time of the run is used up"],
    );
    assert_shows(&shown, &["To resume: forkhestra resume [id] --max-time "]);
}

#[test]
fn an_iteration_that_took_too_long_is_named_with_its_limit() {
    let env = TestEnv::new();
    env.agent("slow", "exec sleep 60");
    past(&env, &["slow", "--timeout", "1s"]);
    assert_shows(
        &why(&env),
        &["limit  --timeout [duration]: [duration] used\n", "stopped by forkhestra: took too long"],
    );
}

#[test]
fn an_agent_that_cannot_be_started_shows_why() {
    let env = TestEnv::new();
    env.agent("a", r#"rm "$0""#);
    past(&env, &["a:3"]);
    assert_shows(&why(&env), &["step 1, a, could not be started: `$TEST/bin/a` does not exist"]);
    assert_eq!(why_json(&env)["code"], "cannot_start");
}

#[test]
fn a_hook_that_ended_the_run_shows_its_failure() {
    let env = with_agents();
    let hook = r#""hooks": { "post-iteration": { "run": "exit 5", "onError": "abort" } }"#;
    let steps = r#""steps": [{ "agent": "idle", "iterations": 3 }]"#;
    env.write(CONFIG, format!(r#"{{ "chains": {{ "c": {{ {steps}, {hook} }} }} }}"#));
    past(&env, &["--chain", "c"]);
    assert_shows(&why(&env), &["the hook `exit 5` failed", "hook  exit 5"]);
}

#[test]
fn an_interrupted_run_names_the_signal() {
    let env = TestEnv::new();
    env.agent("b", &format!("echo ready; {WAIT_FOR_GO}\n{DONE}"));
    let at_work = RunInProgress::start(&env, &["b:3"], "ready\n");
    assert_eq!(forkhestra(&env, &["stop", "--now"]).code, Some(0));
    assert_eq!(at_work.release().1, Some(130));
    let shown = why(&env);
    assert_shows(&shown, &["state  stopped (0/1 steps): `forkhestra stop --now`", "To resume: "]);
    assert_eq!(why_json(&env)["code"], "stop_now");
}

#[test]
fn a_killed_run_has_no_recorded_end() {
    let env = with_agents();
    cut_off(&env);
    let shown = why(&env);
    assert_shows(
        &shown,
        &[
            "state  interrupted (0/1 steps): cut off at step 1, idle, iteration 2/3",
            "cut off  no end is recorded: the process was killed or the machine stopped",
            "left  step 1 (idle)",
            "To resume: forkhestra resume [id]\n",
        ],
    );
    assert_eq!(why_json(&env)["code"], "cut_off");
}

#[test]
fn an_active_run_has_not_stopped() {
    let env = TestEnv::new();
    env.agent("a", &format!("echo ready; {WAIT_FOR_GO}\n{DONE}"));
    let at_work = RunInProgress::start(&env, &["a:3"], "ready\n");
    let shown = why(&env);
    assert_shows(&shown, &["not stopped  waits for the agent of iteration 1, at work since "]);
    assert_shows(&shown, &["It is active: process "]);
    let why = why_json(&env);
    assert_eq!(why["code"], "running");
    assert!(why["waitsFor"].is_string(), "{why}");
    assert_eq!(at_work.release().1, Some(0));
}

#[test]
fn a_resumed_run_is_explained_by_its_last_end() {
    let env = with_agents();
    past(&env, &["idle:1"]);
    assert_eq!(run(&env, &["resume", "--max-iterations", "2"]).code, Some(1));
    assert_shows(&why(&env), &["limit  --max-iterations 2: 2 iterations are over"]);
}

#[test]
fn mistakes_are_refused() {
    let env = with_agents();
    assert_shows(&forkhestra(&env, &["show", "--why"]).failure(2), &["there are no runs"]);
    let run = past(&env, &["idle:1"]);
    assert_shows(
        &normalised_output(&env, &["show", "--why", "zzz"]).failure(2),
        &["there is no run `zzz`"],
    );
    for other in ["-v", "--all"] {
        let message = forkhestra(&env, &["show", "--why", other]).failure(2);
        assert_shows(&message, &["--why"]);
    }
    damage(&run);
    let message = normalised_output(&env, &["show", "--why"]).failure(2);
    assert_shows(&message, &["is not JSON", "forkhestra resume [id] --repair"]);
}

#[test]
fn control_characters_of_a_check_are_not_sent_to_the_terminal() {
    let env = with_agents();
    fs::write(env.root().join("project/check.sh"), "printf 'a\\033[2Jb\\n'; exit 1")
        .expect("the project is ours");
    past(&env, &["done", "--check", "command:\"/bin/sh check.sh\""]);
    let shown = why(&env);
    assert!(!shown.contains('\u{1b}'), "{shown}");
    assert_shows(&shown, &["  | ab\n"]);
}
