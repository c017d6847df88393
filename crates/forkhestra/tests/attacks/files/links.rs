//! Links that a repository brings, or that an agent makes, in the places that the runner writes to. An agent in a sandbox
//! cannot write to the targets; the runner could.

use std::fs;
use std::os::unix::fs::symlink;

use testkit::{CommandOutput, TestEnv};

use crate::FORGE_TASKS;
use crate::support::{DONE, events_of, forkhestra, git, repository, run_directory, run_id};

/// A directory and a file outside of the project, as `~/.ssh` and `authorized_keys`.
fn with_victim(env: &TestEnv) -> &TestEnv {
    env.write_home("keys/authorized", "precious\n")
}

/// Asserts that nothing was written outside of the project.
#[track_caller]
fn assert_untouched(env: &TestEnv) {
    let directory = env.home().join("keys");
    let names: Vec<_> = fs::read_dir(&directory).expect("it is ours").flatten().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    let text = fs::read_to_string(directory.join("authorized")).expect("it is text");
    assert_eq!(text, "precious\n");
}

/// Runs an agent to a complete end, with exactly one warning about the view.
#[track_caller]
fn complete_without_view(env: &TestEnv, args: &[&str], why: &str) {
    let CommandOutput { stderr, code, .. } = forkhestra(env, args);
    assert_untouched(env);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(stderr.matches("the view of the run is not up to date").count(), 1, "{stderr}");
    assert!(stderr.contains(why), "{stderr}");
    assert_eq!(events_of(env, "run_finished").len(), 1);
}

#[test]
fn a_linked_view_directory_is_not_written_through() {
    let env = repository();
    with_victim(&env);
    env.agent("worker", DONE);
    symlink(env.home().join("keys"), env.project().join(".agent-state")).expect("it is ours");
    git(&env, "add --all");
    git(&env, "commit --quiet --message link");
    complete_without_view(
        &env,
        &["worker:2"],
        ".agent-state` is a symbolic link, which is not followed",
    );
}

#[test]
fn links_that_the_agent_makes_are_not_written_through() {
    let iterations = "ln -s ~/keys/authorized .agent-state/iterations.jsonl";
    let hard = "ln ~/keys/authorized .agent-state/iterations.jsonl";
    let directory = "rm -rf .agent-state; ln -s ~/keys .agent-state";
    for (make, why) in [
        (iterations, "iterations.jsonl` is a symbolic link, which is not followed"),
        (hard, "it has 2 names (hard links)"),
        (directory, ".agent-state` is a symbolic link, which is not followed"),
    ] {
        let env = TestEnv::new();
        with_victim(&env).agent("worker", &format!("mkdir -p .agent-state\n{make}\n{DONE}"));
        complete_without_view(&env, &["worker:2"], why);
    }
}

/// A link in the place of a temporary file is removed, and the view is written.
#[test]
fn a_linked_temporary_file_is_not_written_through() {
    let env = TestEnv::new();
    let make = "mkdir -p .agent-state; ln -s ~/keys/authorized .agent-state/..gitignore.new";
    with_victim(&env).agent("worker", &format!("{make}; {DONE}"));
    assert_eq!(forkhestra(&env, &["worker:2"]).code, Some(0));
    assert_untouched(&env);
    assert_eq!(env.read(".agent-state/.gitignore"), "*\n");
}

/// The working directory of the run is inside of what the agent can write to.
#[test]
fn a_working_directory_that_became_a_link_gets_no_view() {
    let env = repository();
    with_victim(&env).agent("worker", &format!("mv ../sub ../gone; ln -s ~/keys ../sub; {DONE}"));
    fs::create_dir(env.project().join("sub")).expect("it is ours");
    complete_without_view(&env, &["worker:2", "--cwd", "sub"], "sub` is a symbolic link");
}

