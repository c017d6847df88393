//! Tests that one run per work tree is allowed, across processes.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{self, Child, Stdio};

use forkhestra_store::{
    Durability, Journal, JournalLock, LockError, LockProof, StateRoot, WorkTreeLock,
};

use crate::helper::{process, task};
use crate::samples::{event, started, warning};
use crate::temporary_dir::{TemporaryDir, owner, read};

const WORK_TREE: &str = "/home/ada/engine";

/// Starts a process that holds the lock, and waits until it does.
fn other_owner(temporary: &TemporaryDir) -> Child {
    let test = "work_tree_lock::a_lock_that_another_process_holds_is_refused_until_that_is_killed";
    let mut command = process(&[], test, temporary.root.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("this program can be started");
    let mut lines = BufReader::new(child.stdout.as_mut().expect("it is piped")).lines();
    let holds = lines.any(|line| line.expect("it is text").ends_with("locked"));
    assert!(holds, "the other process ended without the lock");
    child
}

/// Holds the lock until its standard input is closed, or the process is killed.
#[expect(clippy::print_stdout, reason = "this is how the two processes wait for each other")]
fn hold_the_lock(root: &Path) {
    let tree = StateRoot::new(root).work_tree(Path::new(WORK_TREE));
    let acquired = WorkTreeLock::acquire(&tree, &owner(process::id())).expect("it is free");
    println!("locked");
    std::io::stdin().read_to_end(&mut Vec::new()).expect("it is a pipe");
    drop(acquired);
}

#[test]
fn a_lock_that_another_process_holds_is_refused_until_that_is_killed() {
    if let Some(root) = task() {
        return hold_the_lock(&root);
    }
    let temporary = TemporaryDir::new();
    let mut other = other_owner(&temporary);

    let error = WorkTreeLock::acquire(&temporary.tree, &owner(1)).expect_err("it is held");
    let output = error.to_string();
    let LockError::Held { owner: Some(found), path } = error else { panic!("{error:?}") };
    assert_eq!(found, owner(other.id()));
    assert_eq!(path, temporary.tree.path().join("lock"));
    let pid = other.id();
    let expected = format!("the work tree is in use by run 70000000 (process {pid})");
    assert_eq!(output, expected);

    other.kill().expect("it is ours");
    other.wait().expect("it is ours");
    let acquired = WorkTreeLock::acquire(&temporary.tree, &owner(1)).expect("it is free");
    assert_eq!(acquired.leftover, Some(owner(pid)));
    acquired.lock.release().expect("the disk works");

    let acquired = WorkTreeLock::acquire(&temporary.tree, &owner(2)).expect("it is free");
    assert_eq!(acquired.leftover, None);
}

#[test]
fn a_lock_that_is_dropped_is_free_but_leaves_a_trace() {
    let temporary = TemporaryDir::new();
    drop(WorkTreeLock::acquire(&temporary.tree, &owner(1)).expect("it is free"));
    let acquired = WorkTreeLock::acquire(&temporary.tree, &owner(2)).expect("it is free");
    assert_eq!(acquired.leftover, Some(owner(1)));
}

#[test]
fn a_lock_that_was_given_back_stays_taken_while_a_fork_has_it() {
    let temporary = TemporaryDir::new();
    let lock = WorkTreeLock::acquire(&temporary.tree, &owner(1)).expect("it is free").lock;
    // A duplicate behaves like a descriptor that a forked process inherits.
    let inherited = lock.as_fd().try_clone_to_owned().expect("there are files left");
    lock.release().expect("the disk works");
    let error = WorkTreeLock::acquire(&temporary.tree, &owner(2)).expect_err("it is still taken");
    assert!(matches!(error, LockError::Held { owner: None, .. }), "{error:?}");
    assert_eq!(error.to_string(), "the work tree is in use");
    drop(inherited);
    let acquired = WorkTreeLock::acquire(&temporary.tree, &owner(2)).expect("it is free");
    assert_eq!(acquired.leftover, None);
}

/// The command line may contain prompts and keys, and must not be in the file.
#[test]
fn a_lock_file_names_its_owner_and_nothing_else() {
    let temporary = TemporaryDir::new();
    let acquired = WorkTreeLock::acquire(&temporary.tree, &owner(12)).expect("it is free");
    let written = fs::read_to_string(temporary.tree.path().join("lock")).expect("it is there");
    let expected = r#"{"pid":12,"run":"70000000","since":"2026-11-15T07:59:12.123Z"}"#;
    assert_eq!(written, expected);
    drop(acquired);
}

#[test]
fn a_journal_has_one_writer_also_without_the_lock_of_the_work_tree() {
    let temporary = TemporaryDir::new();
    let (run, mut journal) = temporary.run_of(&[event(0, started())]);
    let before = fs::metadata(run.journal()).and_then(|metadata| metadata.modified());
    let error = JournalLock::acquire(&run, &owner(2)).expect_err("it is written");
    let expected = "run 10000000 is active (process 1)";
    assert_eq!(error.to_string(), expected);
    drop(journal);
    assert!(!run.path().join("owner").exists(), "the lock is free");

    let lock = JournalLock::acquire(&run, &owner(2)).expect("no other process writes it");
    let after = fs::metadata(run.journal()).and_then(|metadata| metadata.modified());
    assert_eq!(before.ok(), after.ok(), "a lock changes nothing");
    let recorded = read(&run).expect("it can be read");
    journal = Journal::open_for_append(lock, &LockProof::Waived, &recorded, Durability::Os)
        .expect("it can be continued");
    let error = JournalLock::acquire(&run, &owner(3)).expect_err("it is written");
    assert!(error.to_string().contains("(process 2)"), "{error}");
    fs::remove_file(run.path().join("owner")).expect("it is there");
    let error = JournalLock::acquire(&run, &owner(3)).expect_err("it is written");
    assert_eq!(error.to_string(), "run 10000000 is active");
    journal.append(&event(1, warning("still here"))).expect("there is room");
}

#[test]
fn work_trees_do_not_stand_in_each_others_way() {
    let temporary = TemporaryDir::new();
    let one = WorkTreeLock::acquire(&temporary.tree, &owner(1)).expect("it is free").lock;
    let other = temporary.root.work_tree(Path::new("/elsewhere"));
    let two = WorkTreeLock::acquire(&other, &owner(2)).expect("it is another one").lock;
    one.release().and(two.release()).expect("the disk works");
}

#[test]
fn a_truncated_lock_file_has_no_owner() {
    let temporary = TemporaryDir::new();
    fs::create_dir_all(temporary.tree.path()).expect("a directory");
    fs::write(temporary.tree.path().join("lock"), "{\"pid\":12").expect("a file");
    let acquired = WorkTreeLock::acquire(&temporary.tree, &owner(1)).expect("it is free");
    assert_eq!(acquired.leftover, None);
}

#[test]
fn a_lock_that_cannot_be_there_is_another_error() {
    let temporary = TemporaryDir::new();
    fs::write(temporary.root.path(), "a file in its place").expect("a file");
    let error =
        WorkTreeLock::acquire(&temporary.tree, &owner(1)).expect_err("there is no directory");
    let LockError::Unusable(error) = error else { panic!("{error:?}") };
    assert_eq!(error.path, temporary.root.path());
    assert_eq!(error.source.to_string(), "it is not a directory");
}

/// The lock file was removed while the run goes on. A new file can be locked, the directory cannot.
#[test]
fn a_removed_lock_file_does_not_let_another_run_start() {
    let temporary = TemporaryDir::new();
    let held = WorkTreeLock::acquire(&temporary.tree, &owner(1)).expect("it is free");
    fs::remove_file(temporary.tree.path().join("lock")).expect("it is there");
    let error = WorkTreeLock::acquire(&temporary.tree, &owner(2)).expect_err("it is held");
    assert!(matches!(error, LockError::Held { owner: None, .. }), "{error:?}");
    drop(held);
    drop(WorkTreeLock::acquire(&temporary.tree, &owner(2)).expect("it is free"));
}
