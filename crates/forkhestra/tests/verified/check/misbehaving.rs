//! Checks that hang, flood or fork.

use crate::support::{DONE, check_outcomes, config, events_of, forkhestra, project, text};

#[test]
fn a_check_that_hangs_is_ended_and_does_not_pass() {
    let env = project();
    env.agent("a", DONE);
    config(
        &env,
        r#"{"chains": {"c": {"steps": [{"agent": "a", "iterations": 1, "checks": [
        {"check": "command:echo begun; exec sleep 600", "name": "slow", "timeout": "300ms"},
        {"check": "command:true", "name": "quick"}]}]}}}"#,
    );
    let output = forkhestra(&env, &["--chain", "c"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(check_outcomes(&env), ["slow timed_out", "quick passed"]);
}

#[test]
fn the_output_of_a_check_is_bounded_and_not_shown() {
    let env = project();
    env.agent("a", DONE);
    env.link_system_program("head").link_system_program("yes");
    let output =
        forkhestra(&env, &["a:1", "--check", "command:\"yes | head -c 30000000; exit 1\""]);
    assert_eq!(output.code, Some(1));
    assert!(output.stdout.len() < 10_000, "{}", output.stdout.len());
    let tail = text(&events_of(&env, "check_finished")[0]["check"]["tail"]);
    assert!(!tail.is_empty() && tail.len() <= 4096, "{}", tail.len());
}

#[test]
fn processes_left_by_a_check_are_ended_and_block_nothing() {
    let env = project();
    env.agent("a", DONE);
    let output = forkhestra(&env, &["a:1", "--check", "command:\"sleep 600 & echo $! > pid\""]);
    assert_eq!(output.code, Some(0), "{output}");
    let pid = env.read("pid");
    let left = std::path::Path::new("/proc").join(pid.trim()).join("stat");
    let stat = std::fs::read_to_string(left).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(" Z "), "{stat}");
}

#[test]
fn a_script_removed_during_the_run_does_not_pass() {
    let env = project();
    env.agent_file("check", "exit 0").agent("a", &format!("rm check; {DONE}"));
    let output = forkhestra(&env, &["a:1", "--check", "./check", "--no-protect-scripts"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(check_outcomes(&env), ["./check not_run"]);
}
