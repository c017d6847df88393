//! Reading a log whose writer was killed in the middle of an operation.

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use super::super::OutputLog;
use super::super::writer::tail_path;
use super::{CAPACITY, MAX_TAIL_WRITE_BYTES, assert_truthful, output, small_log, temporary_log};

/// The capacity of the head.
const HEAD: usize = 50;

#[test]
fn a_cut_in_the_head_keeps_the_written_part() {
    for cut in 0..HEAD {
        let (_directory, path) = temporary_log();
        small_log(&path).append(&output(1)).expect("a writable file");
        let mut head = OpenOptions::new().append(true).open(&path).expect("a file");
        head.write_all(&output(HEAD)[1..=cut.max(1)]).expect("a writable file");
        assert_truthful(&OutputLog::open(path), &output(HEAD));
    }
}

#[test]
fn an_empty_tail_is_none() {
    let (_directory, path) = temporary_log();
    let mut files = small_log(&path);
    files.append(&output(HEAD)).expect("a writable file");
    let log = OutputLog::open(path.clone());
    fs::write(tail_path(&path), b"").expect("a writable file");
    assert_truthful(&log, &output(HEAD));
    files.create_tail().expect("a writable file");
    assert_truthful(&log, &output(HEAD));
}

#[test]
fn bytes_in_transit_to_the_tail_are_never_mixed_up() {
    let printed = output(HEAD + 500);
    for length in HEAD + 1..HEAD + 400 {
        let (_directory, path) = temporary_log();
        let mut files = small_log(&path);
        files.append(&printed[..length]).expect("a writable file");
        let log = OutputLog::open(path);
        let before = log.kept().expect("a log");
        // All states before the new end is written.
        for cut in 0..=usize::try_from(MAX_TAIL_WRITE_BYTES).expect("a small number") {
            let tail = files.tail().expect("the head is full");
            tail.put(&printed[length..length + cut]).expect("a writable file");
            assert_eq!(log.kept().expect("a log"), before);
            assert_truthful(&log, &printed);
        }
        assert!(before.tail.end - before.tail.start >= CAPACITY.tail.min((length - HEAD) as u64));
    }
}
