//! `forkhestra fork`: a run that continues from a snapshot of another one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testkit::{CommandOutput, TestEnv, eventually};

use crate::FORKHESTRA;
use crate::support::{forkhestra, git, repository};

/// An agent that counts, notes its prompt, commits the second time, and is done the fourth time.
pub(super) const AGENT: &str = r#"
n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n
echo "$n $*" >> log.txt
if [ $n = 2 ]; then git add n log.txt; git commit --quiet --message second; fi
if [ $n = 4 ]; then echo FORKHESTRA_COMPLETE; fi
"#;

/// A repository with a complete run of four iterations.
pub(super) fn finished() -> TestEnv {
    let env = repository();
    env.agent("a", AGENT);
    let output = forkhestra(&env, &["a:9", "-p", "first"]);
    assert_eq!(output.code, Some(0), "{output}");
    env
}

/// The id of the run with this place in the list of all runs, the newest first.
#[track_caller]
pub(super) fn run_at(env: &TestEnv, place: usize) -> String {
    let list = forkhestra(env, &["runs", "--all", "--json"]).success();
    let list: Value = serde_json::from_str(&list).expect("it is JSON");
    list[place]["id"].as_str().expect("there is such a run").to_owned()
}

pub(super) fn forks_directory(env: &TestEnv) -> PathBuf {
    env.home().join(".local/state/forkhestra/forks")
}

/// The work tree of a fork in the state directory.
pub(super) fn work_tree(env: &TestEnv, fork: &str) -> PathBuf {
    let entries = fs::read_dir(forks_directory(env)).expect("there are forks");
    let mut paths = entries.map(|entry| entry.expect("it is ours").path());
    let is_it = |path: &PathBuf| path.to_string_lossy().ends_with(&format!("-{fork}"));
    paths.find(is_it).expect("the fork has a work tree")
}

#[track_caller]
pub(super) fn git_in(env: &TestEnv, directory: &Path, args: &str) -> String {
    git(env, &format!("-C '{}' {args}", directory.display()))
}

pub(super) fn read(directory: &Path, name: &str) -> String {
    fs::read_to_string(directory.join(name)).expect("it can be read")
}

/// The content of every file below a directory.
pub(super) fn everything(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).expect("the directory is ours") {
        let path = entry.expect("the directory is ours").path();
        match path.is_dir() && !path.is_symlink() {
            true => found.extend(everything(&path)),
            false => drop(found.insert(path.clone(), fs::read(&path).unwrap_or_default())),
        }
    }
    found
}

