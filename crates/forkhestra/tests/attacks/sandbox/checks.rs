//! Checks run in a sandbox of their own.

use std::fs;

use super::sandboxed_run::{TestedLevel, for_each_runner, run_at, victim};
use crate::FORKHESTRA;
use crate::support::{check_outcomes, config, git};

/// Runs a chain whose only check is a script, with keys of providers in the environment.
fn run_with_check(env: &testkit::TestEnv, level: &str, clean_room: bool) -> testkit::CommandOutput {
    let room = if clean_room { r#""cleanRoom": true,"# } else { "" };
    config(
        env,
        &format!(
            r#"{{"chains": {{"c": {{{room} "steps": [{{"agent": "worker", "iterations": 1}}],
                "checks": ["scripts/verify.sh"]}}}}}}"#
        ),
    );
    env.agent("worker", "echo FORKHESTRA_COMPLETE");
    git(env, "add --all");
    git(env, "commit --quiet --message check");
    let mut command = env.command(FORKHESTRA);
    command
        .env("FORKHESTRA_SANDBOX", level)
        .env("ANTHROPIC_API_KEY", "sk-secret-1")
        .env("OPENAI_API_KEY", "sk-secret-2")
        .env("GEMINI_API_KEY", "sk-secret-3");
    env.output_of(command.args(["--chain", "c"]))
}

#[test]
fn a_check_has_no_keys_and_writes_nothing_outside() {
    for level in [TestedLevel::Workspace, TestedLevel::Guard] {
        if !level.works() {
            continue;
        }
        for clean_room in [false, true] {
            let env = victim();
            // A clean room has a home of its own, so the user's is named. What a check writes to a
            // path in its own `/tmp` is not there afterwards.
            let home = env.home();
            let script = format!(
                "PATH=$PATH:/usr/bin:/bin\n\
                 if env | grep secret; then exit 1; fi\n\
                 echo evil >> {}/.bashrc\n\
                 echo fine > made && echo fine > ${{TMPDIR:?}}/made && git status --short > status\n",
                home.display()
            );
            env.write("scripts/verify.sh", script);
            let output = run_with_check(&env, level.word(), clean_room);
            assert_eq!(
                check_outcomes(&env),
                ["scripts/verify.sh passed"],
                "{level:?} {clean_room} {output}"
            );
            let bashrc = fs::read_to_string(env.home().join(".bashrc")).expect("it is there");
            assert_eq!(bashrc, "# mine\n");
        }
    }
}

#[test]
fn a_check_cannot_reach_the_runner() {
    for level in [TestedLevel::Workspace, TestedLevel::Guard] {
        if !level.works() {
            continue;
        }
        let env = victim();
        let script = format!("PATH=$PATH:/usr/bin:/bin\n{}\n", for_each_runner!("kill -9 $p"));
        env.write("scripts/verify.sh", &script);
        let output = run_with_check(&env, level.word(), false);
        assert_eq!(output.code, Some(0), "{level:?} {output}");
        let env = victim();
        env.write("scripts/verify.sh", &script);
        let output = run_with_check(&env, "off", false);
        assert_ne!(output.code, Some(0), "the attack does nothing without a sandbox: {output}");
    }
}

#[test]
fn git_works_in_the_clean_room_of_a_sandboxed_check() {
    for level in [TestedLevel::Workspace, TestedLevel::Guard] {
        if !level.works() {
            continue;
        }
        let env = victim();
        env.write(
            "scripts/verify.sh",
            "PATH=$PATH:/usr/bin:/bin\nset -e\ngit log --oneline\ngit show --stat HEAD\n",
        );
        let output = run_with_check(&env, level.word(), true);
        assert_eq!(check_outcomes(&env), ["scripts/verify.sh passed"], "{level:?} {output}");
    }
}

#[test]
fn a_test_of_a_snapshot_has_the_sandbox_of_the_run() {
    for level in [TestedLevel::Workspace, TestedLevel::Guard] {
        if !level.works() {
            continue;
        }
        let env = victim();
        env.agent("worker", "echo x > made; exit 0");
        let output = run_at(&env, level.word(), &["worker:1"]);
        assert_eq!(output.code, Some(1), "{output}");
        let home = env.home();
        // The room can be written, the user's home and the project cannot.
        let script = format!(
            "PATH=$PATH:/usr/bin:/bin; echo evil >> {}/.bashrc; echo evil > $FORKHESTRA_PROJECT_DIR/evil
             env | grep secret && exit 1
             echo fine > left && git status --short > status && ! [ -e made ]",
            home.display()
        );
        let bisect = |args: &[&str]| {
            let args = [&["bisect"], args, &["--", "/bin/sh", "-c", &script]].concat();
            let mut command = env.command(FORKHESTRA);
            env.output_of(command.env("ANTHROPIC_API_KEY", "sk-secret-1").args(args))
        };
        let output = bisect(&[]);
        assert_eq!(output.code, Some(0), "{level:?} {output}");
        let bashrc = fs::read_to_string(home.join(".bashrc")).expect("it is there");
        assert_eq!((bashrc.as_str(), env.has("evil")), ("# mine\n", false), "{level:?} {output}");
        let output = bisect(&["--sandbox", "off"]);
        assert!(env.has("evil"), "the attack does nothing without a sandbox: {output}");
    }
}
