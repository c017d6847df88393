//! The config file of the project is found from subdirectories, and runs work in its directory.

use std::fs;

use insta::assert_snapshot;
use testkit::{CommandOutput, TestEnv};

use crate::support::agents_at_work::steady;
use crate::{CONFIG, FORKHESTRA};

const OWN_CONFIG: &str = r#"{ "chains": { "build": { "steps": [{ "agent": "own" }] } } }"#;

/// A repository with a config file and a subdirectory. Its agent prints its directory.
fn repository() -> TestEnv {
    let env = TestEnv::new();
    env.agent("own", "pwd > where").write(CONFIG, OWN_CONFIG).write("src/deep/file", "");
    fs::create_dir_all(env.project().join(".git")).expect("the project is ours");
    env
}

/// Runs `forkhestra` in a directory of the project.
fn in_directory(env: &TestEnv, directory: &str, args: &[&str]) -> CommandOutput {
    let mut command = env.command(FORKHESTRA);
    command.current_dir(env.project().join(directory)).args(args);
    steady(env, &env.output_of(&mut command))
}

#[test]
fn a_chain_of_the_project_runs_from_a_subdirectory_where_its_config_is() {
    let env = repository();
    let output = in_directory(&env, "src/deep", &["--chain", "build"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("where"), "$TEST/project\n");
    let line = "[forkhestra] Config file: ../../forge/orch/chains.json; working directory: $TEST/project\n";
    assert!(output.stderr.starts_with(line), "{output}");
}

#[test]
fn a_dry_run_and_the_list_name_the_file() {
    let env = repository();
    assert_snapshot!(in_directory(&env, "src", &["--chain", "build", "--dry-run", "--quiet"]), @"
      1. own - run once
           agent: program $TEST/bin/own (PATH)
    ------- stderr -------
    [forkhestra] Config file: ../forge/orch/chains.json; working directory: $TEST/project
    ");
    let output = in_directory(&env, "src", &["list"]);
    assert!(
        output.stdout.starts_with("Chains:\n  build  [../forge/orch/chains.json:1:15]\n"),
        "{output}"
    );
    assert!(
        output.stderr.starts_with("[forkhestra] Config file: ../forge/orch/chains.json;"),
        "{output}"
    );
    let output = in_directory(&env, "src", &["doctor"]);
    assert!(output.stdout.contains("../forge/orch/chains.json"), "{output}");
}

#[test]
fn in_the_directory_of_the_config_there_is_no_message() {
    let env = repository();
    let output = in_directory(&env, ".", &["--chain", "build", "--dry-run"]);
    assert_eq!(output.stderr, "", "{output}");
}

/// The working directory of a dry run from a directory, and its exit code.
fn working_directory(env: &TestEnv, directory: &str, args: &[&str]) -> (Option<i32>, String) {
    let args = [args, &["--chain", "build", "--dry-run", "--output", "json"]].concat();
    let output = in_directory(env, directory, &args);
    let plan: serde_json::Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    let place = plan["workingDirectory"].as_str().unwrap_or_default();
    (output.code, place.replace("$TEST/project", "PROJECT"))
}

#[test]
fn the_nearest_config_of_the_repository_is_used() {
    let env = repository();
    env.agent("claude", "true").write("forge/chains.json", OWN_CONFIG);
    env.write("nested/forge/chains.json", OWN_CONFIG).write("nested/src/file", "");
    env.write("module/src/file", "");
    fs::create_dir_all(env.project().join("module/.git")).expect("the project is ours");
    let nested = env.project().join("nested");
    let nested = nested.to_str().expect("temporary directories have plain names");
    for (directory, args, expected) in [
        ("src", &[][..], "PROJECT"),
        ("src/deep", &[], "PROJECT"),
        ("nested/src", &[], "PROJECT/nested"),
        ("nested", &[], "PROJECT/nested"),
        // Another repository is another project: the built-in chain is used.
        ("module/src", &[], "PROJECT/module/src"),
        // A named directory is used.
        (".", &["--cwd", "src/deep"], "PROJECT/src/deep"),
        ("src", &["--cwd", "."], "PROJECT/src"),
        (".", &["--cwd", "nested/src"], "PROJECT/nested/src"),
        ("src", &["--cwd", nested], "PROJECT/nested"),
        // A named config file is used in the current directory.
        ("src", &["--config", "../forge/orch/chains.json"], "PROJECT/src"),
    ] {
        let found = working_directory(&env, directory, args);
        assert_eq!(found, (Some(0), expected.to_owned()), "{directory} {args:?}");
    }
}

#[test]
fn outside_of_a_repository_only_the_working_directory_is_searched() {
    let env = TestEnv::new();
    env.agent("claude", "true").write(CONFIG, OWN_CONFIG).write("src/file", "");
    let found = working_directory(&env, "src", &[]);
    assert_eq!(found, (Some(0), "PROJECT/src".to_owned()));
}

#[test]
fn typed_paths_are_relative_to_the_current_directory() {
    let env = repository();
    env.write("src/prompt.md", "Do it.\n").write_script("src/fix.sh").write_script("src/check.sh");
    let args = [
        "./fix.sh:2",
        "--prompt-file",
        "prompt.md",
        "--check",
        "./check.sh",
        "--check",
        "file:out.txt",
        "--check",
        "command:./check.sh --all",
        "--check",
        "command:make",
        "--done-file",
        "done",
        "--hook",
        "on-complete:./fix.sh",
        "--protect",
        "tests/**",
        "--record",
        "../recording",
        "--state-dir",
        "state",
        "--dry-run",
        "--quiet",
    ];
    assert_snapshot!(in_directory(&env, "src", &args).stdout, @r#"
    1. ./fix.sh - loop up to 2 iterations
         agent: program $TEST/project/src/fix.sh (path)
         prompt: file src/prompt.md
           "Do it."
         check: src/check.sh
         check: file:src/out.txt
         check: command:"cd ./src || exit; ./check.sh --all"
         check: command:"cd ./src || exit; make"
         protected: src/tests/**, src/check.sh
         done file: src/done

    hook: on-complete: cd ./src || exit; ./fix.sh
    state directory: src/state
    record: src/../recording
    "#);
    let output = in_directory(&env, "src", &["./fix.sh", "--state-dir", "state"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(env.project().join("src/state").is_dir(), "{output}");
    let runs = in_directory(&env, "src", &["runs", "--state-dir", "state"]);
    assert!(runs.stdout.contains("./fix.sh"), "{runs}");
}

#[test]
fn a_named_directory_stays_and_the_config_above_it_is_named_and_not_used() {
    let env = repository();
    let output = in_directory(&env, ".", &["--cwd", "src/deep", "own"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("src/deep/where"), "$TEST/project/src/deep\n");
    let line = "[forkhestra] Config file not used: forge/orch/chains.json; `--cwd` sets the working directory: $TEST/project/src/deep\n";
    assert_eq!(output.stderr.matches(line).count(), 1, "{output}");
    let listed = in_directory(&env, "src", &["list", "--cwd", "."]);
    assert!(listed.stderr.contains("not used: ../forge/orch/chains.json;"), "{listed}");
    let here = in_directory(&env, "src", &["list", "--cwd", ".."]);
    assert_eq!(here.stderr, "", "{here}");
}

#[test]
fn typed_commands_run_in_the_current_directory() {
    let env = repository();
    env.agent("worker", "echo FORKHESTRA_COMPLETE");
    env.write("my 'app/fixtures/one", "").write_script("my 'app/test.sh");
    let args = [
        "worker:2",
        "--check",
        "command:false || ./test.sh ./fixtures && test -e fixtures/one",
        "--hook",
        "on-complete:echo \"$PWD\" > place",
    ];
    // The directory has a config above it, so the run works in that project.
    let output = in_directory(&env, "my 'app", &args);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("my 'app/place"), "$TEST/project/my 'app\n");
    let shown = in_directory(&env, "my 'app", &[&args[..], &["--dry-run"]].concat());
    assert!(shown.stdout.contains(r"cd './my '\''app' || exit; echo"), "{shown}");
}

#[test]
fn plan_in_a_subdirectory_names_the_project_before_it_writes() {
    let env = repository();
    env.write("src/idea.md", "A shop\n");
    let args = ["plan", "--prompt-file", "idea.md", "--no-run"];
    assert_snapshot!(in_directory(&env, "src", &args), @"
    ------- stderr -------
    [forkhestra] Config file: ../forge/orch/chains.json; working directory: $TEST/project
      created  ../forge/orch/specs/PLAN.md

    Next:
      forkhestra --chain plan     create the tasks
    ");
    assert!(env.read("forge/orch/specs/PLAN.md").contains("A shop"));
    env.agent("claude", "true");
    let args = ["plan", "--prompt-file", "idea.md", "--force", "--dry-run"];
    let output = in_directory(&env, "src", &args);
    assert_eq!(output.stderr.matches("[forkhestra] Config file: ").count(), 1, "{output}");
}

#[test]
fn init_below_a_project_warns() {
    let env = repository();
    let output = in_directory(&env, "src", &["init"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_snapshot!(output.stderr, @"
    warning: a config file here hides the one of this repository, which is in $TEST/project
    hint: to set that project up: --cwd $TEST/project
    ");
    let again = in_directory(&env, "src", &["init"]);
    assert_eq!(again.stderr, "", "{again}");
}
