//! Tests that a process that holds the pipe cannot block the pump.

use std::io::{self, Write};
use std::sync::Arc;
use std::thread;

use super::super::EndOfOutput;
use super::support::{MemorySink, PumpBench, output_owner, until};

#[test]
fn a_job_ends_although_a_process_keeps_the_pipe_open() {
    let screen = MemorySink::default();
    let bench = PumpBench::new(Arc::new(screen.clone()));
    for iteration in 1..=3 {
        let (reader, mut holder) = io::pipe().expect("a pipe");
        holder.write_all(b"last words").expect("a reader");
        let log = MemorySink::default();
        bench.run(iteration, reader, &log);
        until(|| bench.pump.gauge().bytes() == 10 * u64::from(iteration));
        bench.pump.abandon(output_owner(iteration));
        let ended = bench.ended();
        assert!(matches!(ended.end, EndOfOutput::Abandoned), "{ended:?}");
        assert_eq!(ended.bytes, 10);
        assert_eq!((screen.take(), log.take()), (b"last words".into(), b"last words".into()));
        let error = holder.write_all(b"too late").expect_err("there is no reader");
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}

#[test]
fn pipe_content_is_copied_first() {
    let bench = PumpBench::new(Arc::new(MemorySink::default()));
    let (reader, mut holder) = io::pipe().expect("a pipe");
    let bytes = vec![b'x'; 60_000];
    holder.write_all(&bytes).expect("room for this much");
    // Requested before the job exists, which is the earliest possible time.
    bench.pump.abandon(output_owner(1));
    let log = MemorySink::default();
    bench.run(1, reader, &log);
    let ended = bench.ended();
    assert!(matches!(ended.end, EndOfOutput::Abandoned), "{ended:?}");
    assert!(log.take() == bytes, "bytes are missing");
    drop(holder);
}

#[test]
fn a_job_ends_although_a_process_prints_without_end() {
    let bench = PumpBench::new(Arc::new(MemorySink::default()));
    let (reader, mut printer) = io::pipe().expect("a pipe");
    let printing = thread::spawn(move || while printer.write_all(&[b'y'; 4096]).is_ok() {});
    bench.run(1, reader, &MemorySink::default());
    until(|| bench.pump.gauge().bytes() > 100_000);
    bench.pump.abandon(output_owner(1));
    let ended = bench.ended();
    assert!(matches!(ended.end, EndOfOutput::Abandoned), "{ended:?}");
    printing.join().expect("no panic");
}

#[test]
fn other_outputs_are_still_read() {
    let bench = PumpBench::new(Arc::new(MemorySink::default()));
    let (reader, mut agent) = io::pipe().expect("a pipe");
    bench.run(2, reader, &MemorySink::default());
    for _ in 0..100_000 {
        bench.pump.abandon(output_owner(1));
    }
    agent.write_all(b"still here").expect("a reader");
    drop(agent);
    let ended = bench.ended();
    assert!(matches!(ended.end, EndOfOutput::Closed), "{ended:?}");
    assert_eq!(ended.bytes, 10);
}
