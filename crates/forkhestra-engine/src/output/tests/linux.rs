//! What holds where devices and pipes are those of Linux.

use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use forkhestra_core::output_stream::OutputStream;

use super::super::{Job, Log, Message, Outlet, Reading};
use super::exact::{print, read};
use super::losses::printed;
use super::parts::{Bench, Memory, Numbers, PipeOutlet, who};

/// A file, as an outlet or as a log.
struct Device(File);

impl Device {
    /// A disk that is full.
    fn full() -> Self {
        Self(OpenOptions::new().write(true).open("/dev/full").expect("a device"))
    }
}

impl Outlet for Device {
    fn write(&self, _stream: OutputStream, bytes: &[u8]) -> io::Result<()> {
        (&self.0).write_all(bytes)
    }
}

impl Log for Device {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn finish(&mut self) -> io::Result<()> {
        panic!("a log that has failed is left alone")
    }
}

#[test]
fn an_outlet_that_fails_is_said_once_and_the_log_goes_on() {
    let bench = Bench::new(Arc::new(Device::full()));
    let log = Memory::default();
    bench.run(1, printed(b"one"), &log);
    match bench.message() {
        Message::OutletFailed(OutputStream::Stdout, error) => {
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
    let screen = Memory::default();
    let bench = Bench::new(Arc::new(screen.clone()));
    let bytes = vec![b'x'; 2_000_000];
    let (reader, mut agent) = io::pipe().expect("a pipe");
    let log = Box::new(Device::full());
    bench.pump.run(Job { who: who(1), fd: reader.into(), reading: Reading::Bytes, log });
    agent.write_all(&bytes).expect("the pump reads on");
    drop(agent);
    let failure = bench.ended().log_failure.expect("a full disk");
    assert_eq!(failure.kind(), io::ErrorKind::StorageFull);
    assert!(screen.take() == bytes, "the screen differs");
}

#[test]
fn many_bytes_are_shared_if_the_outlet_is_a_pipe() {
    let (mut screen, outlet) = PipeOutlet::new(true);
    let bench = Bench::new(Arc::clone(&outlet) as Arc<_>);
    let bytes = Numbers(1).bytes(500_000);
    let (reader, agent) = io::pipe().expect("a pipe");
    bench.run(1, reader, &Memory::default());
    thread::scope(|scope| {
        let bytes = &bytes;
        scope.spawn(move || print(agent, bytes, bytes.len(), 1));
        assert!(read(&mut screen, bytes.len(), 300_000, 5) == *bytes, "the screen differs");
    });
    bench.ended();
    assert!(outlet.lent.load(Ordering::Relaxed) > 0);
}

#[test]
fn a_silent_agent_needs_no_pump() {
    let job = |reader: PipeReader| {
        let log = Box::new(Memory::default());
        Job { who: who(1), fd: reader.into(), reading: Reading::Bytes, log }
    };
    let (reader, agent) = io::pipe().expect("a pipe");
    let silent = job(reader).end_if_silent(OutputStream::Stdout).expect_err("it may still print");
    drop(agent);
    let ended = silent.end_if_silent(OutputStream::Stdout).map_err(drop).expect("a silent end");
    assert_eq!((ended.who, ended.stream, ended.bytes), (who(1), OutputStream::Stdout, 0));

    let (reader, mut agent) = io::pipe().expect("a pipe");
    agent.write_all(b"x").expect("a reader");
    drop(agent);
    assert!(job(reader).end_if_silent(OutputStream::Stdout).is_err(), "it has printed something");
}
