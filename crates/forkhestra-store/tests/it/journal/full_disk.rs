//! Tests with a file that cannot grow. The file size limit of a shell behaves like a full disk: a
//! part of the line is written, and then an error is returned.

use std::fs;

use forkhestra_core::event::Verdict;

use crate::helper::{process, task};
use crate::samples::{event, iteration_finished, iteration_started, started, warning};
use crate::temporary_dir::{TemporaryDir, read};

/// Small enough for a test, and large enough for a few lines. Some shells count in units of 512
/// bytes.
const WITH_SMALL_FILES: &str = "ulimit -f 16 && trap '' XFSZ && exec \"$0\" \"$@\"";

#[test]
fn an_append_that_does_not_fit_leaves_a_journal_that_can_be_used() {
    if task().is_some() {
        return fill_the_disk();
    }
    let test = "journal::full_disk::an_append_that_does_not_fit_leaves_a_journal_that_can_be_used";
    let nothing = std::path::Path::new("/");
    let output = process(&["sh", "-c", WITH_SMALL_FILES], test, nothing).output();
    let output = output.expect("there is a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{output:?}");
}

fn fill_the_disk() {
    let temporary = TemporaryDir::new();
    let before = [event(0, started()), event(1, iteration_started(1))];
    let (run, mut journal) = temporary.run_of(&before);
    let bytes = fs::read(run.journal()).expect("it is there");

    for _ in 0..2 {
        let too_long = event(2, warning(&"x".repeat(100_000)));
        let error = journal.append(&too_long).expect_err("it does not fit");
        assert_eq!(error.path, run.journal());
        assert_eq!(fs::read(run.journal()).expect("it is there"), bytes);
        assert_eq!(journal.next_seq(), 2);
    }

    let outcome = event(3, iteration_finished(1, Verdict::Incomplete));
    journal.append(&outcome).expect("a short one fits");
    let recorded = read(&run).expect("it can be read");
    assert_eq!(recorded.events, [&before[..], &[outcome]].concat());
    assert_eq!(recorded.torn, None);
}
