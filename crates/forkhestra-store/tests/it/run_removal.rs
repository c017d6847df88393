//! Tests of removing runs and the output of their agents.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use forkhestra_store::journal::recorded_run;
use forkhestra_store::{
    JournalLength, JournalLock, LockError, RemoveError, RunDir, RunRemoval, RunSize,
    remove_leftover,
};

use crate::samples::{event, started, warning};
use crate::temporary_dir::{TemporaryDir, owner};

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().expect("it is below something")).expect("there is room");
    fs::write(path, content).expect("there is room");
}

/// A run that has begun, has some output, and was interrupted.
fn cut_off(directory: &TemporaryDir) -> RunDir {
    let (run, journal) = directory.run_of(&[event(0, started())]);
    drop(journal);
    write(&run.output().join("1-1-1/stdout"), "0123456789");
    write(&run.output().join("1-1-1/stderr"), "01234");
    run
}

fn begin(run: &RunDir) -> Result<RunRemoval, RemoveError> {
    RunRemoval::begin(run, &owner(1), JournalLength::of(run).expect("it is there"))
}

#[test]
fn nothing_is_left_of_a_run() {
    let directory = TemporaryDir::new();
    let run = cut_off(&directory);
    begin(&run).and_then(|removal| Ok(removal.remove_everything(None)?)).expect("the lock is free");
    assert!(!run.path().exists());
    assert!(directory.tree.path().exists(), "others may be about to use it");
    assert_eq!(directory.tree.runs().expect("it can be read"), []);
}

#[test]
fn output_can_be_removed_alone() {
    let directory = TemporaryDir::new();
    let run = cut_off(&directory);
    let before = RunSize::of(&run).expect("it can be read");
    assert_eq!(before.output, 15);
    begin(&run).and_then(|removal| Ok(removal.remove_output()?)).expect("the lock is free");
    let after = RunSize::of(&run).expect("it can be read");
    assert_eq!(after, RunSize { output: 0, ..before });
    assert!(after.rest > 0 && after.total() == after.rest);
    assert!(recorded_run::read(&run).is_ok());
}

#[test]
fn a_removed_run_takes_its_views_and_nothing_else() {
    let directory = TemporaryDir::new();
    let run = cut_off(&directory);
    let views = directory.path().join("work/.agent-state");
    let (id, kept) = (run.run().to_string(), ["iterations.jsonl", "chain-00000000.json"]);
    for name in
        [&format!("chain-{id}.json"), &format!("run-{id}-2.json"), &format!("summary-{id}.md")]
    {
        write(&views.join(name), "{}");
    }
    kept.iter().for_each(|name| write(&views.join(name), "{}"));
    let work = directory.path().join("work");
    begin(&run)
        .and_then(|removal| Ok(removal.remove_everything(Some(&work))?))
        .expect("the lock is free");
    let names = fs::read_dir(&views).expect("it is there").map(|entry| entry.expect("it is there"));
    let mut names: Vec<_> = names.map(|entry| entry.file_name()).collect();
    names.sort();
    assert_eq!(names, ["chain-00000000.json", "iterations.jsonl"]);
}

#[test]
fn a_run_that_is_going_on_is_not_touched() {
    let directory = TemporaryDir::new();
    let run = cut_off(&directory);
    let lock = JournalLock::acquire(&run, &owner(4)).expect("the lock is free");
    let error = begin(&run).expect_err("the lock is held");
    assert!(
        matches!(&error, RemoveError::Lock(LockError::RunActive { owner: Some(by), .. }) if by.pid == 4)
    );
    assert!(run.output().join("1-1-1/stdout").exists());
    drop(lock);
    assert!(begin(&run).is_ok());
}

#[test]
fn a_run_that_has_gone_on_meanwhile_is_not_touched() {
    let directory = TemporaryDir::new();
    let (run, mut journal) = directory.run_of(&[event(0, started())]);
    let seen = JournalLength::of(&run).expect("it is there");
    journal.append(&event(1, warning("more"))).expect("there is room");
    drop(journal);
    let error = RunRemoval::begin(&run, &owner(1), seen).expect_err("it is another one");
    assert!(matches!(error, RemoveError::Changed { .. }), "{error}");
    assert!(recorded_run::read(&run).is_ok());
}

#[test]
fn links_are_removed_and_not_followed() {
    let directory = TemporaryDir::new();
    let run = cut_off(&directory);
    let precious = directory.path().join("precious");
    write(&precious.join("file"), "precious");
    symlink(&precious, run.output().join("link")).expect("there is room");
    symlink(precious.join("file"), run.path().join("link")).expect("there is room");
    let size = RunSize::of(&run).expect("it can be read");
    assert_eq!(size.output, 15);
    begin(&run).and_then(|removal| Ok(removal.remove_everything(None)?)).expect("the lock is free");
    assert!(!run.path().exists() && precious.join("file").exists());
}

#[test]
fn an_output_directory_that_is_a_link_is_removed_and_not_followed() {
    let directory = TemporaryDir::new();
    let run = cut_off(&directory);
    let precious = directory.path().join("precious");
    fs::rename(run.output(), &precious).expect("there is room");
    symlink(&precious, run.output()).expect("there is room");
    begin(&run).and_then(|removal| Ok(removal.remove_output()?)).expect("the lock is free");
    assert!(!run.output().exists() && precious.join("1-1-1/stdout").exists());
}

#[test]
fn a_run_that_is_a_link_is_refused() {
    let directory = TemporaryDir::new();
    let run = cut_off(&directory);
    let elsewhere = directory.path().join("elsewhere");
    fs::rename(run.path(), &elsewhere).expect("there is room");
    symlink(&elsewhere, run.path()).expect("there is room");
    assert!(matches!(begin(&run), Err(RemoveError::File(_))));
    assert!(elsewhere.join("output/1-1-1/stdout").exists());
}

#[test]
fn a_directory_without_a_run_is_removed() {
    for journal in [None, Some("")] {
        let directory = TemporaryDir::new();
        let run = directory.run_with("");
        if journal.is_none() {
            fs::remove_file(run.journal()).expect("it is ours");
        }
        remove_leftover(&run, &owner(1)).expect("the lock is free");
        assert!(!run.path().exists());
    }
}
