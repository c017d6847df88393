//! Lanes: what cannot have them, and dry runs of what can.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::run::stagnation::{git, repository};
use crate::{CONFIG, forkhestra};

/// A project with a commit and the programs `a`, `b` and `c`.
fn with_agents() -> TestEnv {
    let env = repository();
    env.install("a").install("b").install("c");
    env
}

/// The output with placeholders for the commit that lanes begin with, and for the id of the project.
fn without_ids(env: &TestEnv, text: &str) -> String {
    let text = text.replace(git(env, "rev-parse --short HEAD").trim(), "HEAD-ID");
    let mut parts = text.split("/project-");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "/project-HASH" + part.get(8..).unwrap_or_default())
}

#[test]
fn a_dry_run_shows_lanes_and_what_they_lack() {
    let env = with_agents();
    env.write(".gitignore", ".env\nbuild/\nnode_modules/\n*.log\n")
        .write(".worktreeinclude", ".env\n");
    git(&env, "add --all");
    git(&env, "commit --quiet --message ignore");
    env.write(".env", "SECRET=1")
        .write("build/out", "x".repeat(3 << 20))
        .write("node_modules/a/index.js", "x".repeat(2048))
        .write("x.log", "x")
        // Views of runs are no concern of agents. Their directory ignores itself.
        .write(".agent-state/.gitignore", "*\n")
        .write(".agent-state/summary.md", "x");
    let args = ["a:20 x4", "--check", "command:\"make\"", "--check", "exit-code", "--dry-run"];
    let output = forkhestra(&env, &args).success();
    assert_snapshot!(without_ids(&env, &output), @r#"
    [forkhestra] Dry run - would execute the following chain:

      1. a - loop up to 20 iterations, 4 at a time
           lanes: ~/.local/state/forkhestra/project-HASH/…/lanes (4 x 43 B, from HEAD HEAD-ID)
           lanes do not have: build/ (3.0 MiB), node_modules/ (2.0 KiB), x.log; see .worktreeinclude
           agent: program $TEST/bin/a (PATH)
           landing: command:"make"
           check: exit-code

      at most: 20 iterations, 4 agents at once

    [forkhestra] Dry run complete. No agents were executed.
    "#);
}

#[test]
fn a_dry_run_shows_stages_with_lanes_as_a_tree() {
    let env = with_agents();
    env.write(
        CONFIG,
        r#"{ "agents": {}, "chains": { "night": {
          "lane": { "setup": "npm ci", "copy": [".env"], "keep": ["node_modules"], "timeout": "15m" },
          "steps": [
            { "agent": "a", "iterations": 3 },
            { "ask": "Go on?" },
            { "parallel": [ "b:10 -> c", [ { "agent": "c", "iterations": 4, "lanes": 2 } ] ],
              "else": { "agent": "a" } },
            { "group": "a:2 -> b", "rounds": 6, "lanes": 3 },
            { "agent": "c", "iterations": 5, "best": 3, "pick": "cheapest" }
          ]
        } } }"#,
    );
    git(&env, "add --all");
    git(&env, "commit --quiet --message config");
    let output = forkhestra(&env, &["--chain", "night", "--dry-run"]).success();
    assert_snapshot!(without_ids(&env, &output), @"
    [forkhestra] Dry run - would execute the following chain:

      1. a - loop up to 3 iterations
           agent: program $TEST/bin/a (PATH)
      2. a person decides
           asks: Go on?
           waits as long as it takes; answer with forkhestra approve or deny
         at the same time
           lanes: ~/.local/state/forkhestra/project-HASH/…/lanes (3 x 549 B, from HEAD HEAD-ID)
           lane set-up: npm ci
           lanes copy: .env
           lanes keep: node_modules
      3.   b - loop up to 10 iterations
             agent: program $TEST/bin/b (PATH)
      4.   c - run once
             agent: program $TEST/bin/c (PATH)
         and
      5.   c - loop up to 4 iterations, 2 at a time
             agent: program $TEST/bin/c (PATH)
         else
      6.   a - run once
             agent: program $TEST/bin/a (PATH)
         up to 6 rounds, 3 at a time, of
           lanes: ~/.local/state/forkhestra/project-HASH/…/lanes (3 x 549 B, from HEAD HEAD-ID)
           lane set-up: npm ci
           lanes copy: .env
           lanes keep: node_modules
      7.   a - loop up to 2 iterations
             agent: program $TEST/bin/a (PATH)
      8.   b - run once
             agent: program $TEST/bin/b (PATH)
         a round is accepted by: step 8
      9. c - loop up to 5 iterations, in each of 3 lanes; the cheapest lands
           lanes: ~/.local/state/forkhestra/project-HASH/…/lanes (3 x 549 B, from HEAD HEAD-ID)
           lane set-up: npm ci
           lanes copy: .env
           lanes keep: node_modules
           agent: program $TEST/bin/c (PATH)

      at most: 52 iterations, 3 agents at once, 1 question

    [forkhestra] Dry run complete. No agents were executed.
    ");
}

