//! The thread that copies one stream of one agent after another.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;

use forkhestra_core::event::output_stream::OutputStream;

use super::abandoned_outputs::AbandonedOutputs;
use super::pump_gauge::PumpGauge;
use super::stream_copier::StreamCopier;
use super::{OutputOwner, OutputSink, PumpJob, PumpMessage};

/// Copies one stream of one agent after another, in a thread of its own.
///
/// When a pump is dropped, its thread ends after the jobs it was given. Nobody waits for that: a
/// thread that is blocked in writing to the outlet can be freed by nothing but the reader at the
/// other side, and must not keep a run from ending.
#[derive(Debug)]
pub struct OutputPump {
    jobs: Sender<PumpJob>,
    gauge: Arc<PumpGauge>,
    abandon: Arc<AbandonedOutputs>,
}

impl OutputPump {
    /// Starts the thread. `notify` is called in it and should not take long: meanwhile nothing is
    /// copied.
    pub fn start(
        stream: OutputStream,
        outlet: Arc<dyn OutputSink>,
        notify: impl Fn(PumpMessage) + Send + 'static,
    ) -> io::Result<Self> {
        let (sender, jobs) = mpsc::channel();
        let gauge = Arc::new(PumpGauge::new());
        let abandon = Arc::new(AbandonedOutputs::new()?);
        let mut copier =
            StreamCopier::new(stream, outlet, notify, Arc::clone(&gauge), Arc::clone(&abandon));
        thread::Builder::new()
            .name(format!("{stream} pump"))
            .spawn(move || jobs.into_iter().for_each(|job| copier.copy(job)))?;
        Ok(Self { jobs: sender, gauge, abandon })
    }

    /// Copies a stream until its end, after the jobs that were handed over before.
    pub fn run(&self, job: PumpJob) {
        self.jobs.send(job).expect("the thread takes jobs for as long as there is a pump");
    }

    /// What the pump is doing.
    pub fn gauge(&self) -> &PumpGauge {
        &self.gauge
    }

    /// Does not wait for the end of this one's output any longer: what is in the pipe now is
    /// copied, and the job ends even if somebody still has the pipe open.
    ///
    /// A pump that is blocked in writing to the outlet or to the log gets there only when the write
    /// returns.
    pub fn abandon(&self, who: OutputOwner) {
        self.abandon.request(who);
    }
}
