//! Test support: sinks, logs and readers around a pump.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::UnitId;

use super::super::{
    OutputLogSink, OutputOwner, OutputPump, OutputSink, PumpJob, PumpJobEnd, PumpMessage,
    StreamReading,
};

/// A failing test ends after this time.
const TIMEOUT: Duration = Duration::from_secs(60);

pub(super) fn output_owner(iteration: u32) -> OutputOwner {
    OutputOwner::Agent(UnitId { step: 1, iteration, attempt: 1 })
}

/// A pump and its messages.
pub(super) struct PumpBench {
    pub(super) pump: OutputPump,
    messages: Receiver<PumpMessage>,
}

impl PumpBench {
    pub(super) fn new(sink: Arc<dyn OutputSink>) -> Self {
        let (sender, messages) = mpsc::channel();
        // The test may have ended before the pump sends its last message.
        let notify = move |message| drop(sender.send(message));
        let pump = OutputPump::start(OutputStream::Stdout, sink, notify).expect("a thread");
        Self { pump, messages }
    }

    /// Starts a job that only logs.
    pub(super) fn run(&self, iteration: u32, reader: PipeReader, log: &MemorySink) {
        let log = Box::new(log.clone());
        self.pump.run(PumpJob {
            owner: output_owner(iteration),
            fd: reader.into(),
            reading: StreamReading::Bytes,
            log,
        });
    }

    pub(super) fn message(&self) -> PumpMessage {
        self.messages.recv_timeout(TIMEOUT).expect("the pump says something")
    }

    /// The end of a job, which must be the next message.
    pub(super) fn ended(&self) -> PumpJobEnd {
        match self.message() {
            PumpMessage::Ended(ended) => ended,
            other => panic!("the job has not ended: {other:?}"),
        }
    }
}

/// Waits until a condition holds.
pub(super) fn until(condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < TIMEOUT, "this has not become so");
        thread::yield_now();
    }
}

/// A sink that is a pipe.
pub(super) struct PipeSink {
    pipe: PipeWriter,
    /// Whether the pump may use the pipe directly.
    pub(super) is_open: bool,
    /// How often bytes were put into the pipe directly.
    pub(super) lent: AtomicU64,
}

impl PipeSink {
    pub(super) fn new(is_open: bool) -> (PipeReader, Arc<Self>) {
        let (reader, pipe) = io::pipe().expect("a pipe");
        (reader, Arc::new(Self { pipe, is_open, lent: AtomicU64::new(0) }))
    }
}

impl OutputSink for PipeSink {
    fn write(&self, _stream: OutputStream, bytes: &[u8]) -> io::Result<()> {
        (&self.pipe).write_all(bytes)
    }

    fn lend_pipe(&self, _stream: OutputStream, put: &mut dyn FnMut(BorrowedFd<'_>) -> Option<u8>) {
        if self.is_open && put(self.pipe.as_fd()).is_some() {
            self.lent.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Keeps bytes in memory, as sink or log.
#[derive(Clone, Default)]
pub(super) struct MemorySink(Arc<Mutex<Vec<u8>>>);

impl MemorySink {
    pub(super) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, bytes: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
    }
}

impl OutputSink for MemorySink {
    fn write(&self, _stream: OutputStream, bytes: &[u8]) -> io::Result<()> {
        self.add(bytes);
        Ok(())
    }
}

impl OutputLogSink for MemorySink {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.add(bytes);
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reproducible pseudo-random numbers.
pub(super) struct PumpRandom(pub(super) u64);

impl PumpRandom {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number from one to `limit`.
    pub(super) fn up_to(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).expect("a small number") + 1
    }

    /// Random bytes.
    pub(super) fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| (self.next() >> 32) as u8).collect()
    }
}
