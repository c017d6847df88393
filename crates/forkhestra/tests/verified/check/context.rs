//! The context that checks get.

use serde_json::Value;

use crate::support::{DONE, check_outcomes, events_of, forkhestra, project, repository, text};

#[test]
fn a_script_gets_the_context_as_json_and_as_variables() {
    let env = project();
    env.agent("a", "echo hello; echo FORKHESTRA_COMPLETE; exit 3");
    env.agent_file("check", "cat > context.json; env | sort > variables");
    let output = forkhestra(&env, &["a:4", "--check", "./check"]);
    assert_eq!(output.code, Some(0), "{output}");
    let context: Value = serde_json::from_str(&env.read("context.json")).expect("it is JSON");
    assert_eq!(context["iteration"], 1);
    assert_eq!(context["exitCode"], 3);
    assert_eq!(context["agent"], "a");
    assert_eq!(context["workDir"], "$TEST/project");
    assert_eq!(context["agentOutput"], "hello\nFORKHESTRA_COMPLETE\n");
    let log = text(&context["agentOutputLog"]);
    assert!(log.ends_with("stdout"), "{log}");
    let variables = env.read("variables");
    for expected in [
        "RALPH_AGENT=a",
        "RALPH_ITERATION=1",
        "RALPH_MAX_ITERATIONS=4",
        "RALPH_EXIT_CODE=3",
        "RALPH_STATUS=running",
        "RALPH_WORK_DIR=$TEST/project",
        "FORKHESTRA_AGENT=a",
        "FORKHESTRA_STEP=1",
        "FORKHESTRA_ITERATION=1",
        "FORKHESTRA_EXIT_CODE=3",
    ] {
        assert!(variables.lines().any(|line| line == expected), "{expected}\n{variables}");
    }
}

#[test]
fn the_last_line_of_a_script_can_be_its_finding() {
    let env = project();
    env.agent("a", DONE);
    env.agent_file("red", r#"echo looking; echo '{"passed": false, "message": "2 tests left"}'"#);
    env.agent_file("green", r#"echo '{"passed": true, "message": "fine"}'"#);
    env.agent_file("lying", r#"echo '{"passed": true}'; exit 1"#);
    let args = ["a:1", "--check", "./red", "--check", "./green", "--check", "./lying"];
    let output = forkhestra(&env, &args);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(check_outcomes(&env), ["./red failed", "./green passed", "./lying failed"]);
    assert!(output.stdout.contains("2 tests left"), "{output}");
    let red = &events_of(&env, "check_finished")[0]["check"];
    assert_eq!((&red["message"], &red["tail"]), (&"2 tests left".into(), &"looking".into()));
}

#[test]
fn a_script_that_is_not_executable_is_run_by_bash() {
    let env = repository();
    env.link_system_program("bash").agent("a", DONE);
    env.write("check.sh", "[[ $BASH_VERSION ]]");
    assert_eq!(forkhestra(&env, &["a:1", "--check", "check.sh"]).code, Some(0));
}

#[test]
fn an_expression_is_searched_in_the_whole_output() {
    let env = project();
    let flood = "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done";
    env.agent("a", &format!("printf 'all \\033[1m17\\033[0m tests pass\\n'; {flood}; {DONE}"));
    let args = ["a:1", "--check", "marker:all \\d+ tests pass", "--check", "marker:^nothing$"];
    let output = forkhestra(&env, &[&args[..], &["--quiet"]].concat());
    assert_eq!(output.code, Some(1));
    assert_eq!(
        check_outcomes(&env),
        ["marker:all \\d+ tests pass passed", "marker:^nothing$ failed"]
    );
}
