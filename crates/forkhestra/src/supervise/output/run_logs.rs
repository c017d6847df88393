//! Output logs of agents and aux jobs on disk.

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use forkhestra_core::event::AuxJob;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::UnitId;
use forkhestra_engine::OutputLogs;
use forkhestra_engine::output::OutputLogSink;
use forkhestra_store::RunDir;
use forkhestra_store::output_log::{LogCapacity, OutputLog, OutputWriter, Secrets};
use forkhestra_store::recording::Recording;

use super::log_reader::LogReader;
use crate::supervise::run_recorder::{RunRecorder, StreamRecorder};

/// Log capacity of a check or a hook. There are many of them, so it is small.
const AUX_JOB_CAPACITY: LogCapacity = LogCapacity { head: 4 * 1024 * 1024, tail: 4 * 1024 * 1024 };

/// Writes the output of each agent and aux job to the run directory.
pub(crate) struct RunLogs {
    run: RunDir,
    secrets: Arc<Secrets>,
    recorder: Option<Arc<RunRecorder>>,
}

impl RunLogs {
    /// Logs from which these secrets stay out.
    pub(crate) const fn new(run: RunDir, secrets: Arc<Secrets>) -> Self {
        Self { run, secrets, recorder: None }
    }

    /// Also records the output of agents.
    pub(crate) fn recorded(mut self, recording: Recording) -> (Self, Arc<RunRecorder>) {
        let recorder = Arc::new(RunRecorder::new(recording, Arc::clone(&self.secrets)));
        self.recorder = Some(Arc::clone(&recorder));
        (self, recorder)
    }
}

impl OutputLogs for RunLogs {
    fn open(&self, unit: UnitId, stream: OutputStream) -> Box<dyn OutputLogSink> {
        let capacity = match stream {
            OutputStream::Stdout => LogCapacity::STDOUT,
            OutputStream::Stderr => LogCapacity::STDERR,
        };
        let path = self.run.output_of(unit).join(stream.to_string());
        let log = OutputWriter::new(self.run.disk(), path, capacity, &self.secrets);
        let recorder = self.recorder.as_ref();
        match recorder.and_then(|recorder| recorder.stream_recorder(unit, stream)) {
            Some(stream_recorder) => {
                Box::new(RecordedLog { log: AgentLog(log), recorder: stream_recorder })
            }
            None => Box::new(AgentLog(log)),
        }
    }

    fn open_aux_job(&self, aux_job: AuxJob, stream: OutputStream) -> Box<dyn OutputLogSink> {
        let path = self.run.output_of_aux_job(aux_job).join(stream.to_string());
        Box::new(AgentLog(OutputWriter::new(
            self.run.disk(),
            path,
            AUX_JOB_CAPACITY,
            &self.secrets,
        )))
    }

    fn read_output(
        &self,
        unit: UnitId,
        stream: OutputStream,
    ) -> io::Result<Option<Box<dyn Read + Send>>> {
        let path = self.run.output_of(unit).join(stream.to_string());
        let recalled = LogReader::new(OutputLog::open(path))?;
        Ok(recalled.map(|recalled| Box::new(recalled) as Box<dyn Read + Send>))
    }

    fn path_of(&self, unit: UnitId, stream: OutputStream) -> Option<PathBuf> {
        Some(self.run.output_of(unit).join(stream.to_string()))
    }

    fn redact(&self, text: &str) -> String {
        self.secrets.masked(text)
    }
}

struct AgentLog(OutputWriter);

impl OutputLogSink for AgentLog {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.append(bytes)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.finish()
    }
}

/// A log whose bytes are also recorded, even if writing the log fails.
struct RecordedLog {
    log: AgentLog,
    recorder: StreamRecorder,
}

