//! Forks that are refused, and `fork --here`.

use std::fs;

use testkit::TestEnv;

use super::fork::{AGENT, finished, forks_directory, run_at};
use crate::support::{forkhestra, git, project, repository};

/// The message of a fork that is refused. Nothing is left of it.
#[track_caller]
fn refused(env: &TestEnv, args: &[&str]) -> String {
    let output = forkhestra(env, &[&["fork"], args].concat());
    assert_eq!(output.code, Some(2), "{args:?}: {output}");
    let left = fs::read_dir(forks_directory(env)).map(Iterator::count);
    assert_eq!(left.unwrap_or_default(), 0, "{args:?} left something");
    output.stderr
}

#[test]
fn wrong_runs_snapshots_and_options() {
    let env = finished();
    let run = run_at(&env, 0);
    let run = run.as_str();
    env.write("full/file", "").write("file", "");
    for (args, expected) in [
        (&["zzz", "--at", "1"][..], "there is no run `zzz`"),
        (&[run, "--at", "9"], "no iteration 9 has a snapshot"),
        (&[run, "--at", "2.1"], "step 2 has no snapshot of iteration 1"),
        (&[run, "--at", "@99"], "no snapshot has the number 99"),
        (&[run, "--at", "x"], "is no snapshot"),
        (&[run], "--at"),
        (&["--at", "1"], "RUN"),
        (&[run, "--at", "1", "--in", "full"], "it is inside the work tree of the original run"),
        (&[run, "--at", "1", "--in", "new"], "it is inside the work tree of the original run"),
        (&[run, "--at", "1", "--state-dir", "x"], "there is no run"),
        (&[run, "--at", "1", "--here", "--in", "/x"], "cannot be used with"),
        (&[run, "--at", "1", "--force"], "--here"),
        (
            &[run, "--at", "1", "b:3"],
            "`b:3` is not accepted: a fork uses the chain of the original run",
        ),
        (&[run, "--at", "1", "--", "-x"], "a fork uses the recorded arguments of its agents"),
        (&[run, "--at", "1", "--replay", "x"], "`--replay` has no effect on a fork"),
        (&[run, "--at", "1", "--no-protect-scripts"], "`--no-protect-scripts` has no effect"),
        (&[run, "--at", "1", "--model", "opus"], "`--model opus`"),
        (&[run, "--at", "1", "--check", "nothing.sh"], "nothing.sh"),
        (&[run, "--at", "1", "--prompt-file", "none.md"], "Prompt file not found"),
    ] {
        let message = refused(&env, args);
        assert!(message.contains(expected), "{args:?}: {message}");
    }
    let message = refused(&env, &[run, "--at", "1", "--model", "opus"]);
    assert!(message.contains("hint: the work tree of the fork was removed again"), "{message}");
}

