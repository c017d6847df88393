//! Tests of a sink or a log that fails.

use std::io::{self, Write};
use std::sync::Arc;
use std::thread;

use forkhestra_core::event::output_stream::OutputStream;

use super::super::{OutputLogSink, PumpJob, PumpMessage, StreamReading};
use super::support::{MemorySink, PipeSink, PumpBench, output_owner, until};

/// A closed stream that contains these bytes.
pub(super) fn printed(bytes: &[u8]) -> io::PipeReader {
    let (reader, mut agent) = io::pipe().expect("a pipe");
    agent.write_all(bytes).expect("room for this much");
    reader
}

#[test]
fn a_closed_outlet_is_reported_once_and_the_log_continues() {
    for is_open in [false, true] {
        let (screen, sink) = PipeSink::new(is_open);
        drop(screen);
        let bench = PumpBench::new(sink);
        let bytes = vec![b'x'; 50_000];
        for iteration in 1..=2 {
            let log = MemorySink::default();
            bench.run(iteration, printed(&bytes), &log);
            if iteration == 1 {
                let message = bench.message();
                assert!(
                    matches!(message, PumpMessage::SinkClosed(OutputStream::Stdout)),
                    "{message:?}"
                );
            }
            assert_eq!(bench.ended().bytes, bytes.len() as u64);
            assert!(log.take() == bytes, "the log differs");
        }
    }
}

#[test]
fn an_outlet_may_close_in_the_middle() {
    for is_open in [false, true] {
        let (screen, sink) = PipeSink::new(is_open);
        let bench = PumpBench::new(sink);
        let (reader, mut agent) = io::pipe().expect("a pipe");
        let log = MemorySink::default();
        bench.run(1, reader, &log);
        let printing = thread::spawn(move || agent.write_all(&vec![b'x'; 2_000_000]));
        until(|| bench.pump.gauge().bytes() > 100_000);
        drop(screen);
        let message = bench.message();
        assert!(matches!(message, PumpMessage::SinkClosed(OutputStream::Stdout)), "{message:?}");
        printing.join().expect("no panic").expect("the pump reads on");
        assert_eq!(bench.ended().bytes, 2_000_000);
        assert_eq!(log.take().len(), 2_000_000);
    }
}

/// Fails once and would then continue with a gap.
struct LossyLog {
    has_failed: bool,
    memory: MemorySink,
}

impl OutputLogSink for LossyLog {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.has_failed {
            return self.memory.append(bytes);
        }
        self.has_failed = true;
        Err(io::Error::other("not now"))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.memory.append(b"finished")
    }
}

#[test]
fn a_log_has_no_holes() {
    let bench = PumpBench::new(Arc::new(MemorySink::default()));
    let (reader, mut agent) = io::pipe().expect("a pipe");
    let memory = MemorySink::default();
    let log = Box::new(LossyLog { has_failed: false, memory: memory.clone() });
    bench.pump.run(PumpJob {
        owner: output_owner(1),
        fd: reader.into(),
        reading: StreamReading::Bytes,
        log,
    });
    agent.write_all(&vec![b'x'; 2_000_000]).expect("the pump reads on");
    drop(agent);
    let failure = bench.ended().log_failure.expect("a failure");
    assert_eq!(failure.to_string(), "not now");
    assert_eq!(memory.take(), b"");
}

/// Accepts everything and fails to finish.
struct UnfinishableLog;

impl OutputLogSink for UnfinishableLog {
    fn append(&mut self, _bytes: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Err(io::Error::other("forgotten"))
    }
}

#[test]
fn a_log_that_fails_at_its_end_has_failed() {
    let bench = PumpBench::new(Arc::new(MemorySink::default()));
    let fd = printed(b"one").into();
    bench.pump.run(PumpJob {
        owner: output_owner(1),
        fd,
        reading: StreamReading::Bytes,
        log: Box::new(UnfinishableLog),
    });
    let failure = bench.ended().log_failure.expect("a failure");
    assert_eq!(failure.to_string(), "forgotten");
}