#[test]
fn a_pipe_in_the_place_of_a_view_blocks_nothing() {
    let env = TestEnv::new();
    let make = "mkdir -p .agent-state; mkfifo .agent-state/iterations.jsonl";
    with_victim(&env).agent("worker", &format!("{make}; {DONE}"));
    complete_without_view(&env, &["worker:2"], "it is a named pipe, not a regular file");
}

/// Removing a run removes its views, and nothing through a link.
#[test]
fn a_removed_run_removes_nothing_through_a_link() {
    let env = TestEnv::new();
    env.agent("worker", DONE);
    assert_eq!(forkhestra(&env, &["worker"]).code, Some(0));
    let views = env.project().join(".agent-state");
    fs::rename(&views, env.project().join("elsewhere")).expect("it is ours");
    symlink("elsewhere", &views).expect("it is ours");
    let before = fs::read_dir(env.project().join("elsewhere")).expect("it is ours").count();
    assert_eq!(forkhestra(&env, &["runs", "rm", &run_id(&env)]).code, Some(0));
    assert_eq!(fs::read_dir(env.project().join("elsewhere")).expect("ours").count(), before);
}

#[test]
fn a_recording_is_not_written_through_a_link() {
    let env = repository();
    with_victim(&env);
    env.agent("worker", &format!("rm -rf rec/1-1-1; ln -s ~/keys rec/1-1-1; {DONE}"));
    let done = forkhestra(&env, &["worker:2", "--record", "rec"]);
    assert_eq!(done.code, Some(0), "{done}");
    assert_untouched(&env);
    assert!(done.stderr.contains("is a symbolic link, which is not followed"), "{done}");
}

/// `init` in a repository whose directories lead elsewhere.
#[test]
fn init_follows_no_link_out_of_the_repository() {
    for (name, target) in
        [("forge", "keys"), ("forge/orch", "keys"), (".gitignore", "keys/authorized")]
    {
        let env = repository();
        with_victim(&env);
        let link = env.project().join(name);
        fs::create_dir_all(link.parent().expect("it is below the project")).expect("it is ours");
        symlink(env.home().join(target), &link).expect("it is ours");
        let refused = forkhestra(&env, &["init"]);
        assert_untouched(&env);
        assert_eq!(refused.code, Some(2), "{name}: {refused}");
        assert!(refused.stderr.contains("a symbolic link leads out of the project"), "{refused}");
    }
}

/// The runner gives back the tasks of an agent that has ended. The agent has made the database a link to one outside of
/// the project.
#[test]
fn tasks_are_not_written_through_a_new_link() {
    for (part, rest) in [("forge", "/tasks"), ("forge/tasks", "")] {
        let env = repository();
        let tasks = |args: &[&str]| env.run(FORGE_TASKS, args);
        assert_eq!(tasks(&["init"]).code, Some(0));
        assert_eq!(tasks(&["create", "A task"]).code, Some(0));
        let script = format!(
            "forge-tasks claim --plain\ncp -r {part} ~/elsewhere; cp -r {part} ~/copy\n\
             rm -rf {part}; ln -s ~/elsewhere {part}"
        );
        env.agent("worker", &script);
        let done = forkhestra(&env, &["worker"]);
        let place = |name: &str| format!("{}/{name}{rest}", env.home().display());
        let compared = env.run(
            "/bin/sh",
            &["-c", &format!("/usr/bin/diff -r {} {}", place("copy"), place("elsewhere"))],
        );
        assert_eq!(compared.code, Some(0), "{part}: {compared}{done}");
        assert!(done.stderr.contains("leads out of the project"), "{part}: {done}");
    }
}

/// The journal stays whole whatever happens to the view.
#[test]
fn a_run_without_a_view_can_be_read() {
    let env = TestEnv::new();
    with_victim(&env).agent("worker", DONE);
    symlink(env.home().join("keys"), env.project().join(".agent-state")).expect("it is ours");
    assert_eq!(forkhestra(&env, &["worker"]).code, Some(0));
    forkhestra(&env, &["show"]).success();
    assert!(run_directory(&env).join("overview.json").exists());
}
