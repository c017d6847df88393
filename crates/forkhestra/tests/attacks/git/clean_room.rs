//! Attacks on the content of a clean room. A fresh clone of the commit fails each check.

use super::support::{assert_incomplete, attack, failing_project};
use crate::support::{DONE, forkhestra, git, reason, verdicts};

/// The shell function that prints the path of a loose object.
const OBJECT_PATH: &str =
    "path() { echo .git/objects/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-); }";

#[test]
fn an_honest_agent_completes() {
    let env = failing_project();
    let script = "echo right > answer; git commit --quiet --all --message right";
    let output = attack(&env, script, &["--protect", "test.sh"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(verdicts(&env), ["complete marker"]);
}

#[test]
fn an_agent_that_does_nothing_does_not_complete() {
    let env = failing_project();
    let output = attack(&env, "true", &[]);
    assert_eq!(assert_incomplete(&env, &output), ["refused checks_failed"]);
}

#[test]
fn a_replaced_test_is_not_seen() {
    let env = failing_project();
    let script =
        "git replace $(git rev-parse HEAD:test.sh) $(echo true | git hash-object -w --stdin)";
    let output = attack(&env, script, &[]);
    assert_eq!(assert_incomplete(&env, &output), ["refused checks_failed"]);
}

#[test]
fn a_replaced_answer_is_not_seen() {
    let env = failing_project();
    let script =
        "git replace $(git rev-parse HEAD:answer) $(echo right | git hash-object -w --stdin)";
    let output = attack(&env, script, &[]);
    assert_eq!(assert_incomplete(&env, &output), ["refused checks_failed"]);
}

#[test]
fn a_replaced_commit_and_a_graft_are_not_seen() {
    let env = failing_project();
    let script = "blob=$(echo right | git hash-object -w --stdin)
        git update-index --cacheinfo 100644,$blob,answer
        new=$(git commit-tree -m x $(git write-tree)); git reset --quiet
        git replace $(git rev-parse HEAD) $new
        mkdir -p .git/info; echo $(git --no-replace-objects rev-parse HEAD) > .git/info/grafts";
    let output = attack(&env, script, &[]);
    assert_eq!(assert_incomplete(&env, &output), ["refused checks_failed"]);
}

#[test]
fn a_filter_of_the_repository_is_not_run() {
    let env = failing_project();
    let script = "git config filter.x.smudge 'echo right'; git config filter.x.clean cat
        mkdir -p .git/info; echo 'answer filter=x' > .git/info/attributes";
    let output = attack(&env, script, &[]);
    assert_eq!(assert_incomplete(&env, &output), ["refused checks_failed"]);
}

#[test]
fn a_filter_of_the_user_is_not_run() {
    let env = failing_project();
    let script = "git config --global filter.x.smudge 'echo right'
        mkdir -p .git/info; echo 'answer filter=x' > .git/info/attributes";
    let output = attack(&env, script, &["--protect", "answer"]);
    assert_eq!(assert_incomplete(&env, &output), ["refused checks_failed"]);
}

#[test]
fn conditional_settings_and_attributes_of_the_user_are_not_seen() {
    let env = failing_project();
    let script = r#"printf '[filter "x"]\nsmudge = echo right\n' > "$HOME/included"
        git config --global "includeIf.gitdir:**/room/**.path" "$HOME/included"
        git config --global "includeIf.gitdir:**/room*.path" "$HOME/included"
        git config --global include.path "$HOME/included"
        mkdir -p "$HOME/.config/git"; echo 'answer filter=x' > "$HOME/.config/git/attributes""#;
    let output = attack(&env, script, &[]);
    assert_eq!(assert_incomplete(&env, &output), ["refused checks_failed"]);
}

#[test]
fn a_committed_filter_attribute_shows_the_committed_file() {
    let env = failing_project();
    let script = "echo 'answer filter=lfs' > .gitattributes; git add .gitattributes
        git commit --quiet --message attributes
        git config --global filter.lfs.smudge 'echo right'";
    let output = attack(&env, script, &[]);
    assert_eq!(assert_incomplete(&env, &output), ["refused checks_failed"]);
    let notice = "`.gitattributes` names a filter, such as that of Git LFS";
    assert!(output.to_string().contains(notice), "{output}");
}

#[test]
fn a_forged_loose_object_is_not_verified() {
    let env = failing_project();
    let script = format!(
        "{OBJECT_PATH}
        forged=$(path $(git rev-parse HEAD:answer)); right=$(echo right | git hash-object -w --stdin)
        rm -f $forged; cp $(path $right) $forged"
    );
    let output = attack(&env, &script, &[]);
    assert_eq!(assert_incomplete(&env, &output), [""; 0], "the work is not judged");
    assert_eq!(reason(&env), "cannot_check");
}

#[test]
fn a_forged_object_in_an_alternate_is_not_verified() {
    let env = failing_project();
    let script = format!(
        "{OBJECT_PATH}
        object=$(path $(git rev-parse HEAD:answer)); right=$(echo right | git hash-object -w --stdin)
        other=../alternate/$(echo $object | cut -c14-); mkdir -p $(dirname $other)
        cp $(path $right) $other; rm -f $object
        echo \"$PWD/../alternate\" > .git/objects/info/alternates"
    );
    let output = attack(&env, &script, &[]);
    assert_eq!(assert_incomplete(&env, &output), [""; 0], "the work is not judged");
    assert_eq!(reason(&env), "cannot_check");
}

#[test]
fn a_missing_object_is_not_verified_and_the_resume_checks() {
    let env = failing_project();
    let script = format!(
        "{OBJECT_PATH}
        echo x >> ../tries; echo right > answer; git commit --quiet --all --message right
        mv $(path $(git rev-parse HEAD~1:answer)) ../object"
    );
    let output = attack(&env, &script, &[]);
    assert_eq!((output.code, reason(&env)), (Some(1), "cannot_check".to_owned()), "{output}");
    let restore = format!("{OBJECT_PATH}; mv ../object $(path $(git rev-parse HEAD~1:answer))");
    assert_eq!(env.run("/bin/sh", &["-c", &restore]).code, Some(0));
    let output = forkhestra(&env, &["resume"]);
    assert_eq!(output.code, Some(0), "{output}");
    let tries = std::fs::read_to_string(env.root().join("tries")).expect("it was started");
    assert_eq!(tries, "x\n", "the agent was paid for again");
}

#[test]
fn a_forged_shallow_file_does_not_hide_history() {
    let env = failing_project();
    env.write("test.sh", "test $(git rev-list --count HEAD) = 1\n");
    git(&env, "commit --quiet --all --message history");
    let output = attack(&env, "git rev-parse HEAD > .git/shallow", &[]);
    assert_eq!(assert_incomplete(&env, &output), ["refused checks_failed"]);
}

#[test]
fn objects_that_were_planted_between_two_rooms_are_not_used() {
    let env = failing_project();
    let path = OBJECT_PATH;
    // The first room makes our repository; then the agent replaces an object in it.
    env.agent(
        "a",
        &format!(
            "{path}
            if [ $FORKHESTRA_ITERATION = 2 ]; then
                store=$(dirname $(find ../ -path '*room.git/HEAD'))
                blob=$(git rev-parse HEAD:answer)
                right=$(echo right | git hash-object -w --stdin)
                rm -rf $store/objects/pack
                mkdir -p $store/objects/$(echo $blob | cut -c1-2)
                cp $(path $right) $store/objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-)
                for object in $(git rev-list --objects HEAD | cut -d' ' -f1); do
                    to=$store/objects/$(echo $object | cut -c1-2)/$(echo $object | cut -c3-)
                    mkdir -p $(dirname $to); [ -e $to ] || cp $(path $object) $to
                done
            fi
            {DONE}"
        ),
    );
    env.link_system_program("find");
    let args = ["a:2", "--clean-room", "--check", super::support::CHECK];
    let output = forkhestra(&env, &args);
    let verdicts = assert_incomplete(&env, &output);
    assert_eq!(verdicts, ["refused checks_failed", "refused checks_failed"]);
}

#[test]
fn nothing_of_a_room_is_left_when_the_run_is_over() {
    let env = failing_project();
    let script = "echo right > answer; git commit --quiet --all --message right";
    assert_eq!(attack(&env, script, &[]).code, Some(0));
    let kept = crate::support::run_directory(&env).join("kept");
    for name in ["room", "room.git", "room.lock"] {
        assert!(!kept.join(name).exists(), "{name}");
    }
    assert_eq!(git(&env, "worktree list").lines().count(), 1);
}