pub(super) fn journal(env: &TestEnv, run: &str) -> Vec<Value> {
    let lines = forkhestra(env, &["events", run]).success();
    lines.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

/// How a run ended; none before that.
pub(super) fn journal_end(env: &TestEnv, run: &str) -> Option<String> {
    let last = journal(env, run).pop().filter(|last| last["event"] == "run_finished")?;
    last["end"]["kind"].as_str().map(str::to_owned)
}

fn show(env: &TestEnv, run: &str) -> Value {
    serde_json::from_str(&forkhestra(env, &["show", run, "--json"]).success()).expect("it is JSON")
}

#[track_caller]
fn forked(env: &TestEnv, args: &[&str]) -> (String, CommandOutput) {
    let output = forkhestra(env, &[&["fork"], args].concat());
    assert_eq!(output.code, Some(0), "{args:?}: {output}");
    (run_at(env, 0), output)
}

#[test]
fn a_fork_goes_on_from_the_snapshot_and_leaves_the_first_attempt_alone() {
    let env = finished();
    git(&env, "remote add origin https://example.org/shop.git");
    git(&env, "tag v1 HEAD");
    let (source, before) = (run_at(&env, 0), everything(&env.project()));
    let (fork, output) = forked(&env, &[&source, "--at", "3", "-p", "second"]);
    assert!(everything(&env.project()) == before, "the work tree of the original run was changed");
    let tree = work_tree(&env, &fork);
    assert_eq!(read(&tree, "log.txt"), "1 first\n2 first\n3 first\n4 second\n");
    let ours = output.stderr.lines().next().unwrap_or_default();
    let sentence = format!("[forkhestra] Forked from run {source} after iteration 3: ");
    assert!(ours.starts_with(&sentence) && ours.ends_with(&fork), "{output}");
    // What was not committed is not committed there either.
    assert_eq!(git_in(&env, &tree, "status --porcelain -uno"), " M log.txt\n M n\n");
    assert_eq!(git_in(&env, &tree, "branch --show-current"), format!("forkhestra/{fork}\n"));
    assert_eq!(git_in(&env, &tree, "log --format=%s"), "second\nbegin\n");
    assert_eq!(git_in(&env, &tree, "rev-parse v1"), git(&env, "rev-parse v1"));
    assert_eq!(git_in(&env, &tree, "rev-parse main"), git(&env, "rev-parse main"));
    assert_eq!(git_in(&env, &tree, "remote get-url origin"), "https://example.org/shop.git\n");
    assert_eq!(git_in(&env, &tree, "fsck --full --strict"), "");
    let alternates = tree.join(".git/objects/info/alternates");
    assert!(!alternates.exists(), "the objects are its own");
}

#[test]
fn the_journal_and_show_name_origin_and_forks() {
    let env = finished();
    let source = run_at(&env, 0);
    let (fork, _) = forked(&env, &[&source, "--at", "3"]);
    let (again, _) = forked(&env, &[&fork, "--at", "0"]);
    let started = &journal(&env, &fork)[0];
    assert_eq!(started["origin"]["run"], json!(source));
    assert_eq!(
        (&started["origin"]["step"], &started["origin"]["iteration"]),
        (&json!(1), &json!(3))
    );
    assert_eq!(started["inherited"], Value::Null);
    let shown = show(&env, &source);
    assert_eq!(shown["origin"], Value::Null);
    assert_eq!(shown["forks"][0]["run"], json!(fork));
    assert_eq!(shown["forks"].as_array().map(Vec::len), Some(1), "{shown}");
    assert_eq!(show(&env, &fork)["origin"]["run"], json!(source));
    let text = forkhestra(&env, &["show", &fork]).success();
    let expected = format!("  origin  forked from run {source} after iteration 3\n");
    assert!(text.contains(&expected), "{text}");
    assert!(text.contains(&format!("  forks   {again} before its first iteration (complete)\n")));
    let text = forkhestra(&env, &["show", &source, "-v"]).success();
    assert!(text.contains(&format!("{fork} after iteration 3 (complete)\n")), "{text}");
}

#[test]
fn both_can_run_at_once() {
    let env = repository();
    let wait =
        "case $PWD in */forks/*) ;; *) [ $n = 3 ] && until [ -e go ]; do sleep 0.01; done;; esac";
    env.agent("a", &format!("{AGENT}\n{wait}\ntrue"));
    let args = ["a:9", "-p", "first", "--detach", "--quiet", "--timeout", "60s"];
    let source = forkhestra(&env, &args).success();
    let source = source.trim();
    eventually("two iterations are over", || {
        let is_over = |event: &Value| event["event"] == "iteration_finished";
        (journal(&env, source).iter().filter(|event| is_over(event)).count() == 2).then_some(())
    });
    let (fork, _) = forked(&env, &[source, "--at", "2", "-p", "second"]);
    assert_eq!(show(&env, source)["status"], "running");
    assert_eq!(read(&work_tree(&env, &fork), "log.txt"), "1 first\n2 first\n3 second\n4 second\n");
    env.write("go", "");
    eventually("the original run is over", || {
        (show(&env, source)["status"] == "complete").then_some(())
    });
    assert_eq!(env.read("log.txt"), "1 first\n2 first\n3 first\n4 first\n");
}

#[test]
fn options_are_laid_over_the_plan() {
    let env = finished();
    let source = run_at(&env, 0);
    let args = ["fork", &source, "--at", "1", "--max-iterations", "2", "--max-cost", "off"];
    let more = ["--check", "file:log.txt", "--timeout", "5m", "--dry-run", "--output", "json"];
    let plan = forkhestra(&env, &[&args[..], &more].concat()).success();
    let plan: Value = serde_json::from_str(&plan).expect("it is JSON");
    assert_eq!((&plan["definition"], &plan["steps"][0]["iterations"]), (&json!("a:2"), &json!(2)));
    assert_eq!(
        plan["steps"][0]["limits"]["timeout"],
        json!({ "value": 300, "source": "--timeout" })
    );
    assert_eq!(plan["steps"][0]["checks"][0]["source"], "--check");
    assert_eq!(plan["steps"][0]["prompt"]["value"]["text"], "first");
    assert!(!forks_directory(&env).exists(), "a dry run makes nothing");
    let output = forkhestra(&env, &args);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("not complete after 2 iterations"), "{output}");
    let fork = run_at(&env, 0);
    assert_eq!(journal(&env, &fork)[0]["plan"]["definition"], "a:2");
    // Its two iterations are numbered anew.
    assert_eq!(read(&work_tree(&env, &fork), "log.txt"), "1 first\n2 first\n3 first\n");
    assert_eq!(show(&env, &fork)["iterations"][1]["iteration"], 2);
    // A file with a prompt is where the command is typed.
    env.write("new.md", "third");
    let (fork, _) = forked(&env, &[&source, "--at", "3", "--prompt-file", "new.md"]);
    assert!(read(&work_tree(&env, &fork), "log.txt").ends_with("4 third\n"));
}

