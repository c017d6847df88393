//! An agent that changes the scripts of checks and hooks, or prompts and config files.

use testkit::TestEnv;

use crate::support::{
    DONE, check_outcomes, config, events_of, forkhestra, git, project, repository, text, verdicts,
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
fn a_changed_check_script_is_refused_without_being_asked() {
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

/// The agent's build script weakens a later check while checks run.
#[test]
fn a_check_that_changes_the_script_of_a_later_check_is_refused() {
    let forge = "echo \"echo 'exit 0' > tests/run.sh\" > build.sh; git add --all; \
                 git commit --quiet --message build";
    let two = &["--check", "command:sh build.sh", "--check", "command:sh tests/run.sh"][..];
    let one = &["--check", "command:sh build.sh && sh tests/run.sh"][..];
    for checks in [two, one] {
        for options in [&[][..], &["--protect", "tests"], &["--clean-room"]] {
            let env = with_red_script();
            env.agent("a", &format!("{forge}; {DONE}"));
            let output = forkhestra(&env, &[&["a:1"], checks, options].concat());
            assert_eq!(output.code, Some(1), "{checks:?} {options:?}: {output}");
            assert_eq!(verdicts(&env), ["refused checks_failed"], "{options:?}: {output}");
            let outcomes = check_outcomes(&env);
            assert!(outcomes[0].ends_with(" failed"), "{outcomes:?}");
            let message = "protected files are changed after this command ran: tests/run.sh";
            assert!(output.to_string().contains(message), "{options:?}: {output}");
        }
    }
}

#[test]
fn a_check_that_adds_a_protected_file_before_another_check_is_refused() {
    let env = with_red_script();
    env.write("tests/run.sh", "test -e tests/conftest\n");
    git(&env, "commit --quiet --all --message tests");
    env.agent("a", &format!("echo 'touch tests/conftest' > build.sh; {DONE}"));
    let checks = ["--check", "command:sh build.sh", "--check", "command:sh tests/run.sh"];
    let output = forkhestra(&env, &[&["a:1", "--protect", "tests"], &checks[..]].concat());
    assert_eq!(verdicts(&env), ["refused checks_failed"], "{output}");
    assert!(output.to_string().contains("tests/conftest"), "{output}");
}

#[test]
fn by_products_of_checks_beside_protected_files_are_no_change() {
    let env = repository();
    env.write("tests/run.sh", "mkdir tests/__pycache__; touch tests/__pycache__/x.pyc tests/log\n");
    git(&env, "add --all");
    git(&env, "commit --quiet --message tests");
    env.agent("a", DONE);
    let checks = ["--check", "command:true", "--check", "command:sh tests/run.sh"];
    let output = forkhestra(&env, &[&["a:1", "--protect", "tests"], &checks[..]].concat());
    assert_eq!(output.code, Some(0), "{output}");
    // Caches may be there before another check runs.
    let env = repository();
    env.write("tests/run.sh", "mkdir tests/__pycache__; touch tests/__pycache__/x.pyc\n");
    git(&env, "add --all");
    git(&env, "commit --quiet --message tests");
    env.agent("a", DONE);
    let checks = ["--check", "command:sh tests/run.sh", "--check", "command:true"];
    let output = forkhestra(&env, &[&["a:1", "--protect", "tests"], &checks[..]].concat());
    assert_eq!(output.code, Some(0), "{output}");
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
fn build_products_that_a_check_names_may_be_built_again() {
    let env = repository();
    env.write(".gitignore", "dist/\n").write("dist/main.sh", "exit 1\n");
    git(&env, "add --all");
    git(&env, "commit --quiet --message ignore");
    env.agent("a", &format!("echo 'exit 0' > dist/main.sh; {DONE}"));
    let output = forkhestra(&env, &["a:1", "--check", "command:sh dist/main.sh"]);
    assert_eq!(output.code, Some(0), "{output}");
    // A file that is tracked, or could be added, is a source.
    git(&env, "add --force dist/main.sh");
    env.write("dist/main.sh", "exit 1\n");
    let output = forkhestra(&env, &["a:1", "--check", "command:sh dist/main.sh"]);
    assert_eq!(output.code, Some(1), "{output}");
}

#[test]
fn programs_of_the_work_tree_may_be_built() {
    let env = project();
    env.link_system_program("chmod");
    let app = env.project().join("out/app");
    let app = app.to_str().expect("it is a text");
    env.agent("a", &format!("mkdir out; echo '#!/bin/sh' > out/app; chmod +x out/app; {DONE}"));
    let output = forkhestra(&env, &["a:1", "--check", &format!("command:{app}")]);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn a_changed_hook_script_is_not_run() {
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
fn a_prompt_file_of_a_later_step_that_changed_is_shown() {
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
