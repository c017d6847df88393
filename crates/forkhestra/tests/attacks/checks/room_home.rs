//! An agent that changes the user's home, which checks in a clean room must not use.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use testkit::{CommandOutput, TestEnv};

use crate::support::{DONE, config, forkhestra, repository, run_directory};

/// Runs a check in a clean room after an agent that ran a script.
fn run(env: &TestEnv, script: &str, check: &str) -> CommandOutput {
    env.agent("a", &format!("{script}; {DONE}"));
    forkhestra(env, &["a:1", "--clean-room", "--check", &format!("command:{check}")])
}

#[test]
fn a_start_up_file_in_the_home_changes_no_check() {
    let env = repository();
    // A tool that obeys a file in the home, as Python obeys usercustomize.py.
    env.agent("mytest", "test -f ~/.mytest-always-green");
    let output = run(&env, "touch ~/.mytest-always-green", "mytest");
    assert_eq!(output.code, Some(1), "{output}");
    let output =
        run(&env, ":", "test ! -e ~/.gitconfig && test -z \"$(git config --global --list)\"");
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn python_runs_no_usercustomize_of_the_home() {
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

/// Toolchains of this machine find their files although the home is another one.
#[test]
fn toolchains_of_the_user_work_in_the_room() {
    let checks = [
        ("cargo", "cargo check --quiet --offline"),
        ("npm", "npm pkg get name"),
        ("python3", "python3 -c 'import json'"),
        ("go", "go env GOMODCACHE"),
    ];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let user = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    for (program, check) in checks {
        if !std::env::split_paths(&path).any(|place| place.join(program).is_file()) {
            testkit::report_skipped(&format!("{program} is not installed"));
            continue;
        }
        let env = repository();
        for place in [".cargo", ".rustup", ".npm", ".nvm", ".volta", ".pyenv", "go"] {
            if user.join(place).is_dir() {
                symlink(user.join(place), env.home().join(place)).expect("the place is ours");
            }
        }
        let package =
            "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
        env.write("Cargo.toml", package)
            .write("src/lib.rs", "")
            .write("package.json", "{\"name\": \"x\"}");
        env.agent("a", &format!("git add --all; git commit --quiet -m x; {DONE}"));
        let mut command = env.command(crate::FORKHESTRA);
        let own = std::env::split_paths(&path);
        let all = std::env::join_paths([env.bin()].into_iter().chain(own)).expect("no colon");
        command.env("PATH", all).args(["a:1", "--clean-room", "--check"]);
        let output = env.output_of(command.arg(format!("command:{check}")));
        assert_eq!(output.code, Some(0), "{check}: {output}");
    }
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
fn directories_that_agents_could_write_are_named_once() {
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
