//! Links in a commit that lead out of the clean room.

use std::os::unix::fs::symlink;

use super::support::{assert_incomplete, attack, failing_project};
use crate::support::{git, verdicts};

#[test]
fn a_link_to_a_file_outside_is_refused() {
    let env = failing_project();
    let script = "echo right > ../outside; ln -sf $PWD/../outside answer
        git commit --quiet --all --message link";
    let output = attack(&env, script, &[]);
    assert_eq!(assert_incomplete(&env, &output), ["refused checks_failed"]);
    let message = "the commit has a link that leaves the repository, and checks must not read \
                   through it: `answer` to `";
    assert!(output.to_string().contains(message), "{output}");
}

#[test]
fn a_relative_link_and_a_link_by_another_one_are_refused() {
    for script in [
        "ln -sf ../../../../../../../../../../../../../etc/hostname answer",
        // The directory is a link to the top, so that its parent is outside.
        "mkdir deep; ln -s .. deep/top; ln -sf deep/top/../outside answer",
    ] {
        let env = failing_project();
        env.write("test.sh", "cat answer; true\n");
        git(&env, "commit --quiet --all --message weak");
        let script = format!("{script}; git add --all; git commit --quiet --message link");
        let output = attack(&env, &script, &[]);
        assert_eq!(assert_incomplete(&env, &output), ["refused checks_failed"]);
        assert!(output.to_string().contains("a link that leaves the repository"), "{output}");
    }
}

#[test]
fn a_link_into_the_directory_of_git_is_refused() {
    for target in [".git/answer", "$PWD/.git/answer"] {
        let env = failing_project();
        let script = format!(
            "echo right > .git/answer; ln -sf {target} answer
            git commit --quiet --all --message link"
        );
        let output = attack(&env, &script, &[]);
        assert_eq!(assert_incomplete(&env, &output), ["refused checks_failed"]);
        assert!(output.to_string().contains("a link that leaves the repository"), "{output}");
    }
}

#[test]
fn a_link_of_the_user_stays_and_is_said() {
    let env = failing_project();
    symlink("/etc/hostname", env.project().join("host")).expect("it is ours");
    git(&env, "add --all");
    git(&env, "commit --quiet --message link");
    let script = "echo right > answer; git commit --quiet --all --message right";
    let output = attack(&env, script, &[]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(verdicts(&env), ["complete marker"]);
    assert!(output.to_string().contains("links that leave it"), "{output}");
}