impl OutputLogSink for RecordedLog {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.recorder.append(bytes);
        let kept = self.log.append(bytes);
        // After an error the engine appends nothing more to this log.
        kept.inspect_err(|error| self.recorder.cut_off(error))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.log.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use forkhestra_core::event::HookMoment;
    use forkhestra_core::hook::HookPoint;
    use forkhestra_core::id::RunId;
    use forkhestra_core::time::Timestamp;
    use forkhestra_store::disk::SYSTEM;
    use forkhestra_store::{LockProof, StateRoot};

    use super::*;
    use crate::supervise::output::run_secrets::secrets_of;

    const UNIT: UnitId = UnitId { step: 1, iteration: 2, attempt: 3 };

    /// The logs of a run with this secret.
    fn logs(directory: &Path, secret: &str) -> RunLogs {
        let tree = StateRoot::new(directory.join("state")).work_tree(directory);
        let run = RunId::parse("abcd1234").expect("an id");
        let run =
            tree.create_run(&LockProof::Waived, &run, Timestamp::default()).expect("it is ours");
        RunLogs::new(run, Arc::new(secrets_of([secret.as_bytes()].into_iter())))
    }

    fn write(mut log: Box<dyn OutputLogSink>, text: &str) {
        log.append(text.as_bytes()).expect("there is room");
        log.finish().expect("there is room");
    }

    #[test]
    fn agent_output_can_be_read_back_without_secrets() {
        let directory = tempfile::tempdir().expect("there is room");
        let logs = logs(directory.path(), "sk-0123456789");
        assert!(logs.read_output(UNIT, OutputStream::Stdout).expect("nothing is wrong").is_none());
        write(logs.open(UNIT, OutputStream::Stdout), "the key is sk-0123456789\n");
        write(logs.open(UNIT, OutputStream::Stderr), "a complaint\n");
        let recalled = logs.read_output(UNIT, OutputStream::Stdout).expect("it is there");
        let mut text = String::new();
        recalled.expect("it is kept").read_to_string(&mut text).expect("it is text");
        assert_eq!(text, "the key is *************\n");
        let path = logs.path_of(UNIT, OutputStream::Stdout).expect("it is a file");
        assert_eq!(fs::read_to_string(path).expect("it is text"), text);
    }

    #[test]
    fn the_output_of_aux_jobs_is_kept_beside_the_agents() {
        let directory = tempfile::tempdir().expect("there is room");
        let logs = logs(directory.path(), "sk-0123456789");
        let hook = |point, unit| AuxJob::Hook { moment: HookMoment { point, unit }, number: 1 };
        for (aux_job, path) in [
            (AuxJob::Setup { unit: UNIT }, "output/1-2-3/setup/stdout"),
            (AuxJob::Check { unit: UNIT, number: 2 }, "output/1-2-3/check-2/stdout"),
            (
                hook(HookPoint::PreIteration, Some(UNIT)),
                "output/hooks/pre-iteration-1-2-3-1/stdout",
            ),
            (hook(HookPoint::OnComplete, None), "output/hooks/on-complete-end-1/stdout"),
        ] {
            write(logs.open_aux_job(aux_job, OutputStream::Stdout), "sk-0123456789!");
            let kept = fs::read_to_string(logs.run.path().join(path)).expect("it is kept");
            assert_eq!(kept, "*************!", "{path}");
        }
    }

    #[test]
    fn secret_keys_are_hidden_and_switches_are_not() {
        let values = ["1", "true", "sk-0123456789"].map(str::as_bytes);
        let directory = tempfile::tempdir().expect("there is room");
        let path = directory.path().join("stdout");
        let secrets = Arc::new(secrets_of(values.into_iter()));
        let mut writer = OutputWriter::new(&SYSTEM, path.clone(), LogCapacity::STDOUT, &secrets);
        writer.append(b"1 is true, and the key is sk-0123456789").expect("there is room");
        writer.finish().expect("there is room");
        let kept = fs::read_to_string(path).expect("it was written");
        assert_eq!(kept, "1 is true, and the key is *************");
    }
}
