//! Reading a log while it is written.

use std::thread;

use super::super::writer::OutputLogFiles;
use super::super::{LogCapacity, OutputLog};
use super::{byte_at, output, temporary_log};
use crate::disk::SYSTEM;

#[test]
fn a_follower_sees_the_output_and_the_missed_range() {
    let (_directory, path) = temporary_log();
    let log = OutputLog::open(path.clone());
    let total = 4_000_000;
    let writer = thread::spawn(move || {
        let printed = output(total);
        let capacity = LogCapacity { head: 10_000, tail: 50_000 };
        let mut files = OutputLogFiles::new(&SYSTEM, path, capacity, 4096);
        // A prime length, so that the ring wraps at a different place each time.
        printed.chunks(3001).try_for_each(|chunk| files.append(chunk))
    });
    let mut buffer = vec![0; 8192];
    let mut offset = 0;
    while offset < total as u64 {
        let chunk = log.read_at(offset, &mut buffer).expect("a readable log");
        assert!(chunk.offset >= offset, "{chunk:?} at {offset}");
        if chunk.length == 0 {
            thread::yield_now();
            continue;
        }
        for (index, byte) in buffer[..chunk.length].iter().enumerate() {
            let at = chunk.offset + index as u64;
            assert_eq!(*byte, byte_at(at), "at {at} in {chunk:?}, asked for {offset}");
        }
        offset = chunk.offset + chunk.length as u64;
    }
    writer.join().expect("no panic").expect("a writable file");
}