#[test]
fn the_list_of_chains_shows_lanes_in_one_line() {
    let env = with_agents();
    let steps = r#""(a:20 x4 | b) -> (a -> c):9 x2 -> b:5 best3""#;
    env.write(
        CONFIG,
        format!(r#"{{"agents": {{}}, "chains": {{"night": {{"steps": {steps}}}}}}}"#),
    );
    let list = forkhestra(&env, &["list"]).success();
    assert!(list.contains("    (a:20 x4 | b) -> (a -> c):9 x2 -> b:5 best3\n"), "{list}");
}

#[test]
fn lanes_need_a_git_repository_with_a_commit() {
    let env = TestEnv::new();
    env.install("a");
    assert_snapshot!(forkhestra(&env, &["a:9 x2"]), @"
    ------- stderr -------
    error: lanes need git, and it is not installed (not found on PATH)
    hint: install git, or leave the lanes and parallel stages out
    [exit status: 2]
    ");
    env.link_system_program("git");
    assert_snapshot!(forkhestra(&env, &["a:9 x2"]), @"
    ------- stderr -------
    error: lanes need a git repository, and `$TEST/project` is not in one
    hint: to make one: git init && git add -A && git commit -m Begin; or leave the lanes and parallel stages out
    [exit status: 2]
    ");
    // A dry run is refused, too.
    assert_eq!(forkhestra(&env, &["a:9 x2", "--dry-run"]).code, Some(2));
    git(&env, "init --quiet");
    assert_snapshot!(forkhestra(&env, &["(a | a)"]), @"
    ------- stderr -------
    error: lanes begin with a commit, and this git repository has none
    hint: to make one: git add -A && git commit -m Begin; or leave the lanes and parallel stages out
    [exit status: 2]
    ");
    git(&env, "config core.bare true");
    assert_snapshot!(forkhestra(&env, &["a:9 x2"]), @"
    ------- stderr -------
    error: lanes need a work tree, and this git repository is bare
    hint: run forkhestra in a clone of it
    [exit status: 2]
    ");
}

#[test]
fn lanes_need_a_new_git() {
    let env = TestEnv::new();
    env.install("a").agent("git", "echo git version 2.34.1");
    assert_snapshot!(forkhestra(&env, &["a:9 x2"]), @"
    ------- stderr -------
    error: lanes need git 2.38, and this is 2.34.1
    hint: install a newer git, or leave the lanes and parallel stages out
    [exit status: 2]
    ");
}

#[test]
fn lanes_begin_with_what_is_committed() {
    let env = with_agents();
    env.write("a.txt", "1").write("sub/b.txt", "1");
    git(&env, "add --all");
    git(&env, "commit --quiet --message files");
    git(&env, "mv README LIESMICH");
    env.write("a.txt", "2").write("sub/b.txt", "2").write("untracked", "x");
    assert_snapshot!(forkhestra(&env, &["a:9 x2"]), @"
    ------- stderr -------
    error: lanes begin with what is committed, and 3 files are not: LIESMICH, a.txt, sub/b.txt
    hint: commit them, so that lanes have them
    hint: `--from-head` begins without them; they stay as they are
    [exit status: 2]
    ");
    // A dry run says so and shows the chain.
    let dry_run = forkhestra(&env, &["a:9 x2", "--dry-run", "--quiet"]);
    assert_eq!(dry_run.code, Some(0), "{dry_run}");
    assert!(dry_run.stderr.starts_with("warning: lanes begin with what is committed"), "{dry_run}");
    let from_head = forkhestra(&env, &["a:9 x2", "--from-head", "--dry-run", "--quiet"]);
    assert_eq!((from_head.code, from_head.stderr.as_str()), (Some(0), ""), "{from_head}");
}

/// Lanes use the task database of the work tree.
#[test]
fn uncommitted_tasks_are_no_obstacle() {
    let env = with_agents();
    env.write("forge/tasks/task-001.md", "# 1");
    git(&env, "add --all");
    git(&env, "commit --quiet --message tasks");
    env.write("forge/tasks/task-001.md", "# 2");
    let args = ["a:9 x2", "--check", "tasks", "--dry-run", "--quiet"];
    let output = forkhestra(&env, &args);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
}

#[test]
fn some_options_are_for_one_agent_at_a_time() {
    let env = with_agents();
    let args = ["a:9 x2", "--done-file", "done", "--record", "rec", "--no-snapshots"];
    assert_snapshot!(forkhestra(&env, &args), @"
    ------- stderr -------
    error: `--done-file` is for one agent at a time
    hint: leave it out, or the lanes and parallel stages of the chain
    error: `--record` is for one agent at a time
    hint: leave it out, or the lanes and parallel stages of the chain
    error: `--no-snapshots` is for one agent at a time
    hint: leave it out, or the lanes and parallel stages of the chain
    [exit status: 2]
    ");
    assert_eq!(forkhestra(&env, &["a:1", "--record", "../recording"]).code, Some(1));
    assert_snapshot!(forkhestra(&env, &["a:9 x2", "--replay", "../recording"]), @"
    ------- stderr -------
    error: `--replay` is for one agent at a time
    hint: leave it out, or the lanes and parallel stages of the chain
    [exit status: 2]
    ");
}

#[test]
fn lanes_of_groups_and_within_parallel_stages_are_not_supported() {
    let env = with_agents();
    for (chain, what) in [
        ("a -> (b -> c):3 x3", "lanes of a group are"),
        ("(a:9 x2 | b)", "lanes inside of a parallel stage are"),
    ] {
        let output = forkhestra(&env, &[chain]);
        assert_eq!(output.code, Some(2), "{output}");
        let message = format!("error: {what} not supported yet\n");
        assert!(output.stderr.starts_with(&message), "{output}");
    }
}

#[test]
fn a_base_without_lanes_has_no_effect() {
    let env = with_agents();
    let output = forkhestra(&env, &["a", "--from-head", "--dry-run", "--quiet"]);
    let warning = "warning: `--from-head` has no effect: the chain has no lanes\n";
    assert!(output.stderr.starts_with(warning), "{output}");
}
