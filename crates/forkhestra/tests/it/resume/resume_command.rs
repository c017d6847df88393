//! The resume command at the end of a run works unchanged from any directory.

use std::process::Command;

use testkit::{CommandOutput, TestEnv};

use crate::support::agents_at_work::{DONE, only_run, run, steady};
use crate::{FORKHESTRA, project};

/// Runs the shown command in an unrelated directory.
#[track_caller]
fn resume_as_shown(env: &TestEnv, shown: &CommandOutput) -> CommandOutput {
    let command = shown.stdout.lines().find_map(|line| line.split_once("To resume: forkhestra "));
    let (_, words) = command.expect("it is shown");
    let words = words.replace("$TEST", &env.root().to_string_lossy());
    env.output_of(typed(env, &words).current_dir("/"))
}

fn typed(env: &TestEnv, words: &str) -> Command {
    let mut shell = env.command("/bin/sh");
    shell.args(["-c", &format!("exec \"$0\" {words}"), FORKHESTRA]);
    shell
}

/// Runs, and resumes three times: the command shown by a resumed run works, too.
#[track_caller]
fn assert_resumable_repeatedly(env: &TestEnv, first: &mut Command) {
    let mut output = env.output_of(first);
    for _ in 0..3 {
        assert_eq!(output.code, Some(1), "{output}");
        output = resume_as_shown(env, &output);
        let resuming = "[forkhestra] Resuming run [id]: ";
        assert!(steady(env, &output).stdout.starts_with(resuming), "{output}");
    }
}

#[test]
fn for_a_run_in_the_default_directory() {
    let env = TestEnv::new();
    env.agent("a", "exit 1");
    assert_resumable_repeatedly(&env, env.command(FORKHESTRA).arg("a"));
}

#[test]
fn for_a_run_in_a_named_directory() {
    for named in ["state", "../with space/and 'quotes'"] {
        let env = TestEnv::new();
        env.agent("a", "exit 1").write("sub/keep", "");
        let args = ["a", "--cwd", "sub", "--state-dir", named];
        assert_resumable_repeatedly(&env, env.command(FORKHESTRA).args(args));
    }
}

#[test]
fn for_a_run_kept_in_its_project() {
    let env = TestEnv::new();
    env.agent("a", "exit 1").write_home(".local", "not a directory");
    assert_resumable_repeatedly(&env, env.command(FORKHESTRA).arg("a"));
}

#[test]
fn for_a_run_named_by_its_path() {
    let env = TestEnv::new();
    env.agent("a", "exit 1");
    assert_eq!(run(&env, &["a", "--state-dir", "elsewhere"]).code, Some(1));
    assert_resumable_repeatedly(&env, env.command(FORKHESTRA).arg("resume").arg(only_run(&env)));
}

/// The values of variables are read from the config again.
#[test]
fn for_a_run_that_needs_its_named_config() {
    let env = TestEnv::new();
    env.agent("tool", "echo $TOKEN; exit 1").write(
        "other.json",
        r#"{ "agents": { "w": { "command": "tool", "env": { "TOKEN": "t" } } }, "chains": {} }"#,
    );
    assert_resumable_repeatedly(
        &env,
        env.command(FORKHESTRA).args(["w", "--config", "other.json"]),
    );
}

#[test]
fn a_config_that_is_not_needed_is_not_named() {
    let env = project(r#"{ "chains": {} }"#);
    env.agent("a", "exit 1");
    let output = run(&env, &["a", "--config", crate::CONFIG]);
    assert!(output.stdout.contains("To resume: forkhestra resume [id]\n"), "{output}");
}

/// Otherwise the run would end again at once.
#[test]
fn after_the_last_iteration_the_command_raises_the_limit() {
    let env = TestEnv::new();
    env.agent("a", &format!("[ $FORKHESTRA_ITERATION -lt 7 ] || {DONE}"));
    let output = run(&env, &["a:2"]);
    assert!(output.stdout.contains("To resume: forkhestra resume [id] --max-iterations 4\n"));
    let output = resume_as_shown(&env, &env.run(FORKHESTRA, &["resume", "--max-iterations", "3"]));
    assert!(output.stdout.contains(" --max-iterations 12\n"), "{output}");
    assert_eq!(resume_as_shown(&env, &output).code, Some(0));
}

/// The limit applies to all remaining steps.
#[test]
fn the_raised_limit_does_not_lower_that_of_later_steps() {
    let env = TestEnv::new();
    env.agent("a", "").agent("done", DONE);
    let output = run(&env, &["done:50 -> a:2 -> a:20"]);
    assert!(output.stdout.contains(" --max-iterations 20\n"), "{output}");
}

/// Otherwise the run would end again before it starts anything.
#[test]
fn after_a_time_limit_the_command_raises_it() {
    let chain = r#""steps": [{ "agent": "a", "iterations": 3, "limits": { "time": "3s" } }]"#;
    let env = project(&format!(r#"{{ "chains": {{ "step": {{ {chain} }} }} }}"#));
    for (args, expected) in [
        (&["a:3", "--max-time", "3s"][..], " --max-time 6s\n"),
        (&["--chain", "step"], " --step-time 6s\n"),
    ] {
        let once = "[ -e been ] || { touch been; exec sleep 60; }";
        env.agent("a", &format!("{once}\nrm been\n{DONE}"));
        let output = env.run(FORKHESTRA, args);
        assert!(output.stdout.contains(expected), "{output}");
        let output = resume_as_shown(&env, &output);
        assert_eq!(output.code, Some(0), "{output}");
    }
}
