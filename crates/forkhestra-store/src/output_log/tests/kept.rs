//! Which bytes of an output are kept.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::super::reader::KeptRange;
use super::super::{LogCapacity, OutputLog, OutputWriter, Secrets};
use super::{CAPACITY, OutputLogFiles, assert_keeps, output, small_log, temporary_log};
use crate::disk::SYSTEM;

fn writer(path: &Path) -> OutputWriter {
    OutputWriter::new(&SYSTEM, path.to_owned(), LogCapacity::STDERR, &Arc::new(Secrets::default()))
}

#[test]
fn an_agent_without_output_leaves_no_file() {
    let (directory, path) = temporary_log();
    let mut writer = writer(&path);
    writer.append(b"").expect("nothing to write");
    writer.finish().expect("nothing to write");
    assert_eq!(fs::read_dir(directory.path()).expect("a directory").count(), 0);
    let log = OutputLog::open(path);
    assert_eq!(log.kept().expect("an empty log"), KeptRange { head: 0..0, tail: 0..0 });
    assert_eq!(log.read_tail(10).expect("an empty log"), b"");
}

#[test]
fn a_small_output_is_one_plain_file_for_its_owner_only() {
    let (_directory, path) = temporary_log();
    let mut writer = writer(&path);
    writer.append(b"one\n\0").expect("a writable file");
    writer.append(b"\xfftwo\n").expect("a writable file");
    writer.finish().expect("a writable file");
    assert_eq!(fs::read(&path).expect("a file"), b"one\n\0\xfftwo\n");
    assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_dir(path.parent().expect("a directory")).expect("one").count(), 1);
}

#[test]
fn an_older_log_is_replaced_with_its_tail() {
    let (_directory, path) = temporary_log();
    small_log(&path).append(&output(500)).expect("a writable file");
    small_log(&path).append(b"new").expect("a writable file");
    assert_keeps(&OutputLog::open(path), b"new", CAPACITY);
}

#[test]
fn the_last_bytes_are_read_up_to_the_gap() {
    let (_directory, path) = temporary_log();
    let log = OutputLog::open(path.clone());
    let mut files = small_log(&path);
    let printed = output(1000);
    files.append(&printed[..110]).expect("a writable file");
    assert_eq!(log.read_tail(100).expect("a log"), printed[10..110], "over both files");
    assert_eq!(log.read_tail(1000).expect("a log"), printed[..110]);
    files.append(&printed[110..]).expect("a writable file");
    assert_eq!(log.read_tail(30).expect("a log"), printed[970..]);
    assert_eq!(log.read_tail(0).expect("a log"), b"");
    let all = log.read_tail(1000).expect("a log");
    assert!(all.len() >= 70 && printed.ends_with(&all), "{}", all.len());
}

#[test]
fn a_file_without_a_tail_header_is_refused() {
    let (_directory, path) = temporary_log();
    small_log(&path).append(&output(200)).expect("a writable file");
    let tail = path.with_extension("stdout.tail");
    for text in ["forkhestra tail 2\n", "forkhestra tail 1\nfrom  nowhere\n"] {
        let header = format!("{text:\0<200}");
        fs::write(&tail, header).expect("a writable file");
        let error = OutputLog::open(path.clone()).kept().expect_err("no tail");
        assert_eq!(error.to_string(), "is not the tail of an output log");
    }
}

proptest! {
    #[test]
    fn the_first_and_the_last_bytes_are_kept_however_they_come(
        lengths in prop::collection::vec(0..120_usize, 0..20),
    ) {
        let (_directory, path) = temporary_log();
        let log = OutputLog::open(path.clone());
        let mut files = small_log(&path);
        let printed = output(lengths.iter().sum());
        let mut end = 0;
        for length in lengths {
            files.append(&printed[end..end + length]).expect("a writable file");
            end += length;
            assert_keeps(&log, &printed[..end], CAPACITY);
        }
    }

    #[test]
    fn any_capacity_holds(head in 0..40_u64, tail in 0..40_u64, length in 0..200_usize) {
        let (_directory, path) = temporary_log();
        let capacity = LogCapacity { head, tail };
        let printed = output(length);
        let mut files = OutputLogFiles::new(&SYSTEM, path.clone(), capacity, 7);
        files.append(&printed).expect("a writable file");
        assert_keeps(&OutputLog::open(path), &printed, capacity);
    }
}