#[test]
fn steps_that_were_complete_are_not_executed_again() {
    let env = repository();
    env.agent("a", AGENT).agent("b", "echo \"$*\" >> b.txt");
    assert_eq!(forkhestra(&env, &["a:9 -> b", "-p", "first"]).code, Some(0));
    let source = run_at(&env, 0);
    for (address, iterations) in [("1.4", 0), ("2.0", 0), ("2.1", 0), ("1.3", 1)] {
        let (fork, _) = forked(&env, &[&source, "--at", address, "-p", "second"]);
        let events = journal(&env, &fork);
        let of_step =
            |event: &&Value| event["event"] == "iteration_finished" && event["unit"]["step"] == 1;
        assert_eq!(events.iter().filter(of_step).count(), iterations, "{address}");
        let last = read(&work_tree(&env, &fork), "b.txt");
        assert!(last.ends_with("second\n"), "{address}: {last}");
        assert_eq!(events.last().expect("it has an end")["end"]["kind"], "complete");
        let shown = forkhestra(&env, &["show", &fork]).success();
        let is_inherited = shown.contains(&format!("1  a  complete  in run {source}\n"));
        assert_eq!(is_inherited, iterations == 0, "{address}: {shown}");
    }
}

#[test]
fn a_fork_is_resumed_where_it_was_cut_off() {
    let env = finished();
    let source = run_at(&env, 0);
    env.agent("a", &format!("{AGENT}\nif [ -e $HOME/cut ]; then rm $HOME/cut; kill -9 $PPID; fi"));
    env.write_home("cut", "");
    let output = forkhestra(&env, &["fork", &source, "--at", "1"]);
    assert_eq!(output.code, Some(137), "{output}");
    let fork = run_at(&env, 0);
    let output = forkhestra(&env, &["resume", &fork]);
    assert_eq!(output.code, Some(0), "{output}");
    let tree = work_tree(&env, &fork);
    assert_eq!(read(&tree, "log.txt"), "1 first\n2 first\n3 first\n4 first\n");
    assert_eq!(show(&env, &fork)["origin"]["run"], json!(source));
    assert_ne!(git_in(&env, &tree, &format!("for-each-ref refs/forkhestra/{fork}")), "");
    assert_eq!(git(&env, &format!("for-each-ref refs/forkhestra/{fork}")), "");
}

/// A complete run whose third iteration was interrupted and repeated. Its first attempt has a snapshot of
/// its own.
fn with_a_repeated_attempt() -> TestEnv {
    let env = repository();
    let cut =
        "if [ $n = 3 ] && [ -e $HOME/cut ]; then rm $HOME/cut; kill -INT $PPID; exec sleep 600; fi";
    env.agent("a", &AGENT.replacen("if", &format!("{cut}\nif"), 1));
    env.write_home("cut", "");
    let output = forkhestra(&env, &["a:9", "-p", "first"]);
    assert_eq!(output.code, Some(130), "{output}");
    forkhestra(&env, &["resume"]).success();
    env
}

