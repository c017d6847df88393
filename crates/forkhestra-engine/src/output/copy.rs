//! The copying of one stream of one agent.

use std::io;
use std::sync::Arc;

use forkhestra_core::id::UnitId;

use super::abandon::Abandon;
use super::gauge::Gauge;
use super::source::{Arrival, Source};
use super::{EndOfOutput, Ended, Job, Log, Message, Outlet, Scan, Stream};

/// As much as is read at once. It fits the second level cache, where the scanner, the log and the
/// outlet find the bytes again.
const BUFFER_SIZE: usize = 256 * 1024;

/// What the thread of a pump has for all its jobs.
pub(super) struct Copier<N> {
    stream: Stream,
    notify: N,
    gauge: Arc<Gauge>,
    abandon: Arc<Abandon>,
    /// None after it has failed.
    outlet: Option<Arc<dyn Outlet>>,
    buffer: Vec<u8>,
}

impl<N: Fn(Message)> Copier<N> {
    pub(super) fn new(
        stream: Stream,
        outlet: Arc<dyn Outlet>,
        notify: N,
        gauge: Arc<Gauge>,
        abandon: Arc<Abandon>,
    ) -> Self {
        Self { stream, notify, gauge, abandon, outlet: Some(outlet), buffer: vec![0; BUFFER_SIZE] }
    }

    /// Does a job from its beginning to its end.
    pub(super) fn copy(&mut self, job: Job) {
        let Job { unit, fd, mut scan, log } = job;
        let mut log = Keeper { log, failure: None };
        let mut bytes = 0;
        let end = match Source::new(unit, fd, &Arc::clone(&self.abandon)) {
            Ok(mut source) => loop {
                let outlet = self.outlet.as_deref().map(|outlet| (outlet, self.stream));
                match source.read(&mut self.buffer, outlet) {
                    Ok(arrival) => {
                        bytes += arrival.length as u64;
                        self.pass_on(unit, arrival, scan.as_deref_mut(), &mut log);
                    }
                    Err(end) => break end,
                }
            },
            Err(errno) => EndOfOutput::Failed(errno.into()),
        };
        let sighting = scan.and_then(Scan::finish);
        let log_failure = log.finish();
        let stream = self.stream;
        (self.notify)(Message::Ended(Ended { unit, stream, bytes, end, sighting, log_failure }));
    }

    /// Hands on what was just read into the buffer.
    fn pass_on(
        &mut self,
        unit: UnitId,
        arrival: Arrival,
        scan: Option<&mut (dyn Scan + 'static)>,
        log: &mut Keeper,
    ) {
        let bytes = &self.buffer[..arrival.length];
        self.gauge.arrived(bytes.len());
        if let Some(sighting) = scan.and_then(|scan| scan.feed(bytes)) {
            (self.notify)(Message::Marker { unit, sighting });
        }
        log.append(bytes);
        if let Some(outlet) = self.outlet.as_ref().filter(|_| !arrival.is_shared)
            && let Err(error) = outlet.write(self.stream, bytes)
        {
            self.lose_outlet(error);
        }
        self.gauge.passed_on();
    }

    fn lose_outlet(&mut self, error: io::Error) {
        self.outlet = None;
        (self.notify)(match error.kind() {
            io::ErrorKind::BrokenPipe => Message::OutletClosed(self.stream),
            _ => Message::OutletFailed(self.stream, error),
        });
    }
}

/// A log until it fails. What agents print is more important than that we keep it.
struct Keeper {
    log: Box<dyn Log>,
    failure: Option<io::Error>,
}

impl Keeper {
    fn append(&mut self, bytes: &[u8]) {
        if self.failure.is_none() {
            self.failure = self.log.append(bytes).err();
        }
    }

    fn finish(mut self) -> Option<io::Error> {
        self.failure.or_else(|| self.log.finish().err())
    }
}
