//! Loops that no longer change anything.

use std::fs;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::support::agents_at_work::{id, iterations, only_run, reason, run};

/// A project that is a git repository with one commit, where forkhestra and agents find git.
pub(crate) fn repository() -> TestEnv {
    let env = TestEnv::new();
    env.link_system_program("git").write("README", "begin\n");
    git(&env, "init --quiet");
    git(&env, "add --all");
    git(&env, "commit --quiet --message begin");
    env
}

/// Runs git in the project, and returns its standard output.
#[track_caller]
pub(crate) fn git(env: &TestEnv, args: &str) -> String {
    let identity = "-c user.name=Ada -c user.email=ada@localhost -c commit.gpgsign=false";
    let script = format!("git {identity} {args}");
    env.run("/bin/sh", &["-c", &script]).success()
}

#[test]
fn a_loop_that_changes_nothing_in_its_repository_has_stagnated() {
    let env = repository();
    env.agent("a", "echo thinking");
    assert_snapshot!(run(&env, &["a:9", "--stagnation", "2"]), @r#"
    [forkhestra] Starting: a (max 9 iterations)
    [forkhestra] Iteration 1/9
    thinking
    [forkhestra] Iteration 2/9
    thinking
    [forkhestra] Incomplete after 2 iterations: nothing has changed for 2 iterations: HEAD, index and work tree (stagnated)

    [forkhestra] Summary
      1  a  incomplete  2 iterations  stagnated  [time]
         no commit; no file changed

    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] What to do: the agent is stuck: see `forkhestra logs`, add guidance with `forkhestra tell [id] "…"`, then resume (2 more iterations)
    [forkhestra] To resume: forkhestra resume [id]
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, nothing has changed for 2 iterations
    [exit status: 1]
    "#);
}