#[test]
fn an_attempt_that_was_repeated_is_named_by_its_snapshot_everywhere() {
    let env = with_a_repeated_attempt();
    let output = forkhestra(&env, &["rewind", "--to", "@3"]);
    assert!(output.stdout.contains(" @3 "), "{output}");
    assert_eq!(read(&env.project(), "n"), "3\n");
    forkhestra(&env, &["rewind", "--undo"]).success();
    let source = run_at(&env, 0);
    let output = forkhestra(&env, &["fork", &source, "--at", "@3", "--here"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(read(&env.project(), "n"), "4\n", "it is one iteration behind snapshot 3");
}

#[test]
fn a_project_in_a_directory_of_the_repository_stays_there() {
    let env = repository();
    env.write(
        "app/forge/orch/chains.json",
        r#"{"chains": {"go": {"steps": [
        {"agent": "./worker.sh", "iterations": 5, "checks": ["file:n"]}]}}}"#,
    );
    env.agent_file("app/worker.sh", AGENT);
    assert_eq!(forkhestra(&env, &["--chain", "go", "--cwd", "app"]).code, Some(0));
    let source = run_at(&env, 0);
    let place = env.root().join("elsewhere/fork");
    let (fork, _) = forked(&env, &[&source, "--at", "2", "--in", &place.display().to_string()]);
    assert_eq!(read(&place, "app/n"), "4\n");
    assert_eq!(show(&env, &fork)["workingDirectory"], "$TEST/elsewhere/fork/app");
    assert!(!forks_directory(&env).exists());
}

#[test]
fn a_repository_without_a_commit_can_be_forked() {
    let env = crate::support::project();
    git(&env, "init --quiet");
    env.agent("a", "echo x >> x; [ -e y ] && echo FORKHESTRA_COMPLETE; touch y");
    assert_eq!(forkhestra(&env, &["a:3"]).code, Some(0));
    let (fork, _) = forked(&env, &[&run_at(&env, 0), "--at", "1"]);
    let tree = work_tree(&env, &fork);
    assert_eq!(read(&tree, "x"), "x\nx\n");
    assert_eq!(git_in(&env, &tree, "status --porcelain").lines().count(), 2);
}

#[test]
fn settings_that_name_commands_are_neither_run_nor_taken_over() {
    let env = finished();
    let evil = env.root().join("evil");
    let touch = format!("touch '{}'", evil.display());
    for key in ["core.fsmonitor", "core.pager", "filter.x.smudge", "filter.x.clean", "alias.st"] {
        assert!(
            env.run("/bin/sh", &["-c", &format!("git config {key} \"{touch}\"")]).code == Some(0)
        );
    }
    git(&env, "config user.name Grace");
    env.write(".git/info/attributes", "* filter=x\n");
    let (fork, _) = forked(&env, &[&run_at(&env, 0), "--at", "3"]);
    assert!(!evil.exists(), "a command of the settings was run");
    let config = read(&work_tree(&env, &fork), ".git/config");
    assert!(!config.contains("evil") && config.contains("name = \"Grace\""), "{config}");
}

#[test]
fn files_that_snapshots_lack_are_named() {
    let env = repository();
    env.write(".gitignore", "build/\n.agent-state/\n")
        .write("build/out", "x")
        .write(".env", "KEY=1\n");
    env.agent("a", AGENT);
    assert_eq!(forkhestra(&env, &["a:9"]).code, Some(0));
    let (_, output) = forked(&env, &[&run_at(&env, 0), "--at", "3"]);
    let ignored = "warning: the fork lacks files that git ignores: build/\n";
    let withheld = "warning: the fork lacks files that snapshots leave out, as secrets or as too large: .env\n";
    assert!(output.stderr.contains(ignored) && output.stderr.contains(withheld), "{output}");
}

#[test]
fn the_work_tree_of_a_removed_fork_is_kept_and_named() {
    let env = finished();
    let (fork, _) = forked(&env, &[&run_at(&env, 0), "--at", "3"]);
    let tree = work_tree(&env, &fork);
    let output = forkhestra(&env, &["runs", "rm", &fork]);
    assert_eq!(output.code, Some(0), "{output}");
    let warning = format!("warning: the work tree of fork {fork} is kept: ");
    assert!(output.stderr.contains(&warning) && output.stderr.contains("rm -rf "), "{output}");
    assert_eq!(read(&tree, "n"), "4\n");
    assert_eq!(git_in(&env, &tree, "for-each-ref refs/forkhestra"), "");
}

#[test]
fn a_detached_fork_is_reported_like_any_run() {
    let env = finished();
    let source = run_at(&env, 0);
    let output = env.run(FORKHESTRA, &["fork", &source, "--at", "3", "--detach"]);
    assert_eq!(output.code, Some(0), "{output}");
    let fork = output.stdout.trim().to_owned();
    eventually("the fork is over", || (show(&env, &fork)["status"] == "complete").then_some(()));
    assert_eq!(read(&work_tree(&env, &fork), "n"), "4\n");
}
