//! Tests that need devices and pipes of Linux.

use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use forkhestra_core::event::output_stream::OutputStream;
use rustix::fs::{OFlags, fcntl_setfl};

use super::super::{OutputLogSink, OutputSink, PumpJob, PumpMessage, StreamReading};
use super::exact::{print, read};
use super::losses::printed;
use super::support::{MemorySink, PipeSink, PumpBench, PumpRandom, output_owner, until};
use crate::agent::{StreamListener, StreamNotice, StreamResult};

/// A file as sink or log.
struct DeviceSink(File);

impl DeviceSink {
    /// A full disk.
    fn full() -> Self {
        Self(OpenOptions::new().write(true).open("/dev/full").expect("a device"))
    }
}

impl OutputSink for DeviceSink {
    fn write(&self, _stream: OutputStream, bytes: &[u8]) -> io::Result<()> {
        (&self.0).write_all(bytes)
    }
}

impl OutputLogSink for DeviceSink {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn finish(&mut self) -> io::Result<()> {
        panic!("a log that has failed is left alone")
    }
}

#[test]
fn a_failing_outlet_is_reported_once_and_the_log_continues() {
    let bench = PumpBench::new(Arc::new(DeviceSink::full()));
    let log = MemorySink::default();
    bench.run(1, printed(b"one"), &log);
    match bench.message() {
        PumpMessage::SinkFailed(OutputStream::Stdout, error) => {
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
        other => panic!("the disk is not full: {other:?}"),
    }
    bench.ended();
    bench.run(2, printed(b"two"), &log);
    bench.ended();
    assert_eq!(log.take(), b"onetwo");
}

#[test]
fn a_log_that_fails_is_left_alone_and_the_bytes_pass() {
    let screen = MemorySink::default();
    let bench = PumpBench::new(Arc::new(screen.clone()));
    let bytes = vec![b'x'; 2_000_000];
    let (reader, mut agent) = io::pipe().expect("a pipe");
    let log = Box::new(DeviceSink::full());
    bench.pump.run(PumpJob {
        owner: output_owner(1),
        fd: reader.into(),
        reading: StreamReading::Bytes,
        log,
    });
    agent.write_all(&bytes).expect("the pump reads on");
    drop(agent);
    let failure = bench.ended().log_failure.expect("a full disk");
    assert_eq!(failure.kind(), io::ErrorKind::StorageFull);
    assert!(screen.take() == bytes, "the screen differs");
}

#[test]
fn many_bytes_are_shared_if_the_outlet_is_a_pipe() {
    let (mut screen, sink) = PipeSink::new(true);
    let bench = PumpBench::new(Arc::clone(&sink) as Arc<_>);
    let bytes = PumpRandom(1).bytes(500_000);
    let (reader, agent) = io::pipe().expect("a pipe");
    bench.run(1, reader, &MemorySink::default());
    thread::scope(|scope| {
        let bytes = &bytes;
        scope.spawn(move || print(agent, bytes, bytes.len(), 1));
        assert!(read(&mut screen, bytes.len(), 300_000, 5) == *bytes, "the screen differs");
    });
    bench.ended();
    assert!(sink.lent.load(Ordering::Relaxed) > 0);
}

#[test]
fn a_silent_agent_needs_no_pump() {
    let job = |reader: PipeReader| {
        let log = Box::new(MemorySink::default());
        PumpJob { owner: output_owner(1), fd: reader.into(), reading: StreamReading::Bytes, log }
    };
    let (reader, agent) = io::pipe().expect("a pipe");
    let silent = job(reader).end_if_silent(OutputStream::Stdout).expect_err("it may still print");
    drop(agent);
    let ended = silent.end_if_silent(OutputStream::Stdout).map_err(drop).expect("a silent end");
    assert_eq!(
        (ended.owner, ended.stream, ended.bytes),
        (output_owner(1), OutputStream::Stdout, 0)
    );

    let (reader, mut agent) = io::pipe().expect("a pipe");
    agent.write_all(b"x").expect("a reader");
    drop(agent);
    assert!(job(reader).end_if_silent(OutputStream::Stdout).is_err(), "it has printed something");
}

/// A listener that reads nothing until it is released.
struct WaitingListener(Receiver<()>);

impl StreamListener for WaitingListener {
    fn feed(&mut self, _bytes: &[u8], _sink: &mut dyn FnMut(StreamNotice<'_>)) {
        // The sender is dropped after the release.
        let _ = self.0.recv();
    }

    fn finish(self: Box<Self>, _sink: &mut dyn FnMut(StreamNotice<'_>)) -> StreamResult {
        StreamResult::default()
    }
}

/// A program on Node.js exits without waiting for its pipe.
#[test]
fn the_end_of_a_long_stream_fits_into_the_pipe_while_the_reader_is_busy() {
    let log = MemorySink::default();
    let bench = PumpBench::new(Arc::new(MemorySink::default()));
    let (reader, mut agent) = io::pipe().expect("a pipe");
    let (release, released) = mpsc::channel();
    bench.pump.run(PumpJob {
        owner: output_owner(1),
        fd: reader.into(),
        reading: StreamReading::Events(Box::new(WaitingListener(released))),
        log: Box::new(log.clone()),
    });
    agent.write_all(b"{").expect("the pump reads");
    until(|| !log.take().is_empty());
    fcntl_setfl(&agent, OFlags::NONBLOCK).expect("it is ours");
    let bytes = vec![b'x'; 900_000];
    assert_eq!(agent.write(&bytes).expect("there is room"), bytes.len());
    drop((agent, release));
    assert_eq!(bench.ended().bytes, 900_001);
}