#[test]
fn directories_that_cannot_be_used() {
    let env = finished();
    let run = run_at(&env, 0);
    let place = |name: &str| env.root().join(name).display().to_string();
    fs::create_dir_all(env.root().join("full/inside")).expect("it is ours");
    fs::write(env.root().join("file"), "").expect("it is ours");
    for (name, expected) in [
        ("full", "it is not empty"),
        ("file", "it is not a directory"),
        ("file/below", "cannot be created"),
    ] {
        let message = refused(&env, &[&run, "--at", "1", "--in", &place(name)]);
        assert!(message.contains(expected), "{name}: {message}");
    }
    // An empty directory is used, and is empty again if the fork cannot be started.
    fs::create_dir(env.root().join("empty")).expect("it is ours");
    refused(&env, &[&run, "--at", "1", "--in", &place("empty"), "--model", "opus"]);
    assert_eq!(fs::read_dir(env.root().join("empty")).expect("it is kept").count(), 0);
    refused(&env, &[&run, "--at", "1", "--in", &place("a/b"), "--model", "opus"]);
    assert!(!env.root().join("a").exists());
    let output = forkhestra(&env, &["fork", &run, "--at", "3", "--in", &place("empty")]);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn runs_that_have_nothing_to_go_on_from() {
    let env = repository();
    env.agent("a", AGENT);
    assert_eq!(forkhestra(&env, &["a:9", "--no-snapshots"]).code, Some(0));
    let message = refused(&env, &[&run_at(&env, 0), "--at", "1"]);
    assert!(message.contains("it ran with `--no-snapshots`"), "{message}");
    let env = project();
    env.agent("a", "true");
    assert_eq!(forkhestra(&env, &["a"]).code, Some(0));
    let message = refused(&env, &[&run_at(&env, 0), "--at", "0"]);
    assert!(message.contains("has no snapshots"), "{message}");
}

#[test]
fn ambiguous_iterations_and_masked_plans() {
    let env = repository();
    env.agent("a", AGENT).agent("b", "true");
    assert_eq!(forkhestra(&env, &["a:9 -> b"]).code, Some(0));
    let message = refused(&env, &[&run_at(&env, 0), "--at", "1"]);
    assert!(message.contains("name the step as well: `1.1` or `2.1`"), "{message}");
    let mut command = env.command(crate::FORKHESTRA);
    command.env("API_TOKEN", "swordfish-4711").args(["b", "-p", "use swordfish-4711"]);
    assert_eq!(env.output_of(&mut command).code, Some(0));
    let message = refused(&env, &[&run_at(&env, 0), "--at", "0"]);
    assert!(message.contains("cannot be forked: a prompt, an argument or a command"), "{message}");
}

#[test]
fn nothing_is_left_of_a_fork_that_is_interrupted() {
    let env = finished();
    let (source, git) = (run_at(&env, 0), env.bin().join("git"));
    let real = fs::read_link(&git).expect("it is a link to the program");
    fs::remove_file(&git).expect("it is ours");
    let interrupt = "case \"$*\" in *pack-objects*) kill -INT $PPID;; esac";
    env.agent("git", &format!("{interrupt}\nexec '{}' \"$@\"", real.display()));
    let output = forkhestra(&env, &["fork", &source, "--at", "3"]);
    assert_eq!(output.code, None, "a signal ends it: {output}");
    assert!(output.stderr.contains("it was interrupted"), "{output}");
    assert!(output.stderr.contains("the original run was not changed"), "{output}");
    assert!(!forks_directory(&env).exists());
    assert_eq!(run_at(&env, 0), source, "no run was begun");
}

#[test]
fn a_fork_here_rewinds_the_work_tree() {
    let env = finished();
    let source = run_at(&env, 0);
    let output = forkhestra(&env, &["fork", &source, "--at", "3", "--here", "--dry-run"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("n"), "4\n");
    let output = forkhestra(&env, &["fork", &source, "--at", "3", "--here", "-p", "second"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("log.txt"), "1 first\n2 first\n3 first\n4 second\n");
    assert!(output.stderr.contains("Rewound to the end of iteration 3"), "{output}");
    assert!(output.stderr.contains(&format!("forkhestra rewind {source} --undo")), "{output}");
    assert_eq!(git(&env, "branch --show-current"), "main\n");
    let fork = run_at(&env, 0);
    assert!(fork != source && !forks_directory(&env).exists());
    let shown = forkhestra(&env, &["show", &source]).success();
    assert!(shown.contains(&format!("{fork} after iteration 3 (complete)")), "{shown}");
}

#[test]
fn a_fork_here_has_the_rules_of_rewind() {
    let env = finished();
    let source = run_at(&env, 0);
    env.write("log.txt", "mine\n");
    let message = refused(&env, &[&source, "--at", "3", "--here"]);
    assert!(message.contains("1 file was changed since the last snapshot"), "{message}");
    assert_eq!(env.read("log.txt"), "mine\n");
    let output = forkhestra(&env, &["fork", &source, "--at", "3", "--here", "-f"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("n"), "4\n");
    let saved = format!("show refs/forkhestra/{source}/before-rewind/1:log.txt");
    assert_eq!(git(&env, &saved), "mine\n");
}
