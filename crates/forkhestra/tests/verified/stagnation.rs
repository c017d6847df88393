//! Loops without progress.

use crate::support::{config, forkhestra, git, project, ralph, reason, repository, verdicts};

#[test]
fn ralph_runner_stops_after_three_iterations_without_a_change_and_names_the_signals() {
    let env = repository();
    env.agent("a", "echo thinking");
    let output = ralph(&env, &["--agent", "a", "--max-iterations", "20"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert_eq!((reason(&env), verdicts(&env).len()), ("stagnated".to_owned(), 3));
    for signal in ["HEAD", "index", "work tree"] {
        assert!(output.stdout.contains(signal), "{signal}: {output}");
    }
}

#[test]
fn any_signal_is_progress() {
    for change in [
        "echo $FORKHESTRA_ITERATION > new-file",
        "echo more >> README",
        "git commit --quiet --allow-empty -m x",
        "mkdir -p forge/tasks; echo $FORKHESTRA_ITERATION > forge/tasks/ignored.md",
        "echo $FORKHESTRA_ITERATION > staged; git add staged; rm staged",
    ] {
        let env = repository();
        env.write(".git/info/exclude", "forge\n").agent("a", change);
        let output = ralph(&env, &["--agent", "a", "--max-iterations", "5"]);
        assert_eq!(
            (output.code, reason(&env)),
            (Some(1), "max_iterations".into()),
            "{change}: {output}"
        );
    }
}

#[test]
fn outside_of_a_repository_files_are_compared() {
    for (agent, expected) in [("echo thinking", "stagnated"), ("echo >> made", "max_iterations")] {
        let env = project();
        env.agent("a", agent);
        let output = ralph(&env, &["--agent", "a", "--max-iterations", "5"]);
        assert_eq!(reason(&env), expected, "{output}");
        assert!(!output.to_string().contains("warning"), "{output}");
    }
}

#[test]
fn a_repeated_work_tree_is_a_warning_and_ends_the_step_on_request() {
    let agent = "if [ -e made ]; then rm made; else touch made; fi";
    let env = repository();
    env.agent("a", agent);
    let output = forkhestra(&env, &["a:3"]);
    assert_eq!((output.code, reason(&env)), (Some(1), "max_iterations".into()), "{output}");
    assert!(
        output.to_string().contains("again what it was before the first iteration"),
        "{output}"
    );
    let env = repository();
    env.agent("a", agent);
    config(
        &env,
        r#"{"chains": {"c": {"steps": [{"agent": "a", "iterations": 9, "onCycle": "stop"}]}}}"#,
    );
    let output = forkhestra(&env, &["--chain", "c"]);
    assert_eq!((output.code, reason(&env)), (Some(1), "cycling".into()), "{output}");
    assert_eq!(verdicts(&env).len(), 2);
    let env = repository();
    env.agent("a", agent);
    let output = ralph(&env, &["--agent", "a", "--max-iterations", "9", "--on-cycle", "stop"]);
    assert_eq!(output.code, Some(2), "{output}");
}

#[test]
fn detecting_changes_does_not_modify_user_files() {
    let env = repository();
    env.write("staged", "1").write("changed", "1");
    git(&env, "add staged");
    git(&env, "stash push --quiet --include-untracked");
    env.write("staged", "2").write("untracked", "2");
    git(&env, "add staged");
    env.agent("a", "exit 0");
    let look = |env: &testkit::TestEnv| {
        [
            "status --porcelain",
            "stash list",
            "branch --all",
            "for-each-ref refs/heads refs/tags refs/stash",
            "ls-files -s",
        ]
        .map(|args| git(env, args))
    };
    let before = look(&env);
    assert_eq!(ralph(&env, &["--agent", "a", "--max-iterations", "9"]).code, Some(2));
    assert_eq!(look(&env), before);
}
