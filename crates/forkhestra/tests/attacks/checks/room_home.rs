//! An agent that changes the user's home, which checks in a clean room must not use.

use std::os::unix::fs::symlink;
use std::path::Path;

use testkit::{CommandOutput, TestEnv};

use crate::support::{DONE, config, forkhestra, repository, run_directory};

/// Runs a check in a clean room after an agent that ran a script.
fn run(env: &TestEnv, script: &str, check: &str) -> CommandOutput {
    env.agent("a", &format!("{script}; {DONE}"));
    forkhestra(env, &["a:1", "--clean-room", "--check", &format!("command:{check}")])
}

#[test]
fn c05_a_start_up_file_in_the_home_changes_no_check() {
    let env = repository();
    // A tool that obeys a file in the home, as Python obeys usercustomize.py.
    env.agent("mytest", "test -f ~/.mytest-always-green");
    let output = run(&env, "touch ~/.mytest-always-green", "mytest");
    assert_eq!(output.code, Some(1), "{output}");
    let output = run(&env, ":", "test ! -e ~/.gitconfig && test -z \"$(git config --global --list)\"");
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn c05_python_runs_no_usercustomize_of_the_home() {
    let env = repository();
    let python = Path::new("/usr/bin/python3");
    if !python.is_file() {
        testkit::report_skipped("there is no /usr/bin/python3");
        return;
    }
    symlink(python, env.bin().join("python3")).expect("the place is ours");
    let install = "d=$(python3 -m site --user-site); mkdir -p $d; echo 'import os; os._exit(0)' > $d/usercustomize.py";
    let output = run(&env, install, "python3 -c 'raise SystemExit(1)'");
    assert_eq!(output.code, Some(1), "{output}");
}

#[test]
fn temporary_files_and_base_directories_belong_to_the_room() {
    let env = repository();
    let names = "HOME TMPDIR XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME";
    let check = format!(
        "for n in {names}; do eval d=\\$$n; case $d in */scratch/room-*) ;; *) exit 1;; esac; touch $d/x || exit 1; done"
    );
    let output = run(&env, ":", &check);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!run_directory(&env).join("scratch").exists(), "no directory is left");
}

#[test]
fn c36_directories_that_agents_could_write_are_named_once() {
    let env = repository();
    env.write_home(".cargo/registry/x", "");
    env.agent("a", "echo x > new; git add new; git commit --quiet -m x");
    config(
        &env,
        r#"{"chains": {"c": {"steps": [{"agent": "a", "iterations": 2, "completion": "checks",
            "cleanRoom": {"keep": ["target"]}, "checks": ["command:test \"$CARGO_HOME\" = x"]}]}}}"#,
    );
    let output = forkhestra(&env, &["--chain", "c"]);
    let notice = "use directories that agents could write: $TEST/home/.cargo, target (kept)";
    assert_eq!(output.stderr.matches(notice).count(), 1, "{output}");
}
