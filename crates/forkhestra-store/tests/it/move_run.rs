//! Tests of moving runs to another work tree.

use std::fs;
use std::path::Path;

use forkhestra_store::{
    Durability, Journal, JournalLock, LockError, LockProof, WorkTreeLock, move_run,
};

use crate::samples::{event, started, warning};
use crate::temporary_dir::{TemporaryDir, owner, read};

#[test]
fn a_run_moves_with_all_its_files_under_its_lock() {
    let temporary = TemporaryDir::new();
    let (run, _) = temporary.run_of(&[event(0, started())]);
    fs::create_dir(run.output().join("1-1-1")).expect("there is room");
    let other = temporary.root.work_tree(Path::new("/home/ada/moved"));
    let mut lock = JournalLock::acquire(&run, &owner(1)).expect("no other process writes it");
    let from =
        LockProof::Locked(WorkTreeLock::acquire(&temporary.tree, &owner(1)).expect("free").lock);
    let to = LockProof::Locked(WorkTreeLock::acquire(&other, &owner(1)).expect("free").lock);
    let moved = move_run(&mut lock, &from, &other, &to).expect("both are held");

    assert!(!run.path().exists() && moved.output().join("1-1-1").exists());
    assert_eq!(other.runs().expect("it can be read"), std::slice::from_ref(&moved));
    assert_eq!(temporary.tree.runs().expect("it can be read"), []);
    let refused = JournalLock::acquire(&moved, &owner(2)).expect_err("the lock is held");
    assert!(matches!(refused, LockError::RunActive { owner: Some(_), .. }), "{refused:?}");
    let recorded = read(&moved).expect("it can be read");
    let mut journal = Journal::open_for_append(lock, &to, &recorded, Durability::Fsync)
        .expect("it is the same journal");
    journal.append(&event(1, warning("next"))).expect("there is room");
    drop(journal);
    assert_eq!(read(&moved).expect("it can be read").events.len(), 2);
    assert!(!moved.path().join("owner").exists());
}

#[test]
fn both_work_trees_must_be_held() {
    let temporary = TemporaryDir::new();
    let (run, _) = temporary.run_of(&[event(0, started())]);
    let other = temporary.root.work_tree(Path::new("/home/ada/moved"));
    let mut lock = JournalLock::acquire(&run, &owner(1)).expect("no other process writes it");
    let right =
        LockProof::Locked(WorkTreeLock::acquire(&temporary.tree, &owner(1)).expect("free").lock);
    let third = temporary.root.work_tree(Path::new("/home/ada/third"));
    let wrong = LockProof::Locked(WorkTreeLock::acquire(&third, &owner(1)).expect("free").lock);
    move_run(&mut lock, &right, &other, &wrong).expect_err("it is another one");
    move_run(&mut lock, &wrong, &other, &right).expect_err("it is another one");
    assert!(run.path().exists());
}
