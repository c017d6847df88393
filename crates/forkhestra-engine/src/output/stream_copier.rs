//! Copies one output stream of agents and aux jobs.

use std::io;
use std::sync::Arc;

use forkhestra_core::event::output_stream::OutputStream;

use super::abandoned_outputs::AbandonedOutputs;
use super::pipe_source::{PipeRead, PipeSource};
use super::pump_gauge::PumpGauge;
use super::{
    EndOfOutput, OutputLogSink, OutputOwner, OutputSink, PumpJob, PumpJobEnd, PumpMessage,
    StreamReading,
};
use crate::agent::{StderrOutput, StreamFact, StreamNotice};

/// The size of one read. It fits into the second-level cache, where scanner, log and sink find the
/// bytes again.
const BUFFER_SIZE: usize = 256 * 1024;

/// The state of a pump's thread across its jobs.
pub(super) struct StreamCopier<N> {
    stream: OutputStream,
    notify: N,
    gauge: Arc<PumpGauge>,
    abandon: Arc<AbandonedOutputs>,
    /// `None` after a failure.
    sink: Option<Arc<dyn OutputSink>>,
    buffer: Vec<u8>,
}

impl<N: Fn(PumpMessage)> StreamCopier<N> {
    pub(super) fn new(
        stream: OutputStream,
        sink: Arc<dyn OutputSink>,
        notify: N,
        gauge: Arc<PumpGauge>,
        abandon: Arc<AbandonedOutputs>,
    ) -> Self {
        Self { stream, notify, gauge, abandon, sink: Some(sink), buffer: vec![0; BUFFER_SIZE] }
    }

    /// Processes a job from its beginning to its end.
    pub(super) fn copy(&mut self, job: PumpJob) {
        let PumpJob { owner, fd, mut reading, log } = job;
        let is_shown_as_it_is = reading.is_passed_through();
        let has_result = matches!(reading, StreamReading::Events(_));
        let mut log = FallibleLog { log, failure: None };
        let mut bytes = 0;
        let end = match PipeSource::new(owner, fd, &Arc::clone(&self.abandon)) {
            Ok(mut source) => {
                if has_result {
                    source.enlarge();
                }
                loop {
                    let sink = self.sink.as_deref().map(|sink| (sink, self.stream));
                    let sink = sink.filter(|_| is_shown_as_it_is);
                    match source.read(&mut self.buffer, sink) {
                        Ok(arrival) => {
                            bytes += arrival.length as u64;
                            self.pass_on(owner, arrival, &mut reading, &mut log);
                        }
                        Err(end) => break end,
                    }
                }
            }
            Err(errno) => EndOfOutput::Failed(errno.into()),
        };
        let mut messages = Vec::new();
        let found = reading.finish(&mut |said_last| self.take(owner, said_last, &mut messages));
        self.report_sink_failures(messages);
        let log_failure = log.finish();
        let stream = self.stream;
        (self.notify)(PumpMessage::Ended(PumpJobEnd {
            owner,
            stream,
            bytes,
            end,
            result: found,
            log_failure,
        }));
    }

    /// Passes the bytes in the buffer to scanner, log and sink.
    fn pass_on(
        &mut self,
        owner: OutputOwner,
        arrival: PipeRead,
        reading: &mut StreamReading,
        log: &mut FallibleLog,
    ) {
        let bytes = &self.buffer[..arrival.length];
        self.gauge.arrived(bytes.len());
        let mut failures = Vec::new();
        match reading {
            StreamReading::Bytes => {}
            StreamReading::Text(scan) => {
                if let Some(marker_match) = scan.feed(bytes) {
                    (self.notify)(PumpMessage::Marker { owner, marker_match });
                }
            }
            StreamReading::Program(reader) => reader.feed(bytes, &mut |fact| {
                (self.notify)(match fact {
                    StreamFact::Marker(marker_match) => PumpMessage::Marker { owner, marker_match },
                    fact => PumpMessage::Fact { owner, fact },
                });
            }),
            // Bytes are logged before they are displayed, as for all other readings.
            StreamReading::Events(listen) => {
                log.append(bytes);
                listen.feed(bytes, &mut |notice| self.pass_on_notice(owner, notice, &mut failures));
            }
            StreamReading::Tail(tail) => {
                log.append(bytes);
                tail.keep(bytes);
            }
            StreamReading::Stderr(stderr_reader) => {
                log.append(bytes);
                stderr_reader.feed(bytes, &mut |output| self.take(owner, output, &mut failures));
            }
        }
        if reading.is_passed_through() {
            log.append(bytes);
            if let Some(sink) = self.sink.as_ref().filter(|_| !arrival.is_shared)
                && let Err(error) = sink.write(self.stream, bytes)
            {
                failures.push(error);
            }
        }
        self.report_sink_failures(failures);
        self.gauge.passed_on();
    }

    /// Passes on output of the standard error reader.
    fn take(&self, owner: OutputOwner, output: StderrOutput<'_>, failures: &mut Vec<io::Error>) {
        match output {
            StderrOutput::Notice(notice) => self.pass_on_notice(owner, notice, failures),
            StderrOutput::Bytes(bytes) => {
                if let Some(sink) = self.sink.as_ref().filter(|_| failures.is_empty()) {
                    failures.extend(sink.write_stderr_text(bytes).err());
                }
            }
        }
    }

    /// Passes on a notice of the stream listener.
    fn pass_on_notice(
        &self,
        owner: OutputOwner,
        notice: StreamNotice<'_>,
        failures: &mut Vec<io::Error>,
    ) {
        match notice {
            StreamNotice::Fact(fact) => (self.notify)(PumpMessage::Fact { owner, fact }),
            StreamNotice::AgentEvent(event) => {
                if let Some(sink) = self.sink.as_ref().filter(|_| failures.is_empty()) {
                    failures.extend(sink.write_event(&event).err());
                }
            }
        }
    }

    fn report_sink_failures(&mut self, failures: Vec<io::Error>) {
        failures.into_iter().for_each(|error| self.report_sink_failure(error));
    }

    fn report_sink_failure(&mut self, error: io::Error) {
        self.sink = None;
        (self.notify)(match error.kind() {
            io::ErrorKind::BrokenPipe => PumpMessage::SinkClosed(self.stream),
            _ => PumpMessage::SinkFailed(self.stream, error),
        });
    }
}

/// A log until its first failure. Copying goes on without the log.
struct FallibleLog {
    log: Box<dyn OutputLogSink>,
    failure: Option<io::Error>,
}

impl FallibleLog {
    fn append(&mut self, bytes: &[u8]) {
        if self.failure.is_none() {
            self.failure = self.log.append(bytes).err();
        }
    }

    fn finish(mut self) -> Option<io::Error> {
        self.failure.or_else(|| self.log.finish().err())
    }
}
