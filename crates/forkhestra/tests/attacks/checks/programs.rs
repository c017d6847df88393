//! An agent that replaces the programs which checks and hooks run.

use std::fs;

use testkit::TestEnv;

use crate::support::{
    DONE, events_of, forkhestra, git, project, repository, run_directory, verdicts,
};

/// Puts a program that always passes into the private directory in front of PATH.
fn fake_in_tools_directory(name: &str) -> String {
    format!(
        "d=$(dirname $(command -v forge-tasks)); printf '#!/bin/true\\n' > $d/{name}; chmod +x $d/{name}; {DONE}"
    )
}

fn red_program(env: &TestEnv, name: &str) {
    env.agent(name, "echo the work is missing; exit 1");
}

#[track_caller]
fn assert_refused(env: &TestEnv, args: &[&str]) -> String {
    let output = forkhestra(env, args);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(verdicts(env).iter().all(|verdict| verdict == "refused checks_failed"), "{output}");
    output.to_string()
}

#[test]
fn a_program_in_the_tools_directory_is_not_run() {
    let env = project();
    red_program(&env, "mytest");
    env.agent("a", &fake_in_tools_directory("mytest"));
    assert_refused(&env, &["a:2", "--check", "command:mytest"]);
    assert!(!run_directory(&env).join("scratch").exists(), "no directory is left");
}

#[test]
fn a_shell_in_the_tools_directory_is_not_run() {
    let env = repository();
    env.write("tests/run.sh", "exit 1\n");
    git(&env, "add --all");
    git(&env, "commit --quiet --message tests");
    env.agent("a", &fake_in_tools_directory("sh"));
    assert_refused(
        &env,
        &["a:1", "--clean-room", "--protect", "tests/**", "--check", "command:sh tests/run.sh"],
    );
}

#[test]
fn a_bash_in_the_tools_directory_does_not_run_script_checks() {
    let env = project();
    env.write("check.sh", "exit 1\n");
    env.agent("a", &fake_in_tools_directory("bash"));
    assert_refused(&env, &["a:1", "--check", "./check.sh"]);
}

#[test]
fn a_hook_runs_no_program_of_the_private_directory() {
    let env = project();
    env.agent("notify-me", "echo real >> told");
    let fake = "d=$(dirname $(command -v forge-tasks)); printf '#!/bin/sh\\necho fake >> told\\n' > $d/notify-me; \
        chmod +x $d/notify-me";
    env.agent("a", &format!("{fake}; {DONE}"));
    let output = forkhestra(&env, &["a:1", "--hook", "post-iteration:notify-me"]);
    assert_eq!((output.code, env.read("told").as_str()), (Some(0), "real\n"), "{output}");
}

#[test]
fn an_agent_gets_no_program_that_an_earlier_one_left() {
    let env = project();
    env.agent("helper", "echo real >> called");
    let fake = "d=$(dirname $(command -v forge-tasks)); printf '#!/bin/sh\\necho fake >> called\\n' > $d/helper; \
        chmod +x $d/helper";
    env.agent("a", &format!("helper; {fake}"));
    let output = forkhestra(&env, &["a:2"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(env.read("called"), "real\nreal\n");
}

#[test]
fn a_replaced_program_is_not_run() {
    let env = project();
    red_program(&env, "mytest");
    let path = env.bin().join("mytest").display().to_string();
    env.agent("a", &format!("printf '#!/bin/true\\n' > {path}; {DONE}"));
    let output = assert_refused(&env, &["a:2", "--check", "command:mytest"]);
    assert!(output.contains("the program `mytest` changed since the run began"), "{output}");
    let resumed = forkhestra(&env, &["resume", "--max-iterations", "3"]);
    assert!(
        resumed.stderr.contains("use programs as they are now: the program `mytest`"),
        "{resumed}"
    );
    assert_eq!(resumed.code, Some(0), "a person accepted it: {resumed}");
    assert_eq!(events_of(&env, "programs_recorded").len(), 1);
}

#[test]
fn a_replaced_interpreter_is_not_run() {
    let env = project();
    env.agent("interp", "exit 1");
    fs::write(env.bin().join("mytest"), "#!/usr/bin/env interp\n").expect("the place is ours");
    let _ = env.run("/bin/chmod", &["+x", &env.bin().join("mytest").display().to_string()]);
    let path = env.bin().join("interp").display().to_string();
    env.agent("a", &format!("printf '#!/bin/true\\n' > {path}; {DONE}"));
    let output = assert_refused(&env, &["a:1", "--check", "command:mytest"]);
    assert!(output.contains("the program `interp` changed"), "{output}");
}

#[test]
fn a_program_earlier_on_path_is_not_run() {
    let env = project();
    red_program(&env, "mytest");
    let early = env.root().join("early");
    fs::create_dir(&early).expect("the place is ours");
    let fake = early.join("mytest").display().to_string();
    env.agent("a", &format!("printf '#!/bin/true\\n' > {fake}; chmod +x {fake}; {DONE}"));
    let path = std::env::join_paths([early, env.bin()]).expect("no colon is in them");
    let mut command = env.command(crate::FORKHESTRA);
    let output =
        env.output_of(command.env("PATH", path).args(["a:1", "--check", "command:mytest"]));
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.to_string().contains("/early/mytest now"), "{output}");
}

#[test]
fn a_program_that_was_not_there_is_not_run() {
    let env = project();
    let fake = env.bin().join("mytest").display().to_string();
    env.agent("a", &format!("printf '#!/bin/true\\n' > {fake}; chmod +x {fake}; {DONE}"));
    let output = assert_refused(&env, &["a:1", "--check", "command:mytest"]);
    assert!(output.contains("`mytest` was not there when the run began"), "{output}");
}

#[test]
fn the_programs_of_the_start_hold_after_a_resume_that_found_them_unchanged() {
    let env = project();
    red_program(&env, "mytest");
    let path = env.bin().join("mytest").display().to_string();
    let late = format!("test -f second && printf '#!/bin/true\\n' > {path}; touch second; {DONE}");
    env.agent("a", &late);
    assert_refused(&env, &["a:1", "--check", "command:mytest"]);
    let resumed = forkhestra(&env, &["resume", "--max-iterations", "2"]);
    assert_eq!(resumed.code, Some(1), "{resumed}");
    assert!(resumed.to_string().contains("`mytest` changed since the run began"), "{resumed}");
    assert_eq!(events_of(&env, "programs_recorded").len(), 0);
}

#[test]
fn relative_entries_of_path_lead_checks_to_no_program() {
    let env = project();
    red_program(&env, "mytest");
    env.agent("a", &format!("printf '#!/bin/true\\n' > mytest; chmod +x mytest; {DONE}"));
    let path = format!(".::bin:{}", env.bin().display());
    let mut command = env.command(crate::FORKHESTRA);
    let output =
        env.output_of(command.env("PATH", path).args(["a:2", "--check", "command:mytest"]));
    assert_eq!(output.code, Some(1), "{output}");
    let warning = "checks and hooks ignore the relative entries of PATH";
    assert_eq!(output.stderr.matches(warning).count(), 1, "{output}");
}
