//! Where a run is stored, and the lock that allows one run per work tree.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::FORKHESTRA;
use crate::support::agents_at_work::{DONE, journal, only_run, run, runs, steady};
use crate::support::run_in_progress::{RunInProgress, WAIT_FOR_GO};

/// The directory below which the only run is stored.
#[track_caller]
fn state_root(env: &TestEnv) -> String {
    let run = only_run(env);
    let root = run.ancestors().nth(2).expect("it is below the root");
    env.normalised(root.as_os_str().as_encoded_bytes())
}

/// The names of all entries of a directory.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("the directory is ours");
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.filter_map(Result::ok).map(name).collect();
    names.sort();
    names
}

#[test]
fn a_run_is_kept_in_the_users_state_directory_and_the_project_has_a_view_of_it() {
    let env = TestEnv::new();
    env.agent("a", DONE);
    assert_eq!(run(&env, &["a:3"]).code, Some(0));
    assert_eq!(state_root(&env), "$TEST/home/.local/state/forkhestra");
    assert_eq!(names(&env.project()), [".agent-state"]);
    let tree = only_run(&env).parent().map(|tree| tree.to_string_lossy().into_owned());
    assert!(tree.is_some_and(|tree| tree.contains("/project-")));
    assert_eq!(
        names(&only_run(&env)),
        ["journal.jsonl", "origin.json", "output", "overview.json", "stats.json"]
    );
}

#[test]
fn a_run_directory_is_private() {
    let env = TestEnv::new();
    env.agent("a", "echo out");
    assert_eq!(run(&env, &["a"]).code, Some(0));
    let mode = |path: &Path| {
        let metadata = fs::metadata(path).expect("it is there");
        metadata.permissions().mode() & 0o077
    };
    let run = only_run(&env);
    for path in [run.parent().unwrap_or(&run), &run, &run.join("journal.jsonl")] {
        assert_eq!(mode(path), 0, "{}", path.display());
    }
    assert_eq!(mode(&run.join("output/1-1-1/stdout")), 0);
}

#[test]
fn the_state_directory_follows_the_environment() {
    for (value, expected) in [
        ("$TEST/elsewhere", "$TEST/elsewhere/forkhestra"),
        ("relative", "$TEST/home/.local/state/forkhestra"),
        ("", "$TEST/home/.local/state/forkhestra"),
    ] {
        let env = TestEnv::new();
        env.agent("a", "");
        let value = value.replace("$TEST", &env.root().to_string_lossy());
        let mut command = env.command(FORKHESTRA);
        assert_eq!(env.output_of(command.arg("a").env("XDG_STATE_HOME", value)).code, Some(0));
        assert_eq!(state_root(&env), expected);
    }
}

#[test]
fn the_state_directory_may_be_named() {
    for (named, expected) in [
        ("state", "$TEST/project/sub/state"),
        ("../a/b c/d", "$TEST/project/a/b c/d"),
        ("$TEST/far/away", "$TEST/far/away"),
    ] {
        let env = TestEnv::new();
        env.agent("a", "").write("sub/keep", "");
        let named = named.replace("$TEST", &env.root().to_string_lossy());
        let output = run(&env, &["a", "--state-dir", &named, "--cwd", "sub"]);
        assert_eq!((output.code, state_root(&env).as_str()), (Some(0), expected), "{output}");
    }
}

