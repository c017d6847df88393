//! Marks in git's index that hide changes of files.

use super::support::{CHECK, assert_incomplete, attack, failing_project};
use crate::support::{forkhestra, git, verdicts};

/// Commits a weak test, and puts the strong one back into the work tree.
const WEAK_COMMIT: &str = "cp test.sh ../strong; echo true > test.sh
    git commit --quiet --all --message weak; cp ../strong test.sh";

/// The same with tests of the same size and time. Git compares their contents only if their change times differ, in
/// seconds.
const WEAK_COMMIT_WITH_SAME_TIME: &str =
    "cp test.sh ../strong; echo 'true # as long as it' > test.sh
    touch -d 2020-01-01 test.sh; git commit --quiet --all --message weak
    sleep 1.1; cat ../strong > test.sh; touch -d 2020-01-01 test.sh";

#[test]
fn an_assumed_file_hides_no_protected_change() {
    let assume = "git update-index --assume-unchanged test.sh";

    let skip = "git update-index --skip-worktree test.sh";
    let sparse = format!("{skip}; git config core.sparseCheckout true");
    let both = "git update-index --assume-unchanged --skip-worktree test.sh";
    let times = "git config core.checkStat minimal; git config core.trustctime false";
    let protect = &["--protect", "test.sh"][..];
    for (commit, hide, options) in [
        (WEAK_COMMIT, assume, protect),
        (WEAK_COMMIT, assume, &[]),
        (WEAK_COMMIT, skip, protect),
        (WEAK_COMMIT, skip, &[]),
        (WEAK_COMMIT, &sparse, &[]),
        (WEAK_COMMIT, both, &[]),
        (WEAK_COMMIT_WITH_SAME_TIME, times, &[]),
    ] {
        let env = failing_project();
        let output = attack(&env, &format!("{commit}; {hide}"), options);
        let verdicts = assert_incomplete(&env, &output);
        assert_eq!(verdicts, ["refused uncommitted_work"], "{hide} {options:?}: {output}");
        assert!(output.stdout.contains("test.sh"), "{output}");
    }
}

#[test]
fn a_protected_file_is_compared_in_the_room_as_well() {
    let env = failing_project();
    // The commit has a pointer of Git LFS for the file, so that the file counts as committed.
    for name in ["sha256sum", "wc"] {
        env.link_system_program(name);
    }
    let script = "cp test.sh ../strong
        printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n' \
            $(sha256sum < ../strong | cut -d ' ' -f 1) $(wc -c < ../strong) > test.sh
        git commit --quiet --all --message weak; cp ../strong test.sh
        git config filter.x.clean cat; mkdir -p .git/info; echo 'test.sh filter=x' > .git/info/attributes";
    let output = attack(&env, script, &["--protect", "test.sh"]);
    assert_eq!(assert_incomplete(&env, &output), ["refused protected_files"], "{output}");
    assert!(output.stdout.contains("it changed protected files: test.sh"), "{output}");
}

#[test]
fn a_commit_of_the_protected_files_as_they_were_is_no_change() {
    let env = failing_project();
    env.write("test.sh", "grep -q right answer # of the user\n").write("new.sh", "true\n");
    let script = "echo right > answer; git add --all; git commit --quiet --message all";
    let output = attack(&env, script, &["--protect", "*.sh"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(verdicts(&env), ["complete marker"]);
}

#[test]
fn files_outside_of_a_sparse_checkout_are_no_change() {
    let env = failing_project();
    env.write("left/out", "x\n");
    git(&env, "add --all");
    git(&env, "commit --quiet --message more");
    git(&env, "sparse-checkout set --no-cone '/*' '!left'");
    let script = "echo right > answer; git commit --quiet --all --message right";
    let output = attack(&env, script, &[]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!env.has("left"));
}

#[test]
fn a_skipped_file_that_comes_back_is_seen() {
    let env = failing_project();
    // Only a sparse checkout may leave it out.
    let script =
        "if test -e ../first; then echo changed > README; echo FORKHESTRA_COMPLETE; exit; fi
        touch ../first; echo right > answer; git commit --quiet --all --message right
        git config core.sparseCheckout true; git update-index --skip-worktree README; rm README";
    env.agent("a", script);
    let output = forkhestra(&env, &["a:2", "--clean-room", "--check", CHECK]);
    let verdicts = assert_incomplete(&env, &output);
    assert_eq!(verdicts, ["incomplete", "refused uncommitted_work"], "{output}");
    assert!(output.stdout.contains("README"), "{output}");
    let env = failing_project();
    let script = "echo right > answer; git commit --quiet --all --message right
        git update-index --skip-worktree README; rm README";
    let output = attack(&env, script, &[]);
    assert_eq!(assert_incomplete(&env, &output), ["refused uncommitted_work"], "{output}");
}

#[test]
fn a_filter_of_the_agent_hides_no_change() {
    let env = failing_project();
    let script = "echo right > answer; git commit --quiet --all --message right
        git config filter.x.clean 'git show HEAD:README'; mkdir -p .git/info
        echo 'README filter=x' > .git/info/attributes; echo changed > README; git add README";
    let output = attack(&env, script, &[]);
    assert_eq!(assert_incomplete(&env, &output), ["refused uncommitted_work"], "{output}");
    assert!(output.stdout.contains("README"), "{output}");
}

#[test]
fn another_work_tree_in_the_settings_hides_no_change() {
    let env = failing_project();
    let script = "echo right > answer; git commit --quiet --all --message right
        mkdir ../copy; cp README answer test.sh ../copy
        echo changed > README; git config core.worktree \"$(cd ../copy; pwd)\"";
    let output = attack(&env, script, &[]);
    assert_eq!(assert_incomplete(&env, &output), ["refused uncommitted_work"], "{output}");
    assert!(output.stdout.contains("README"), "{output}");
    // A later process finds the changed setting.
    let output = forkhestra(&env, &["a:1", "--clean-room", "--check", CHECK]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.to_string().contains("core.worktree"), "{output}");
    // A repository inside of the work tree.
    let env = failing_project();
    let script = "git init --quiet nested; cd nested; echo x > file; git add file
        git commit --quiet --message x; cd ..; git add nested 2> /dev/null; echo right > answer
        git commit --quiet --all --message right; mkdir ../copy; cp nested/file ../copy
        echo changed > nested/file; git -C nested config core.worktree \"$(cd ../copy; pwd)\"";
    let output = attack(&env, script, &[]);
    assert_eq!(assert_incomplete(&env, &output), ["refused uncommitted_work"], "{output}");
    assert!(output.stdout.contains("nested"), "{output}");
}
