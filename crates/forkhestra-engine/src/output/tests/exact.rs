//! Tests that every byte reaches the sink, the log and the scanner in order.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::Arc;
use std::thread;

use super::super::{EndOfOutput, PumpJobResult};
use super::support::{MemorySink, PipeSink, PumpBench, PumpRandom, output_owner, until};

/// Writes the bytes in pieces of random size up to `limit`.
pub(super) fn print(mut pipe: PipeWriter, bytes: &[u8], limit: usize, seed: u64) {
    let mut numbers = PumpRandom(seed);
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, others) = rest.split_at(numbers.up_to(limit).min(rest.len()));
        pipe.write_all(piece).expect("a reader");
        rest = others;
    }
}

/// Reads `length` bytes in pieces of random size up to `limit`.
pub(super) fn read(pipe: &mut PipeReader, length: usize, limit: usize, seed: u64) -> Vec<u8> {
    let mut numbers = PumpRandom(seed);
    let mut bytes = Vec::new();
    let mut buffer = vec![0; limit];
    while bytes.len() < length {
        let wanted = numbers.up_to(limit).min(length - bytes.len());
        let read = pipe.read(&mut buffer[..wanted]).expect("a pipe");
        assert!(read > 0, "the outlet is still there");
        bytes.extend_from_slice(&buffer[..read]);
    }
    bytes
}

fn copy(is_open: bool, printed_at_once: usize, read_at_once: usize) {
    let (mut screen, sink) = PipeSink::new(is_open);
    let bench = PumpBench::new(sink);
    // Several agents in sequence with the same pump.
    for iteration in 1..=3 {
        let bytes = Arc::new(PumpRandom(u64::from(iteration) + 7).bytes(1_000_000));
        let (reader, agent) = io::pipe().expect("a pipe");
        let log = MemorySink::default();
        bench.run(iteration, reader, &log);
        let agent = thread::spawn({
            let bytes = Arc::clone(&bytes);
            move || print(agent, &bytes, printed_at_once, 3)
        });
        // Reading starts only after the pump is blocked.
        until(|| bench.pump.gauge().is_blocked());
        assert!(read(&mut screen, bytes.len(), read_at_once, 5) == *bytes, "the screen differs");
        agent.join().expect("an agent that prints everything");
        let ended = bench.ended();
        assert!(matches!(ended.end, EndOfOutput::Closed), "{ended:?}");
        assert_eq!((ended.owner, ended.bytes), (output_owner(iteration), bytes.len() as u64));
        assert!(ended.log_failure.is_none() && ended.result == PumpJobResult::Nothing, "{ended:?}");
        assert!(log.take() == *bytes, "the log differs");
    }
}

#[test]
fn bytes_stay_as_they_are_when_they_are_written() {
    copy(false, 10, 100_000);
    copy(false, 100_000, 500);
    copy(false, 100_000, 100_000);
}

#[test]
fn bytes_stay_as_they_are_when_they_are_shared() {
    copy(true, 10, 100_000);
    copy(true, 100_000, 500);
    copy(true, 100_000, 100_000);
    copy(true, 40_000, 30_000);
}

#[test]
fn a_silent_stream_ends_at_once() {
    let screen = MemorySink::default();
    let bench = PumpBench::new(Arc::new(screen.clone()));
    for iteration in 1..100 {
        let (reader, agent) = io::pipe().expect("a pipe");
        drop(agent);
        bench.run(iteration, reader, &MemorySink::default());
        let ended = bench.ended();
        assert_eq!((ended.owner, ended.bytes), (output_owner(iteration), 0));
    }
    assert_eq!(screen.take(), b"");
}