#[test]
fn without_a_state_home_a_run_is_kept_in_the_project_with_a_warning() {
    let env = TestEnv::new();
    env.agent("a", "[ -e tried ] || { touch tried; exit 1; }")
        .write_home(".local", "not a directory");
    assert_snapshot!(run(&env, &["a", "--quiet"]), @"
    [forkhestra] To resume: forkhestra resume [id] --state-dir $TEST/project/.agent-state
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, failed (exit 1)
    ------- stderr -------
    warning: the run is kept in `.agent-state`: `$TEST/home/.local/state/forkhestra`: Not a directory (os error 20)
    hint: an agent that cleans the work tree (`git clean -fdx`) can destroy it there
    [exit status: 1]
    ");
    assert_eq!(state_root(&env), "$TEST/project/.agent-state");
    assert_eq!(env.read(".agent-state/.gitignore"), "*\n");
    assert_eq!(run(&env, &["resume", "--quiet"]).code, Some(0));
}

#[test]
fn without_a_home_a_run_is_kept_in_the_project_too() {
    let env = TestEnv::new();
    env.agent("a", "");
    let mut command = env.command(FORKHESTRA);
    let output = env.output_of(command.args(["a", "--quiet"]).env_remove("HOME"));
    assert_snapshot!(steady(&env, &output), @"
    [forkhestra] Chain complete (1/1 steps)
    ------- stderr -------
    warning: the run is kept in `.agent-state`: neither XDG_STATE_HOME nor HOME is set
    hint: an agent that cleans the work tree (`git clean -fdx`) can destroy it there
    ");
}

#[test]
fn runs_kept_in_the_project_are_found_from_its_subdirectories() {
    for is_repository in [true, false] {
        let env = TestEnv::new();
        env.agent("a", "echo printed").write_home(".local", "not a directory");
        env.write("src/deep/file", "").write("src/.agent-state/view", "");
        if is_repository {
            fs::create_dir(env.project().join(".git")).expect("the project is ours");
        } else {
            env.write("forge/chains.json", "{}");
        }
        assert_eq!(run(&env, &["a:2", "--quiet"]).code, Some(1));
        let from = |directory: &str, args: &[&str]| {
            let mut command = env.command(FORKHESTRA);
            env.output_of(command.args(args).current_dir(env.project().join(directory)))
        };
        let id = from("", &["events"]).success();
        let id = id.split("\"run\":\"").nth(1).and_then(|rest| rest.get(..8));
        let id = id.expect("there is a run").to_owned();
        for directory in ["src", "src/deep"] {
            for verb in ["runs", "show", "logs", "events"] {
                let message = from(directory, &[verb]).success();
                let expected = if verb == "logs" { "printed" } else { &id };
                assert!(message.contains(expected), "{verb} in {directory}: {message}");
            }
            let message = from(directory, &["show", &id[..4]]).success();
            assert!(message.contains(&id), "{message}");
        }
        let resumed = from("src/deep", &["resume", "--max-iterations", "3"]);
        assert!(resumed.stdout.contains(&format!("Resuming run {id}")), "{resumed}");
        // Runs are not found from outside the project.
        let outside =
            env.output_of(env.command(FORKHESTRA).arg("runs").current_dir(env.root().join("home")));
        assert_eq!(outside.stderr, "There are no runs here.\n", "{outside}");
    }
}

/// Neither a repository nor a config file shows that the directory above belongs to the same
/// project.
#[test]
fn runs_of_an_unrelated_directory_above_are_left_alone() {
    let env = TestEnv::new();
    env.agent("a", "echo x >> started").write_home(".local", "not a directory");
    env.write("other/file", "");
    assert_eq!(run(&env, &["a:1", "--quiet"]).code, Some(1));
    let from_other = |args: &[&str]| {
        let mut command = env.command(FORKHESTRA);
        env.output_of(command.args(args).current_dir(env.project().join("other")))
    };
    let resumed = from_other(&["resume", "--max-iterations", "2"]);
    assert_eq!(resumed.code, Some(2), "{resumed}");
    assert!(resumed.stderr.contains("there is nothing to resume here"), "{resumed}");
    let pruned = from_other(&["runs", "prune", "--keep", "0", "--force"]);
    assert!(pruned.stdout.contains("Nothing to remove"), "{pruned}");
    assert_eq!(env.read("started"), "x\n");
    assert_eq!(run(&env, &["show"]).code, Some(0));
}

/// A resumed run executes commands, so another user must not be able to place one there.
#[test]
fn state_above_that_is_a_link_or_writable_by_others_is_not_searched() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    for is_link in [false, true] {
        let env = TestEnv::new();
        env.agent("a", "").write_home(".local", "not a directory");
        env.write("sub/file", "").write("forge/chains.json", "{}");
        assert_eq!(run(&env, &["a:1", "--quiet"]).code, Some(1));
        let state = env.project().join(".agent-state");
        if is_link {
            let moved = env.root().join("moved");
            fs::rename(&state, &moved).expect("the directory is ours");
            symlink(&moved, &state).expect("the project is ours");
        } else {
            let open = fs::Permissions::from_mode(0o777);
            fs::set_permissions(&state, open).expect("the directory is ours");
        }
        let mut command = env.command(FORKHESTRA);
        let shown = env.output_of(command.arg("show").current_dir(env.project().join("sub")));
        assert!(shown.stderr.contains("there are no runs of this work tree"), "{shown}");
        assert_eq!(run(&env, &["show"]).code, Some(0));
    }
}

#[test]
fn without_a_usable_state_directory_nothing_is_run() {
    let env = TestEnv::new();
    env.agent("a", "touch started").write_home(".local", "not a directory");
    env.write(".agent-state", "not a directory");
    assert_snapshot!(run(&env, &["a"]).failure(2), @"
    error: there is no place to keep the run: `$TEST/home/.local/state/forkhestra`: Not a directory (os error 20)
    hint: `.agent-state` cannot be used either: File exists (os error 17)
    hint: name a directory that you can write to with `--state-dir`
    ");
    assert!(!env.has("started"));
}

#[test]
fn an_unusable_lock_is_reported_with_its_cause() {
    let env = TestEnv::new();
    env.agent("a", "touch started");
    assert_eq!(run(&env, &["a", "--quiet"]).code, Some(0));
    fs::remove_file(env.project().join("started")).expect("the agent has started");
    let lock = only_run(&env).with_file_name("lock");
    fs::remove_file(&lock).expect("the file is ours");
    fs::create_dir(&lock).expect("the directory is ours");
    assert_snapshot!(run(&env, &["a"]).failure(2), @"
    error: cannot open $TEST/home/.local/state/forkhestra/[work tree]/lock: Is a directory (os error 21)
    hint: choose another directory with `--state-dir`, or run without the lock with `--no-lock`
    ");
    assert!(!env.has("started"));
}

#[test]
fn an_agent_that_cleans_the_work_tree_does_not_harm_the_run() {
    let env = TestEnv::new();
    env.link_system_program("git").agent("a", "git clean -fdxq; exit 1").write("junk", "");
    env.run("/bin/sh", &["-c", "git init --quiet"]).success();
    assert_eq!(run(&env, &["a"]).code, Some(1));
    assert!(!env.has("junk"));
    assert_eq!(run(&env, &["resume"]).code, Some(1));
    assert_eq!(
        journal(&only_run(&env)).last().map(|line| line["event"].clone()),
        Some("run_finished".into())
    );
}

#[test]
fn a_second_run_in_the_same_work_tree_is_refused_with_the_owner() {
    let env = TestEnv::new();
    env.agent("first", &format!("echo ready\n{WAIT_FOR_GO}")).agent("second", "touch started");
    let first = RunInProgress::start(&env, &["first"], "ready\n");
    let pid = first.pid().to_string();
    let output =
        steady(&env, &env.output_of(env.command(FORKHESTRA).arg("second").env("TZ", "CET-1")))
            .failure(2);
    let (before, after) = output.split_once("since ").expect("it says since when");
    let since = after.split_once(')').map_or("", |(since, _)| since);
    assert!(since.starts_with("20") && since.ends_with(" CET"), "{since}");
    let normalised =
        format!("{before}since {}", after.replacen(since, "[time]", 1)).replace(&pid, "[pid]");
    assert_snapshot!(normalised, @"
    error: the work tree is in use by run [id] (process [pid], since [time])
    hint: wait for it, or stop it: forkhestra stop [id]
    hint: `--no-lock` starts anyway; two agents in one work tree can overwrite each other's changes
    ");
    assert!(!env.has("started"));
    let (shown, code) = first.release();
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(run(&env, &["second"]).code, Some(0));
}

#[test]
fn no_lock_runs_without_the_lock() {
    let env = TestEnv::new();
    env.agent("first", &format!("echo ready\n{WAIT_FOR_GO}")).agent("second", "touch started");
    let first = RunInProgress::start(&env, &["first"], "ready\n");
    let output = run(&env, &["second", "--no-lock"]);
    assert_eq!((output.code, env.has("started")), (Some(0), true), "{output}");
    let (shown, code) = first.release();
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(runs(&env).len(), 2);
}

/// A repository is one work tree, in all of its directories; another directory is another work
/// tree.
#[test]
fn the_lock_is_that_of_the_repository() {
    let env = TestEnv::new();
    env.agent("first", &format!("echo ready\n{WAIT_FOR_GO}")).agent("second", "");
    env.write("repository/.git/HEAD", "").write("repository/a/keep", "");
    env.write("repository/b/keep", "").write("elsewhere/keep", "");
    let mut first = RunInProgress::start(&env, &["first", "--cwd", "repository/a"], "ready\n");
    assert_eq!(run(&env, &["second", "--cwd", "repository/b"]).code, Some(2));
    assert_eq!(run(&env, &["second", "--cwd", "elsewhere"]).code, Some(0));
    first.go_file("repository/a/go");
    assert_eq!(first.release().1, Some(0));
}

#[test]
fn durability_can_be_lowered() {
    let env = TestEnv::new();
    env.agent("a", DONE);
    for how in ["os", "fsync"] {
        let output = run(&env, &["a:3", "--durability", how, "--quiet"]);
        assert_eq!(output.code, Some(0), "{output}");
    }
    let events = |run: &Path| {
        let lines = journal(run);
        lines.iter().map(|line| line["event"].to_string()).collect::<Vec<_>>()
    };
    let runs = runs(&env);
    assert_eq!(events(&runs[0]), events(&runs[1]));
}
