//! What agents print, on disk.

use std::io;
use std::sync::Arc;

use forkhestra_core::id::UnitId;
use forkhestra_core::plan::Plan;
use forkhestra_engine::Logs;
use forkhestra_engine::output::{Log, Stream};
use forkhestra_store::RunDir;
use forkhestra_store::output_log::{Capacity, OutputWriter, Secrets};

/// What is shorter is no secret worth its name. `1` and `true` are values, too, and a log in which
/// every 1 is an asterisk is of no use.
const SHORTEST_SECRET: usize = 8;

/// Keeps the output of each agent in the directory of the run.
pub(super) struct RunLogs {
    run: RunDir,
    secrets: Arc<Secrets>,
}

impl RunLogs {
    /// Values of variables that the config gives to agents may be secrets, and stay out of files.
    pub(super) fn new(run: RunDir, plan: &Plan) -> Self {
        let values = plan.steps.iter().flat_map(|step| step.agent.kind.env().0.values());
        Self { run, secrets: Arc::new(secrets(values)) }
    }
}

fn secrets<'a>(values: impl Iterator<Item = &'a String>) -> Secrets {
    Secrets::new(values.filter(|value| value.len() >= SHORTEST_SECRET))
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn keys_are_hidden_and_switches_are_not() {
        let values = ["1", "true", "sk-0123456789"].map(str::to_owned);
        let directory = tempfile::tempdir().expect("there is room");
        let path = directory.path().join("stdout");
        let secrets = Arc::new(secrets(values.iter()));
        let mut writer = OutputWriter::new(path.clone(), Capacity::STDOUT, &secrets);
        writer.append(b"1 is true, and the key is sk-0123456789").expect("there is room");
        writer.finish().expect("there is room");
        let kept = fs::read_to_string(path).expect("it was written");
        assert_eq!(kept, "1 is true, and the key is *************");
    }
}
