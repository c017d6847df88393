//! Tests of output logs: what is kept, and what can be read at which time.

mod cut_off;
mod follow;
#[cfg(target_os = "linux")]
mod full_disk;
mod kept;
mod secrets;

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::writer::OutputLogFiles;
use super::{LogCapacity, OutputLog};
use crate::disk::SYSTEM;

/// A small log, so that few bytes fill it.
const CAPACITY: LogCapacity = LogCapacity { head: 50, tail: 70 };

/// The maximum length of one write to a small log.
const MAX_TAIL_WRITE_BYTES: u64 = 20;

/// A temporary directory and the path of a log in it.
fn temporary_log() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("output").join("1.1.1.stdout");
    (directory, path)
}

/// Pseudo-random bytes without short repetitions.
fn output(length: usize) -> Vec<u8> {
    (0..length as u64).map(byte_at).collect()
}

fn byte_at(offset: u64) -> u8 {
    (offset.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

/// Asserts that a log holds exactly the expected part of this output.
fn assert_keeps(log: &OutputLog, output: &[u8], capacity: LogCapacity) {
    let kept = log.kept().expect("the log is readable");
    let end = output.len() as u64;
    assert_eq!(kept.head, 0..end.min(capacity.head));
    assert_eq!(kept.end(), end);
    assert!(kept.tail.start <= end.saturating_sub(capacity.tail).max(kept.head.end), "{kept:?}");
    assert_truthful(log, output);
}

/// Asserts that all bytes that can be read from a log equal the output at their offset.
fn assert_truthful(log: &OutputLog, output: &[u8]) {
    let kept = log.kept().expect("the log is readable");
    let mut buffer = [0; 17];
    let mut offset = 0;
    loop {
        let chunk = log.read_at(offset, &mut buffer).expect("the log is readable");
        if chunk.offset != offset {
            assert_eq!(offset..chunk.offset, kept.missing());
        }
        if chunk.length == 0 {
            assert_eq!(chunk.offset, kept.end());
            break;
        }
        let start = usize::try_from(chunk.offset).expect("a small offset");
        assert_eq!(buffer[..chunk.length], output[start..start + chunk.length], "at {start}");
        offset = chunk.offset + chunk.length as u64;
    }
}

fn small_log(path: &Path) -> OutputLogFiles {
    OutputLogFiles::new(&SYSTEM, path.to_owned(), CAPACITY, MAX_TAIL_WRITE_BYTES)
}
