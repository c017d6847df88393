//! The copying of one stream of one agent.

use std::io;
use std::sync::Arc;

use forkhestra_core::output_stream::OutputStream;

use super::abandon::Abandon;
use super::gauge::Gauge;
use super::source::{Arrival, Source};
use super::{EndOfOutput, Ended, Job, Log, Message, Outlet, Reading, Who};
use crate::agent::{Complaint, Fact, Notice};

/// As much as is read at once. It fits the second level cache, where the scanner, the log and the
/// outlet find the bytes again.
const BUFFER_SIZE: usize = 256 * 1024;

/// What the thread of a pump has for all its jobs.
pub(super) struct Copier<N> {
    stream: OutputStream,
    notify: N,
    gauge: Arc<Gauge>,
    abandon: Arc<Abandon>,
    /// None after it has failed.
    outlet: Option<Arc<dyn Outlet>>,
    buffer: Vec<u8>,
}

impl<N: Fn(Message)> Copier<N> {
    pub(super) fn new(
        stream: OutputStream,
        outlet: Arc<dyn Outlet>,
        notify: N,
        gauge: Arc<Gauge>,
        abandon: Arc<Abandon>,
    ) -> Self {
        Self { stream, notify, gauge, abandon, outlet: Some(outlet), buffer: vec![0; BUFFER_SIZE] }
    }

    /// Does a job from its beginning to its end.
    pub(super) fn copy(&mut self, job: Job) {
        let Job { who, fd, mut reading, log } = job;
        let is_shown_as_it_is = reading.is_shown_as_it_is();
        let mut log = Keeper { log, failure: None };
        let mut bytes = 0;
        let end = match Source::new(who, fd, &Arc::clone(&self.abandon)) {
            Ok(mut source) => loop {
                let outlet = self.outlet.as_deref().map(|outlet| (outlet, self.stream));
                let outlet = outlet.filter(|_| is_shown_as_it_is);
                match source.read(&mut self.buffer, outlet) {
                    Ok(arrival) => {
                        bytes += arrival.length as u64;
                        self.pass_on(who, arrival, &mut reading, &mut log);
                    }
                    Err(end) => break end,
                }
            },
            Err(errno) => EndOfOutput::Failed(errno.into()),
        };
        let mut said = Vec::new();
        let found = reading.finish(&mut |said_last| self.take(who, said_last, &mut said));
        self.lose_outlets(said);
        let log_failure = log.finish();
        let stream = self.stream;
        (self.notify)(Message::Ended(Ended { who, stream, bytes, end, found, log_failure }));
    }

    /// Hands on what was just read into the buffer.
    fn pass_on(&mut self, who: Who, arrival: Arrival, reading: &mut Reading, log: &mut Keeper) {
        let bytes = &self.buffer[..arrival.length];
        self.gauge.arrived(bytes.len());
        let mut failures = Vec::new();
        match reading {
            Reading::Bytes => {}
            Reading::Text(scan) => {
                if let Some(sighting) = scan.feed(bytes) {
                    (self.notify)(Message::Marker { who, sighting });
                }
            }
            Reading::Program(reader) => reader.feed(bytes, &mut |fact| {
                (self.notify)(match fact {
                    Fact::Marker(sighting) => Message::Marker { who, sighting },
                    fact => Message::Fact { who, fact },
                });
            }),
            // What is shown is in the log by then, as with everything else.
            Reading::Events(listen) => {
                log.append(bytes);
                listen.feed(bytes, &mut |notice| self.hear(who, notice, &mut failures));
            }
            Reading::Tail(tail) => {
                log.append(bytes);
                tail.keep(bytes);
            }
            Reading::Complaints(complaints) if complaints.are_shown_as_they_are() => {
                complaints.feed(bytes, &mut |_| {});
            }
            Reading::Complaints(complaints) => {
                log.append(bytes);
                complaints.feed(bytes, &mut |said| self.take(who, said, &mut failures));
            }
        }
        if reading.is_shown_as_it_is() {
            log.append(bytes);
            if let Some(outlet) = self.outlet.as_ref().filter(|_| !arrival.is_shared)
                && let Err(error) = outlet.write(self.stream, bytes)
            {
                failures.push(error);
            }
        }
        self.lose_outlets(failures);
        self.gauge.passed_on();
    }

    /// Hands on what was complained of.
    fn take(&self, who: Who, complaint: Complaint<'_>, failures: &mut Vec<io::Error>) {
        match complaint {
            Complaint::Notice(notice) => self.hear(who, notice, failures),
            Complaint::Bytes(bytes) => {
                if let Some(outlet) = self.outlet.as_ref().filter(|_| failures.is_empty()) {
                    failures.extend(outlet.write(self.stream, bytes).err());
                }
            }
        }
    }

    /// Hands on what was understood.
    fn hear(&self, who: Who, notice: Notice<'_>, failures: &mut Vec<io::Error>) {
        match notice {
            Notice::Fact(fact) => (self.notify)(Message::Fact { who, fact }),
            Notice::Said(event) => {
                if let Some(outlet) = self.outlet.as_ref().filter(|_| failures.is_empty()) {
                    failures.extend(outlet.show(&event).err());
                }
            }
        }
    }

    fn lose_outlets(&mut self, failures: Vec<io::Error>) {
        failures.into_iter().for_each(|error| self.lose_outlet(error));
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
