//! An agent that satisfies a `file:` check or `requireWork` without a file or work.

use crate::support::{DONE, config, forkhestra, project, repository, verdicts};

#[test]
fn a_link_out_of_the_tree_is_no_file() {
    let env = project();
    env.agent("a", &format!("ln -s /etc/hostname REPORT.md; {DONE}"));
    let output = forkhestra(&env, &["a:1", "--check", "file:REPORT.md"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.to_string().contains("is a link that leads out of the working directory"));
}

#[test]
fn a_directory_is_no_file() {
    let env = project();
    env.agent("a", &format!("mkdir -p REPORT.md; {DONE}"));
    let output = forkhestra(&env, &["a:1", "--check", "file:REPORT.md"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.to_string().contains("is a directory"), "{output}");
}

#[test]
fn an_empty_commit_is_no_work() {
    let env = repository();
    env.agent("a", &format!("git commit --quiet --allow-empty -m work; {DONE}"));
    config(
        &env,
        r#"{"chains": {"c": {"steps": [{"agent": "a", "iterations": 2, "requireWork": true}]}}}"#,
    );
    let output = forkhestra(&env, &["--chain", "c"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(verdicts(&env), ["refused no_work", "refused no_work"], "{output}");
    env.agent("a", &format!("echo x > new; git add new; git commit --quiet -m work; {DONE}"));
    let output = forkhestra(&env, &["--chain", "c", "--state-dir", "../other"]);
    assert_eq!(output.code, Some(0), "{output}");
}
