//! How a fork starts: when its work tree is kept, and when it is removed again.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use testkit::{TestEnv, eventually};

use super::fork::{AGENT, finished, forks_directory, git_in, journal_end, run_at, work_tree};
use crate::FORKHESTRA;
use crate::support::{config, forkhestra, git, repository};

/// Runs a shell script before each git command that has this word.
pub(super) fn before_git(env: &TestEnv, word: &str, script: &str) {
    let git = env.bin().join("git");
    let real = fs::read_link(&git).expect("it is a link to the program");
    fs::remove_file(&git).expect("it is ours");
    let real = real.display();
    env.agent("git", &format!("case \"$*\" in *{word}*) {script};; esac\nexec '{real}' \"$@\""));
}

/// A run in the background goes on, whoever reads its id.
#[test]
fn a_detached_fork_keeps_its_work_tree_if_its_id_cannot_be_printed() {
    let env = finished();
    let source = run_at(&env, 0);
    let full = fs::File::options().write(true).open("/dev/full").expect("there is one");
    let mut command = env.command(FORKHESTRA);
    command.args(["fork", &source, "--at", "3", "--detach", "--quiet"]).stdout(full);
    let output = command.stderr(Stdio::null()).stdin(Stdio::null()).status();
    assert_ne!(output.expect("it can be started").code(), Some(0));
    let fork = run_at(&env, 0);
    assert_ne!(fork, source, "a run was begun");
    eventually("the fork is over", || journal_end(&env, &fork).map(drop));
    assert_eq!(journal_end(&env, &fork).as_deref(), Some("complete"));
    assert_eq!(git_in(&env, &work_tree(&env, &fork), "log --format=%s"), "second\nbegin\n");
}

#[test]
fn nothing_is_left_of_a_fork_whose_plan_is_interrupted() {
    let env = repository();
    env.agent("claude", AGENT);
    config(&env, r#"{ "agents": { "worker": { "systemPromptText": "Work" } } }"#);
    forkhestra(&env, &["worker:9"]).success();
    let source = run_at(&env, 0);
    before_git(&env, "GIT_COMMITTER_IDENT", "kill -INT $PPID");
    let output = forkhestra(&env, &["fork", &source, "--at", "3"]);
    assert_eq!(output.code, None, "a signal ends it: {output}");
    assert!(output.stderr.contains("it was interrupted"), "{output}");
    assert!(!forks_directory(&env).exists(), "{output}");
    assert_eq!(run_at(&env, 0), source, "no run was begun");
}

#[test]
fn doctor_names_a_work_tree_without_a_run() {
    let env = finished();
    let source = run_at(&env, 0);
    let output = forkhestra(&env, &["fork", &source, "--at", "3"]);
    assert_eq!(output.code, Some(0), "{output}");
    before_git(&env, "pack-objects", "kill -9 $PPID");
    assert_eq!(forkhestra(&env, &["fork", &source, "--at", "3"]).code, None);
    let kept = work_tree(&env, &run_at(&env, 0));
    let entries = fs::read_dir(forks_directory(&env)).expect("there are forks");
    let mut left = entries.map(|entry| entry.expect("it is ours").path());
    let left = left.find(|path| *path != kept).expect("it was killed");
    let output = forkhestra(&env, &["doctor"]);
    let name = |path: &Path| path.file_name().expect("it has one").to_string_lossy().into_owned();
    assert!(output.stdout.contains("rm -rf ") && output.stdout.contains(&name(&left)), "{output}");
    assert!(!output.stdout.contains(&name(&kept)), "{output}");
}

#[test]
fn a_branch_named_like_ours_is_no_obstacle() {
    let env = finished();
    git(&env, "branch forkhestra");
    let output = forkhestra(&env, &["fork", &run_at(&env, 0), "--at", "3"]);
    assert_eq!(output.code, Some(0), "{output}");
    let fork = run_at(&env, 0);
    let tree = work_tree(&env, &fork);
    assert!(output.stderr.contains(&format!("branch forkhestra-{fork}\n")), "{output}");
    assert_eq!(git_in(&env, &tree, "branch --show-current"), format!("forkhestra-{fork}\n"));
    assert_eq!(git_in(&env, &tree, "rev-parse forkhestra"), git(&env, "rev-parse forkhestra"));
    git_in(&env, &tree, "pack-refs --all");
}

#[test]
fn the_report_of_a_fork_knows_its_inherited_steps() {
    let env = repository();
    env.agent("a", AGENT).agent("b", "echo x >> b.txt");
    assert_eq!(forkhestra(&env, &["a:9 -> b", "-p", "first"]).code, Some(0));
    let source = run_at(&env, 0);
    let output = forkhestra(&env, &["fork", &source, "--at", "1.4"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains(&format!("1  a  complete  in run {source}\n")), "{output}");
    assert!(!output.stdout.contains("not reached"), "{output}");
}

/// The undo would go back behind an earlier rewind.
#[test]
fn no_undo_is_offered_if_nothing_was_rewound() {
    let env = finished();
    let source = run_at(&env, 0);
    let fork = |at| {
        let args = ["fork", &source, "--at", at, "--here", "--record", "/proc/recording"];
        let output = forkhestra(&env, &args);
        assert_eq!(output.code, Some(2), "{output}");
        output.stderr
    };
    let message = fork("4");
    assert!(!message.contains("--undo"), "{message}");
    let message = fork("3");
    assert!(message.contains("the work tree was rewound, but no run was started"), "{message}");
}
