//! What agents print, on disk.

use std::io;
use std::sync::Arc;

use forkhestra_core::id::UnitId;
use forkhestra_core::plan::Plan;
use forkhestra_engine::Logs;
use forkhestra_engine::output::{Log, Stream};
use forkhestra_store::RunDir;
use forkhestra_store::output_log::{Capacity, OutputWriter, Secrets};

/// Keeps the output of each agent in the directory of the run.
pub(super) struct RunLogs {
    run: RunDir,
    secrets: Arc<Secrets>,
}

impl RunLogs {
    /// Values of variables that the config gives to agents may be secrets, and stay out of files.
    pub(super) fn new(run: RunDir, plan: &Plan) -> Self {
        let values = plan.steps.iter().flat_map(|step| step.agent.kind.env().0.values());
        Self { run, secrets: Arc::new(Secrets::new(values)) }
    }
}

impl Logs for RunLogs {
    fn open(&self, unit: UnitId, stream: Stream) -> Box<dyn Log> {
        let capacity = match stream {
            Stream::Stdout => Capacity::STDOUT,
            Stream::Stderr => Capacity::STDERR,
        };
        let path = self.run.output_of(unit).join(stream.to_string());
        Box::new(RunLog(OutputWriter::new(path, capacity, &self.secrets)))
    }
}

struct RunLog(OutputWriter);

impl Log for RunLog {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.append(bytes)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.finish()
    }
}
