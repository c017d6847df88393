//! Tests of finding runs.

use std::fs;
use std::path::Path;

use forkhestra_core::time::Timestamp;
use forkhestra_store::{DAMAGED, FindRunError, ListedRun, LockProof, RunDir, RunDirError};

use crate::temporary_dir::{TemporaryDir, run_id, timestamp};

/// Creates a run that started `seconds` later. Its id starts with the lowest bits.
fn create(temporary: &TemporaryDir, work_tree: &str, bits: u64, seconds: i64) -> RunDir {
    let started = Timestamp::from_milliseconds(timestamp().milliseconds() + seconds * 1000);
    let tree = temporary.root.work_tree(Path::new(work_tree));
    tree.create_run(&LockProof::Waived, &run_id(bits), started).expect("a directory")
}

fn ids(runs: &[RunDir]) -> Vec<&str> {
    runs.iter().map(|run| run.run().as_str()).collect()
}

#[test]
fn where_nothing_was_kept_there_are_no_runs() {
    let temporary = TemporaryDir::new();
    assert_eq!(temporary.root.runs().expect("that is no error"), []);
    assert_eq!(temporary.tree.runs().expect("that is no error"), []);
}

#[test]
fn the_newest_runs_come_first() {
    let temporary = TemporaryDir::new();
    let old = create(&temporary, "/a", 1, 0);
    let new = create(&temporary, "/b", 2, 120);
    let middle = create(&temporary, "/a", 3, 60);
    fs::write(temporary.root.path().join("note.txt"), "not a directory").expect("a file");
    fs::create_dir(old.work_tree().path().join("something")).expect("a directory");
    let all = temporary.root.runs().expect("they can be listed");
    assert_eq!(all, [new, middle.clone(), old.clone()]);
    assert_eq!(old.work_tree().runs().expect("they can be listed"), [middle, old]);
}

#[test]
fn a_run_is_found_by_the_beginning_of_its_id() {
    let temporary = TemporaryDir::new();
    // The ids are 10000000, 12000000 and 20000000.
    let one = create(&temporary, "/a", 1, 0);
    let twelve = create(&temporary, "/b", 1 + (2 << 5), 60);
    let two = create(&temporary, "/b", 2, 120);
    let find = |prefix| temporary.root.find(prefix);
    for (prefix, expected) in [("10", &one), ("12", &twelve), ("2", &two), ("20000000", &two)] {
        assert_eq!(&find(prefix).expect("there is one"), expected, "{prefix}");
    }
    assert_eq!(one.work_tree().find("1").expect("there is only one here"), one);

    let error = find("1").expect_err("there are two");
    assert_eq!(error.to_string(), "several runs begin with `1`");
    let FindRunError::Ambiguous { matches, .. } = error else { panic!("{error:?}") };
    assert_eq!(ids(&matches), ["12000000", "10000000"]);

    for prefix in ["3", "100000000", ""] {
        let error = find(prefix).expect_err("there is none");
        assert_eq!(error.to_string(), format!("there is no run `{prefix}`"));
        let FindRunError::Unknown { known, .. } = error else { panic!("{error:?}") };
        assert_eq!(ids(&known), ["20000000", "12000000", "10000000"]);
    }
}

#[test]
fn a_run_is_found_by_the_path_of_its_directory_or_journal() {
    let temporary = TemporaryDir::new();
    let run = temporary.run_with("");
    let real = fs::canonicalize(run.path()).expect("it is there");
    for path in [
        run.path(),
        &run.journal(),
        &run.path().join("../").join(real.file_name().expect("a name")),
    ] {
        let found = RunDir::at(path).expect("it is a run");
        assert_eq!((found.path(), found.run()), (real.as_path(), run.run()));
    }
    for path in [run.output(), temporary.tree.path().to_owned(), Path::new("/").to_owned()] {
        let error = RunDir::at(&path).expect_err("it is none");
        assert!(matches!(error, RunDirError::SomethingElse(_)), "{error:?}");
    }
    let error = RunDir::at(&run.path().join("nothing")).expect_err("there is nothing");
    assert!(matches!(error, RunDirError::OutOfReach(_)), "{error:?}");
}

#[test]
fn a_run_is_not_created_over_another() {
    let temporary = TemporaryDir::new();
    create(&temporary, "/a", 1, 0);
    let tree = temporary.root.work_tree(Path::new("/a"));
    tree.create_run(&LockProof::Waived, &run_id(1), timestamp()).expect_err("there is one");
}

#[test]
fn a_journal_that_says_nothing_is_listed_if_agents_have_printed_something() {
    let temporary = TemporaryDir::new();
    let run = temporary.run_with("\0\0\0\0");
    assert!(ListedRun::read(run.clone()).is_none());
    fs::create_dir_all(run.output().join("1-1-1")).expect("there is room");
    let listed = ListedRun::read(run).expect("something was done");
    assert_eq!(listed.status_text(), DAMAGED);
}
