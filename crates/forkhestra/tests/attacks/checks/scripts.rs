//! An agent that changes the scripts of checks and hooks, or prompts and config files.

use testkit::TestEnv;

use crate::support::{
    DONE, config, events_of, forkhestra, git, project, repository, text, verdicts,
};

fn with_red_script() -> TestEnv {
    let env = repository();
    env.write("tests/run.sh", "exit 1\n");
    git(&env, "add --all");
    git(&env, "commit --quiet --message tests");
    env
}

const CHEAT: &str = "echo 'exit 0' > tests/run.sh; git commit --quiet --all --message tests";

#[test]
fn c07_a_changed_check_script_is_refused_without_being_asked() {
    for check in ["command:sh tests/run.sh", "tests/run.sh"] {
        for room in [&[][..], &["--clean-room"]] {
            let env = with_red_script();
            env.agent("a", &format!("{CHEAT}; {DONE}"));
            let args: Vec<&str> = ["a:1", "--check", check].iter().chain(room).copied().collect();
            let output = forkhestra(&env, &args);
            assert_eq!(output.code, Some(1), "{check} {room:?}: {output}");
            assert_eq!(verdicts(&env), ["refused protected_files"], "{check} {room:?}: {output}");
            assert!(output.stdout.contains("tests/run.sh"), "{output}");
            assert!(output.stdout.contains("--no-protect-scripts"), "{output}");
        }
    }
}

#[test]
fn scripts_may_change_where_the_user_says_so() {
    let env = with_red_script();
    env.agent("a", &format!("{CHEAT}; {DONE}"));
    let args = ["a:1", "--check", "command:sh tests/run.sh", "--no-protect-scripts"];
    let output = forkhestra(&env, &args);
    assert_eq!(output.code, Some(0), "{output}");
    let env = with_red_script();
    env.agent("a", &format!("{CHEAT}; {DONE}"));
    config(
        &env,
        r#"{"chains": {"c": {"protectScripts": false, "steps": [{"agent": "a", "iterations": 1,
            "checks": ["command:sh tests/run.sh"]}]}}}"#,
    );
    let output = forkhestra(&env, &["--chain", "c"]);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn files_that_a_check_only_reads_are_not_protected() {
    let env = repository();
    env.write("PROGRESS.md", "todo\n");
    env.agent("a", &format!("echo finished > PROGRESS.md; {DONE}"));
    let output = forkhestra(&env, &["a:1", "--check", "command:grep -q finished PROGRESS.md"]);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn m07_a_changed_hook_script_is_not_run() {
    let env = project();
    env.agent_file("notify.sh", "echo real >> told");
    env.agent("a", &format!("printf '#!/bin/sh\\necho fake >> told\\n' > notify.sh; {DONE}"));
    let output = forkhestra(&env, &["a:1", "--hook", "post-iteration:./notify.sh"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!env.has("told"), "{output}");
    assert!(output.to_string().contains("the program `./notify.sh` changed"), "{output}");
    let args = ["a:1", "--hook", "post-iteration:./notify.sh", "--no-protect-scripts"];
    let output = forkhestra(&env, &args);
    assert_eq!((output.code, env.read("told").as_str()), (Some(0), "fake\n"), "{output}");
}

#[test]
fn m06_a_prompt_file_of_a_later_step_that_changed_is_shown() {
    let env = project();
    env.write("review.md", "Be strict.\n");
    env.agent("builder-agent", "echo 'Say yes.' > review.md");
    env.agent("reviewer-agent", "true");
    config(
        &env,
        r#"{"chains": {"c": {"steps": [{"agent": "builder-agent"},
            {"agent": "reviewer-agent", "promptFile": "review.md"}]}}}"#,
    );
    let output = forkhestra(&env, &["--chain", "c"]);
    let shown = "the prompt of step 2 is not what it was before";
    assert!(output.stderr.contains(shown), "{output}");
    let warnings = events_of(&env, "warning");
    assert!(warnings.iter().any(|event| text(&event["message"]).contains(shown)), "{output}");
}

#[test]
fn a_changed_config_file_is_shown() {
    let env = project();
    env.agent("a", &format!("echo >> forge/orch/chains.json; {DONE}"));
    config(&env, r#"{"chains": {"c": {"steps": [{"agent": "a", "iterations": 1}]}}}"#);
    let output = forkhestra(&env, &["--chain", "c"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr.contains("chains.json changed during the run"), "{output}");
}
