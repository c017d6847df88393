//! Runs: their output, their ends and exit codes.

use testkit::TestEnv;

use crate::{DONE, looped, noted, ralph, repository};

#[test]
fn a_loop_ends_when_its_agent_prints_the_marker() {
    let env = TestEnv::new();
    env.agent("a", &format!("echo $RALPH >> ran; [ $FORKHESTRA_ITERATION -lt 3 ] || {DONE}"));
    let output = looped(&env, "a", 20, &[]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("ran").lines().count(), 3);
    assert!(output.stdout.ends_with(" Chain complete (1/1 steps)\n"), "{output}");
}

#[test]
fn both_markers_of_the_founding_document_count() {
    for marker in ["<promise>COMPLETE</promise>", "RALPH_STATUS: COMPLETE"] {
        let env = TestEnv::new();
        env.agent("a", &format!("echo '{marker}'"));
        assert_eq!(looped(&env, "a", 3, &[]).code, Some(0), "{marker}");
    }
}

#[test]
fn status_lines_begin_with_the_name_of_the_program() {
    let env = TestEnv::new();
    env.agent("a", "echo working");
    let output = looped(&env, "a", 2, &[]);
    for line in ["Iteration 1/2", "Iteration 2/2", "Summary", "Chain incomplete (0/1 steps)"] {
        assert!(output.stdout.contains(&format!("[ralph] {line}")), "{line}: {output}");
    }
    assert!(!output.to_string().contains("[forkhestra]"), "{output}");
}

#[test]
fn a_loop_that_is_not_done_after_all_its_iterations_is_not_complete() {
    let env = TestEnv::new();
    env.agent("a", "echo $FORKHESTRA_ITERATION | tee -a ran");
    let output = looped(&env, "a", 2, &[]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(noted(&env, "ran"), "1 2");
    assert!(output.stdout.contains(" To resume: ralph-runner --resume "), "{output}");
    assert!(output.stdout.contains(" --max-iterations 4\n"), "{output}");
}

#[test]
fn a_loop_that_stagnates_has_an_exit_code_of_its_own() {
    let env = repository();
    env.agent("a", "echo thinking");
    let output = looped(&env, "a", 20, &["--stagnation", "2"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stdout.contains("Incomplete after 2 iterations"), "{output}");
    assert!(output.stdout.contains("(stagnated)"), "{output}");
}

#[test]
fn three_iterations_without_a_change_end_a_loop_by_themselves() {
    let env = repository();
    env.agent("a", "echo thinking");
    let output = looped(&env, "a", 20, &[]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stdout.contains("Incomplete after 3 iterations"), "{output}");
}

#[test]
fn a_chain_runs_its_agents_one_after_another_and_stops_at_the_first_that_fails() {
    let env = TestEnv::new();
    env.agent("planner", &format!("echo planner >> ran; {DONE}"))
        .agent("builder", "echo builder >> ran; exit 4")
        .agent("tester", "echo tester >> ran");
    let output = ralph(&env, &["--chain", "planner:3 -> builder -> tester:2"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(noted(&env, "ran"), "planner builder");
}

#[test]
fn agents_get_the_prompt_and_the_arguments_after_the_dashes() {
    let env = TestEnv::new();
    env.agent("a", &format!("echo \"$@\" > got; {DONE}"));
    let output = looped(&env, "a", 2, &["-p", "do it", "--", "--fast"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("got"), "--fast do it\n");
}

#[test]
fn a_mistake_in_the_config_is_an_error_of_its_own() {
    let env = TestEnv::new();
    env.agent("a", "touch started").write("forge/orch/chains.json", "{ \"chains\": ");
    let message = looped(&env, "a", 2, &[]).failure(3);
    assert!(message.starts_with("error: "), "{message}");
    assert!(!env.has("started"));
}

#[test]
fn json_output_prints_events() {
    let env = TestEnv::new();
    env.agent("a", DONE);
    let message = looped(&env, "a", 2, &["--output", "json"]).success();
    let last: serde_json::Value =
        serde_json::from_str(message.lines().last().expect("there are events"))
            .expect("it is JSON");
    assert_eq!(last["event"], "run_finished", "{message}");
}