#[test]
fn outside_of_a_repository_files_are_compared() {
    let env = TestEnv::new();
    env.agent("a", "echo thinking");
    let output = run(&env, &["a:4", "--stagnation", "2"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(!output.to_string().contains("warning"), "{output}");
    assert_eq!((reason(&env).as_str(), iterations(&env).len()), ("stagnated", 2));
}

#[test]
fn loops_with_the_name_of_a_built_in_agent_end_after_a_few_iterations_without_a_change() {
    for (name, most) in [
        ("builder", 3),
        ("fk:builder", 3),
        ("fixer", 3),
        ("task-coordinator", 3),
        ("forge-task-worker", 3),
        ("planner", 2),
        ("fk:planner", 2),
        ("task-manager", 2),
    ] {
        let env = repository();
        env.agent(name, "echo thinking");
        let output = run(&env, &[&format!("{name}:9")]);
        assert_eq!(output.code, Some(1), "{output}");
        assert_eq!(
            (reason(&env).as_str(), iterations(&env).len()),
            ("stagnated", most),
            "{output}"
        );
        let limit = format!("stagnation: at most {most}");
        let shown = run(&env, &[&format!("{name}:9"), "--dry-run"]).stdout;
        assert!(shown.contains(&format!("{limit}  [default of {name} loops]")), "{shown}");
        for shown in [
            run(&env, &[&format!("{name}:9"), "--dry-run", "--stagnation", "off"]),
            run(&env, &[name, "--dry-run"]),
        ] {
            assert!(!shown.to_string().contains(&limit), "{shown}");
        }
    }
    let env = repository();
    env.agent("a", "echo thinking");
    assert_eq!(run(&env, &["a:4"]).code, Some(1));
    assert_eq!((reason(&env).as_str(), iterations(&env).len()), ("max_iterations", 4));
}

/// Every iteration is refused for the same reason, which is no change.
#[test]
fn a_builder_that_only_claims_completion_is_stopped_after_three_refusals() {
    let task = "---\nid: TASK-001\ntitle: One\nstatus: To Do\n---\n";
    for (args, refused_by) in [
        (&["--chain", "build"][..], "tasks"),
        (&["builder:20", "--check", "command:\"false\""], "false"),
        (&["--chain", "build", "--check", "command:\"false\""], "false"),
    ] {
        let env = repository();
        env.agent("claude", "echo FORKHESTRA_COMPLETE");
        env.write("forge/tasks/TASK-001 - One.md", task);
        let output = run(&env, args);
        assert_eq!(output.code, Some(1), "{output}");
        let found = (reason(&env), iterations(&env).len());
        assert_eq!(found, ("stagnated".to_owned(), 3), "{args:?}: {output}");
        assert_eq!(output.stdout.matches("claimed completion; refused").count(), 3, "{output}");
        assert!(output.stdout.contains(refused_by), "{output}");
    }
}

#[test]
fn a_built_in_planner_that_changes_nothing_runs_twice() {
    for name in ["planner", "fk:planner", "task-manager"] {
        let env = repository();
        env.write("forge/orch/specs/PLAN.md", "# A tea timer\n\nIt counts down and rings.\n");
        env.agent("claude", "echo thinking");
        let output = run(&env, &[&format!("{name}:9")]);
        assert_eq!(output.code, Some(1), "{output}");
        assert_eq!((reason(&env).as_str(), iterations(&env).len()), ("stagnated", 2), "{output}");
    }
}

#[test]
fn outside_of_a_repository_every_coding_agent_causes_a_warning() {
    let env = TestEnv::new();
    env.agent("claude", "echo FORKHESTRA_COMPLETE");
    let output = run(&env, &["builder", "-p", "Build"]);
    assert_eq!(
        output
            .to_string()
            .matches("warning: $TEST/project is not in a git repository: no commits")
            .count(),
        1,
        "{output}"
    );
    let env = repository();
    env.agent("claude", "echo FORKHESTRA_COMPLETE");
    for options in [&["builder", "-p", "Build"][..], &["builder", "-p", "Build", "--no-snapshots"]]
    {
        let output = run(&env, options);
        assert!(!output.to_string().contains("git repository"), "{output}");
    }
}

#[test]
fn a_missing_git_identity_is_a_warning_before_the_start() {
    let warning = "warning: git has no name and address for commits";
    let env = repository();
    env.agent("claude", "echo FORKHESTRA_COMPLETE").agent("a", "echo thinking");
    // Neither the machine nor the user has an identity then.
    env.write(".git/config.user", "[user]\nuseConfigOnly = true\n");
    git(&env, "config --local include.path config.user");
    let typed = &["builder", "-p", "Build"][..];
    let output = run(&env, typed);
    assert_eq!(output.stderr.matches(warning).count(), 1, "{output}");
    assert!(output.stderr.contains("git config --global user.name NAME && git config"), "{output}");
    // Programs are not checked, and with an identity there is no warning.
    assert!(!run(&env, &["a"]).stderr.contains(warning));
    assert!(!run(&env, &["builder", "--dry-run"]).stderr.contains(warning));
    env.write_home(".gitconfig", "[user]\nname = Ada\nemail = ada@localhost\n");
    assert!(!run(&env, typed).stderr.contains(warning));
}

#[test]
fn any_change_of_the_work_tree_is_progress() {
    for change in [
        "echo $FORKHESTRA_ITERATION > new-file",
        "echo more >> README",
        "git -c user.name=A -c user.email=a@a commit --quiet --allow-empty -m x",
        "mkdir -p forge/tasks; echo $FORKHESTRA_ITERATION > forge/tasks/ignored.md",
    ] {
        let env = repository();
        env.write(".git/info/exclude", "forge\n").agent("a", change);
        assert_eq!(run(&env, &["a:4", "--stagnation", "2"]).code, Some(1));
        assert_eq!(
            (reason(&env).as_str(), iterations(&env).len()),
            ("max_iterations", 4),
            "{change}"
        );
    }
}

#[test]
fn any_change_of_a_directory_is_progress() {
    let env = TestEnv::new();
    env.agent("a", "mkdir -p deep/er; echo more >> deep/er/file");
    assert_eq!(run(&env, &["a:4", "--stagnation", "2"]).code, Some(1));
    assert_eq!(reason(&env), "max_iterations");
}

#[test]
fn files_that_git_ignores_are_no_progress() {
    let env = repository();
    env.write(".git/info/exclude", "*.log\n").agent("a", "date +%N >> noise.log");
    assert_eq!(run(&env, &["a:9", "--stagnation", "2"]).code, Some(1));
    assert_eq!((reason(&env).as_str(), iterations(&env).len()), ("stagnated", 2));
}

#[test]
fn state_in_the_work_tree_is_no_progress() {
    let env = repository();
    env.agent("a", "echo thinking");
    let output = run(&env, &["a:9", "--stagnation", "2", "--state-dir", "deep/state"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!((reason(&env).as_str(), iterations(&env).len()), ("stagnated", 2));
}

#[test]
fn a_loop_between_two_states_is_cycling() {
    let env = repository();
    env.agent("a", "if [ -e x ]; then rm x; else echo x > x; fi");
    assert_snapshot!(run(&env, &["a:9", "--stagnation", "3"]), @r#"
    [forkhestra] Starting: a (max 9 iterations)
    [forkhestra] Iteration 1/9
    [forkhestra] Iteration 2/9
    [forkhestra] Iteration 3/9
    [forkhestra] Iteration 4/9
    [forkhestra] Incomplete after 4 iterations: for 3 iterations the work tree only returned to earlier states (cycling)

    [forkhestra] Summary
      1  a  incomplete  4 iterations  cycling  [time]
         no commit; no file changed

    [forkhestra] Warnings: 2 (see above)
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] What to do: see what it undoes (`git diff refs/forkhestra/[id]/3 refs/forkhestra/[id]/4`), say what to keep with `forkhestra tell [id] "…"`, then resume
    [forkhestra] To resume: forkhestra resume [id]
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, for 3 iterations the work tree only returned to earlier states
    ------- stderr -------
    warning: the work tree is again what it was before the first iteration
    warning: the work tree is again what it was after iteration 1
    warning: the work tree is again what it was before the first iteration
    [exit status: 1]
    "#);
}

#[test]
fn stagnation_is_not_detected_by_default() {
    let env = repository();
    env.agent("a", "echo thinking");
    assert_eq!(run(&env, &["a:6"]).code, Some(1));
    assert_eq!((reason(&env).as_str(), iterations(&env).len()), ("max_iterations", 6));
}

#[test]
fn detecting_changes_does_not_modify_user_files() {
    let env = repository();
    env.agent("a", "echo $FORKHESTRA_ITERATION > new-file").write("staged", "staged\n");
    git(&env, "add staged");
    let index = fs::read(env.project().join(".git/index")).expect("there is an index");
    let theirs = "for-each-ref refs/heads refs/tags refs/stash refs/notes";
    let before = git(&env, theirs);
    assert_eq!(run(&env, &["a:2", "--stagnation", "2"]).code, Some(1));
    assert_eq!(git(&env, "status --porcelain"), "A  staged\n?? new-file\n");
    assert_eq!(git(&env, theirs), before);
    assert!(index == fs::read(env.project().join(".git/index")).expect("there is an index"));
}

#[test]
fn snapshots_of_every_iteration_are_kept_outside_of_branches() {
    let env = repository();
    env.agent("a", "echo $FORKHESTRA_ITERATION > new-file");
    assert_eq!(run(&env, &["a:2"]).code, Some(1));
    let run = only_run(&env);
    let id = id(&run);
    let kept = git(&env, "for-each-ref --format='%(refname)' refs/forkhestra");
    let expected = [0, 1, 2].map(|number| format!("refs/forkhestra/{id}/{number}\n"));
    assert_eq!(kept, expected.concat());
    assert_eq!(git(&env, &format!("show refs/forkhestra/{id}/1:new-file")), "1\n");
}

#[test]
fn no_observation_files_are_left_in_the_run_directory() {
    let env = repository();
    env.agent("a", "echo thinking");
    assert_eq!(run(&env, &["a:9", "--stagnation", "2"]).code, Some(1));
    let kept = fs::read_dir(only_run(&env)).expect("the run is kept");
    let mut names: Vec<_> = kept.map(|entry| entry.expect("it can be read").file_name()).collect();
    names.sort();
    assert_eq!(
        names,
        ["journal.jsonl", "kept", "origin.json", "output", "overview.json", "stats.json"]
    );
}

/// Claiming a task and releasing it changes its file, but is no work.
#[test]
fn claiming_a_task_and_giving_it_back_is_no_change() {
    let claim = "forge-tasks claim >/dev/null";
    let release = "forge-tasks release TASK-001 >/dev/null";
    let table = [
        (claim.to_owned(), ("stagnated", 3)),
        (format!("{claim}; {release}"), ("stagnated", 3)),
        (
            format!("{claim}; forge-tasks edit 1 --notes $FORKHESTRA_ITERATION >/dev/null"),
            ("max_iterations", 5),
        ),
    ];
    for prompt in [&["--prompt", "Do your best."][..], &[]] {
        for (agent, expected) in &table {
            for env in [repository(), TestEnv::new()] {
                env.agent("builder", agent);
                env.run(env!("CARGO_BIN_EXE_forge-tasks"), &["create", "It", "--ac", "x"])
                    .success();
                let output = run(&env, &[&["builder:5"][..], prompt].concat());
                assert_eq!(output.code, Some(1), "{output}");
                let found = (reason(&env), iterations(&env).len());
                assert_eq!((found.0.as_str(), found.1), *expected, "{agent} {prompt:?}: {output}");
            }
        }
    }
}
