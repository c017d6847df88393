//! Paths of the first run: a fork works with its own.

use std::fs;
use std::os::unix::fs::symlink;

use testkit::TestEnv;

use super::fork::{AGENT, everything, finished, forks_directory, git_in, read, run_at, work_tree};
use crate::support::{forkhestra, git, repository};

#[track_caller]
fn forked(env: &TestEnv, args: &[&str]) -> String {
    let output = forkhestra(env, &[&["fork"], args].concat());
    assert_eq!(output.code, Some(0), "{args:?}: {output}");
    run_at(env, 0)
}

#[test]
fn a_project_that_was_moved_behind_a_link_is_left_alone() {
    let env = finished();
    let source = run_at(&env, 0);
    let moved = env.root().join("moved");
    fs::rename(env.project(), &moved).expect("it is ours");
    symlink(&moved, env.project()).expect("it is ours");
    let before = everything(&moved);
    let output = forkhestra(&env, &["fork", &source, "--at", "1", "-p", "second"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(everything(&moved) == before, "the work tree of the first run was changed");
    let tree = work_tree(&env, &run_at(&env, 0));
    assert_eq!(read(&tree, "log.txt"), "1 first\n2 second\n3 second\n4 second\n");
}

#[test]
fn absolute_paths_lead_to_the_fork() {
    let env = repository();
    env.write("prompt.md", "from the file\n");
    git(&env, "add --all");
    git(&env, "commit --quiet --message prompt");
    env.agent(
        "a",
        &format!(
            "{AGENT}\n[ $n = 3 ] && touch result; [ $n -ge 2 ] && echo FORKHESTRA_COMPLETE; true"
        ),
    );
    let path = |name: &str| env.project().join(name).display().to_string();
    let check = format!("file:{}", path("result"));
    let done = path("done");
    let args =
        ["a:9", "--prompt-file", &path("prompt.md"), "--check", &check, "--done-file", &done];
    let output = forkhestra(&env, &args);
    assert_eq!(output.code, Some(0), "{output}");
    let source = run_at(&env, 0);
    env.write("prompt.md", "changed later\n");
    let plan = forkhestra(&env, &["fork", &source, "--at", "1", "--dry-run", "--output", "json"]);
    assert!(!plan.success().contains("$TEST/project"), "a path leads to the first run");
    let fork = forked(&env, &[&source, "--at", "1"]);
    let tree = work_tree(&env, &fork);
    // Without the file, the claim of iteration 2 is refused.
    assert_eq!(read(&tree, "n"), "3\n");
    let log = read(&tree, "log.txt");
    assert!(log.trim_end().ends_with("from the file") && !log.contains("changed later"), "{log}");
}

#[test]
fn commands_that_name_the_first_work_tree_are_reported() {
    let env = repository();
    env.agent("a", AGENT);
    let project = env.project().display().to_string();
    let check = format!("command:test -e {project}/n");
    let hook = format!("on-complete:touch {project}/hooked");
    let output = forkhestra(&env, &["a:9", "--check", &check, "--hook", &hook]);
    assert_eq!(output.code, Some(0), "{output}");
    let output = forkhestra(&env, &["fork", &run_at(&env, 0), "--at", "3"]);
    assert_eq!(output.code, Some(0), "{output}");
    for command in [&check["command:".len()..], &hook["on-complete:".len()..]] {
        let command = env.normalised(command.as_bytes());
        let warning = format!("names the work tree of the original run: {command}\n");
        assert!(output.stderr.contains(&warning), "{output}");
    }
}

#[test]
fn two_dots_behind_a_missing_directory_are_refused() {
    let env = finished();
    let source = run_at(&env, 0);
    for place in ["../none/../project/inside", "../none/../elsewhere"] {
        let output = forkhestra(&env, &["fork", &source, "--at", "3", "--in", place]);
        assert_eq!(output.code, Some(2), "{output}");
        assert!(output.stderr.contains("`..`"), "{output}");
        assert!(!env.root().join("none").exists() && !env.has("inside"));
    }
    let place = env.root().join("real");
    fs::create_dir(&place).expect("it is ours");
    forked(&env, &[&source, "--at", "3", "--in", "../real/../real/fork"]);
    assert_eq!(read(&place.join("fork"), "n"), "4\n");
}

#[test]
fn a_relative_remote_is_the_same_repository() {
    let env = finished();
    git(&env, "init --quiet --bare ../remote.git");
    git(&env, "remote add origin ../remote.git");
    git(&env, "remote add other https://example.org/../x.git");
    let fork = forked(&env, &[&run_at(&env, 0), "--at", "3"]);
    let tree = work_tree(&env, &fork);
    assert_eq!(git_in(&env, &tree, "remote get-url origin"), "$TEST/remote.git\n");
    assert_eq!(git_in(&env, &tree, "remote get-url other"), "https://example.org/../x.git\n");
    git_in(&env, &tree, "fetch --quiet origin");
}

#[test]
fn who_commits_may_be_set_anywhere() {
    let env = repository();
    env.agent("a", AGENT);
    let project = env.project().canonicalize().expect("it is there");
    let include = format!("[includeIf \"gitdir:{}/\"]\npath = work.inc\n", project.display());
    env.write_home(".gitconfig", format!("[user]\nname = Ada\nemail = ada@localhost\n{include}"));
    env.write_home("work.inc", "[user]\nname = Grace\n");
    assert_eq!(forkhestra(&env, &["a:9"]).code, Some(0));
    assert_eq!(git(&env, "log -1 --format=%an"), "Grace\n");
    let fork = forked(&env, &[&run_at(&env, 0), "--at", "1"]);
    let tree = work_tree(&env, &fork);
    assert_eq!(git_in(&env, &tree, "log -1 --format='%an %ae'"), "Grace ada@localhost\n");
}

/// A run directory is named by its time.
#[test]
fn a_project_named_like_a_run_directory_makes_no_run() {
    let env = repository();
    env.agent("a", AGENT);
    let project = env.root().join("20260101T000000Z");
    fs::rename(env.project(), &project).expect("it is ours");
    fs::create_dir(env.project()).expect("it is ours");
    let place = project.display().to_string();
    assert_eq!(forkhestra(&env, &["a:9", "--cwd", &place]).code, Some(0));
    forked(&env, &[&run_at(&env, 0), "--at", "3"]);
    let list = forkhestra(&env, &["runs", "--all", "--json"]).success();
    assert_eq!(list.matches("\"id\"").count(), 2, "{list}");
    let entries = fs::read_dir(forks_directory(&env)).expect("there is one");
    let names = entries.map(|entry| entry.expect("it is ours").file_name());
    let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    assert!(names.len() == 1 && !names[0].starts_with("2026"), "{names:?}");
}
