//! Checks that prove nothing, because they pass without the work.

use crate::support::{
    DONE, config, events_of, forkhestra, git, project, ralph, reason, repository, text,
};

const GREEN: &str = "the check `true` passes before the first iteration";

#[test]
fn a_check_that_is_green_at_the_start_is_said() {
    let env = project();
    env.agent("a", DONE);
    let args = ["a:2", "--calibrate", "--check", "command:true", "--check", "file:made"];
    let output = forkhestra(&env, &args);
    assert!(output.stderr.contains(GREEN), "{output}");
    assert!(
        output.stdout.contains("Before the first iteration: 1 check failed, 1 passed"),
        "{output}"
    );
    let calibrated = events_of(&env, "calibrated");
    let outcomes: Vec<String> = calibrated[0]["checks"]
        .as_array()
        .expect("it is a list")
        .iter()
        .map(|check| text(&check["outcome"]))
        .collect();
    assert_eq!(outcomes, ["passed", "failed"]);
    let shown = forkhestra(&env, &["show"]);
    assert!(shown.stdout.contains("passes before the first iteration"), "{shown}");
    let ralph_env = project();
    ralph_env.agent("a", DONE);
    let args = ["--agent", "a", "--max-iterations", "2", "--calibrate", "--check", "command:true"];
    let output = ralph(&ralph_env, &args);
    assert!(output.stderr.contains(GREEN), "{output}");
}

#[test]
fn a_check_that_must_fail_first_refuses_to_start() {
    let env = project();
    env.agent("a", &format!("touch started; {DONE}"));
    config(
        &env,
        r#"{"chains": {"c": {"steps": [{"agent": "a", "iterations": 2,
            "checks": [{"check": "command:true", "mustFailFirst": true}]}]}}}"#,
    );
    let shown = forkhestra(&env, &["--chain", "c", "--dry-run"]);
    assert!(shown.stdout.contains("must fail before the first iteration"), "{shown}");
    let output = forkhestra(&env, &["--chain", "c"]);
    assert_eq!((output.code, reason(&env).as_str()), (Some(1), "cannot_check"), "{output}");
    assert!(!env.has("started"), "no agent is paid for");
}

#[test]
fn a_check_that_must_fail_first_and_does_not_run_refuses_to_start() {
    let env = repository();
    env.agent("a", &format!("touch started; {DONE}"));
    config(
        &env,
        r#"{"chains": {"c": {"cleanRoom": {"setup": "false"}, "steps": [{"agent": "a", "iterations": 2,
            "checks": [{"check": "command:true", "mustFailFirst": true}]}]}}}"#,
    );
    git(&env, "add forge");
    git(&env, "commit --quiet -m config");
    let output = forkhestra(&env, &["--chain", "c"]);
    assert_eq!((output.code, reason(&env).as_str()), (Some(1), "cannot_check"), "{output}");
    assert!(output.stdout.contains("gave no result before the first iteration"), "{output}");
    assert!(!env.has("started"), "no agent is paid for");
}

#[test]
fn a_calibration_runs_in_the_clean_room() {
    let env = repository();
    env.write("made", "not committed");
    env.agent("a", &format!("git add made; git commit --quiet -m made; {DONE}"));
    config(
        &env,
        r#"{"chains": {"c": {"calibrate": true, "cleanRoom": true, "steps": [{"agent": "a",
            "iterations": 2, "checks": ["command:cat made"]}]}}}"#,
    );
    git(&env, "add forge");
    git(&env, "commit --quiet -m config");
    let output = forkhestra(&env, &["--chain", "c"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!output.stderr.contains("passes before the first iteration"), "{output}");
    assert_eq!(events_of(&env, "calibrated").len(), 1);
}
