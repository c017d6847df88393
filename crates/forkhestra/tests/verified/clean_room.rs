//! Checks that see only committed files.

use crate::support::{
    DONE, config, forkhestra, git, project, reason, repository, run_directory, verdicts,
};

#[test]
fn an_untracked_file_cannot_make_a_check_pass() {
    let env = repository();
    env.agent(
        "a",
        "touch made; [ $FORKHESTRA_ITERATION = 2 ] && git add made && git commit --quiet -m made; \
        printf '%s' \"$FORKHESTRA_FEEDBACK\" > ../told; echo FORKHESTRA_COMPLETE",
    );
    let output = forkhestra(&env, &["a:4", "--clean-room", "--check", "file:made"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(verdicts(&env), ["refused uncommitted_work", "complete marker"]);
    let feedback =
        std::fs::read_to_string(env.root().join("told")).expect("the agent got feedback");
    assert!(feedback.contains("made") && feedback.to_lowercase().contains("commit"), "{feedback}");
}

#[test]
fn files_uncommitted_before_the_step_do_not_count() {
    let env = repository();
    env.write("notes of the user", "mine\n");
    env.agent(
        "a",
        "echo x > made; git add made; git commit --quiet -m made; echo FORKHESTRA_COMPLETE",
    );
    let output = forkhestra(&env, &["a:2", "--clean-room", "--check", "file:made"]);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn checks_run_without_untracked_files_and_the_clean_room_is_removed() {
    let env = repository();
    env.write("untracked", "x").agent("a", DONE);
    let check = "command:\"test ! -e untracked && test -e README && git rev-parse HEAD\"";
    let output = forkhestra(&env, &["a:1", "--clean-room", "--check", check]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(git(&env, "worktree list").lines().count(), 1);
    assert!(!run_directory(&env).join("kept/room").exists());
}

#[test]
fn the_setup_prepares_the_clean_room_and_caches_are_kept() {
    let env = repository();
    env.agent("a", DONE);
    config(
        &env,
        r#"{"chains": {"c": {"steps": [{"agent": "a", "iterations": 3,
        "cleanRoom": {"setup": "echo x >> cache/log || { mkdir cache && echo x >> cache/log; }", "keep": ["cache"]},
        "checks": ["command:test $(grep -c x cache/log) = 2"]}]}}}"#,
    );
    git(&env, "add --all");
    git(&env, "commit --quiet -m config");
    let output = forkhestra(&env, &["--chain", "c"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(verdicts(&env), ["refused checks_failed", "complete marker"]);
    assert!(!run_directory(&env).join("kept/caches").exists(), "the caches are removed");
}

#[test]
fn a_failed_setup_refuses_the_completion_with_a_reason() {
    let env = repository();
    env.agent("a", DONE);
    config(
        &env,
        r#"{"chains": {"c": {"steps": [{"agent": "a", "iterations": 1,
        "cleanRoom": {"setup": "echo no network; exit 5"}, "checks": ["command:true"]}]}}}"#,
    );
    git(&env, "add --all");
    git(&env, "commit --quiet -m config");
    let output = forkhestra(&env, &["--chain", "c"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(verdicts(&env), ["refused checks_failed"]);
    assert!(output.stdout.contains("setup") && output.stdout.contains("no network"), "{output}");
}

#[test]
fn hooks_of_the_repository_are_not_run() {
    let env = repository();
    env.agent_file(".git/hooks/post-checkout", "touch ../hooked");
    env.agent("a", DONE);
    assert_eq!(forkhestra(&env, &["a:1", "--clean-room", "--check", "command:true"]).code, Some(0));
    assert!(!env.root().join("hooked").exists());
}

#[test]
fn outside_of_a_repository_a_clean_room_is_refused_before_anything_runs() {
    let env = project();
    env.agent("a", "touch started");
    let message = forkhestra(&env, &["a:1", "--clean-room", "--check", "command:true"]).failure(2);
    assert!(message.contains("git repository"), "{message}");
    assert!(!env.has("started"));
}

#[test]
fn before_the_first_commit_no_check_passes() {
    let env = project();
    git(&env, "init --quiet");
    env.agent("a", DONE);
    let output = forkhestra(&env, &["a:1", "--clean-room", "--check", "command:true"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.to_string().contains("commit"), "{output}");
}

#[test]
fn a_clean_room_that_cannot_be_created_ends_the_run_and_the_resume_checks() {
    let env = repository();
    git(&env, "commit --quiet --allow-empty --message second");
    // The history of a commit is a part of its clone.
    let first = git(&env, "rev-parse HEAD~1");
    let (start, rest) = first.trim().split_at(2);
    let object = env.project().join(".git/objects").join(start).join(rest);
    let away = env.root().join("object");
    let steal = format!("mv '{}' '{}'", object.display(), away.display());
    env.link_system_program("mv").agent("a", &format!("echo x >> ../tries; {steal}; {DONE}"));
    let output = forkhestra(&env, &["a:9", "--clean-room", "--check", "command:true"]);
    assert_eq!((output.code, reason(&env)), (Some(1), "cannot_check".to_owned()), "{output}");
    std::fs::rename(away, object).expect("both are ours");
    let output = forkhestra(&env, &["resume"]);
    assert_eq!(output.code, Some(0), "{output}");
    let tries = std::fs::read_to_string(env.root().join("tries")).expect("it was started");
    assert_eq!(tries, "x\n", "the agent was paid for again");
}
