//! The thread that copies one stream of successive agents and aux jobs.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;

use forkhestra_core::event::output_stream::OutputStream;

use super::abandoned_outputs::AbandonedOutputs;
use super::pump_gauge::PumpGauge;
use super::stream_copier::StreamCopier;
use super::{OutputOwner, OutputSink, PumpJob, PumpMessage};

/// Copies one stream of successive agents and aux jobs in a thread of its own.
///
/// When a pump is dropped, its thread ends after the queued jobs. The drop does not wait: a thread
/// that is blocked in a write to the sink depends on the reader and must not keep a run from
/// ending.
#[derive(Debug)]
pub struct OutputPump {
    jobs: Sender<PumpJob>,
    gauge: Arc<PumpGauge>,
    abandon: Arc<AbandonedOutputs>,
}

impl OutputPump {
    /// Starts the thread. `notify` is called in it and should return quickly, since copying waits
    /// for it.
    pub fn start(
        stream: OutputStream,
        sink: Arc<dyn OutputSink>,
        notify: impl Fn(PumpMessage) + Send + 'static,
    ) -> io::Result<Self> {
        let (sender, jobs) = mpsc::channel();
        let gauge = Arc::new(PumpGauge::new());
        let abandon = Arc::new(AbandonedOutputs::new()?);
        let mut copier =
            StreamCopier::new(stream, sink, notify, Arc::clone(&gauge), Arc::clone(&abandon));
        thread::Builder::new()
            .name(format!("{stream} pump"))
            .spawn(move || jobs.into_iter().for_each(|job| copier.copy(job)))?;
        Ok(Self { jobs: sender, gauge, abandon })
    }

    /// Queues a job, which copies a stream until its end.
    pub fn run(&self, job: PumpJob) {
        self.jobs.send(job).expect("the thread takes jobs for as long as there is a pump");
    }

    /// The activity of the pump.
    pub fn gauge(&self) -> &PumpGauge {
        &self.gauge
    }

    /// Stops waiting for the end of this owner's output: the content of the pipe is copied, and the
    /// job ends even if the pipe is still open for writing.
    ///
    /// A pump that is blocked in a write to the sink or the log ends the job only after the write
    /// returns.
    pub fn abandon(&self, owner: OutputOwner) {
        self.abandon.request(owner);
    }
}
