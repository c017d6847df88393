//! The agent or errand at work, as its process and its pipes show it.

use std::sync::Arc;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{AgentEnd, MarkerMatch, OutputSummary};

use crate::agent::{ProgressGauge, StreamResult};
use crate::launch::agent_files::AgentFiles;
use crate::output::{OutputOwner, PumpJobEnd, PumpJobResult, StderrSummary};
use crate::process::{NetworkMeter, Pid};

/// The agent or errand at work.
#[derive(Debug)]
pub(crate) struct RunningProcess {
    pub(crate) owner: OutputOwner,
    /// Its own process.
    pub(crate) pid: Pid,
    /// How its own process ended, once it has.
    pub(crate) end: Option<AgentEnd>,
    /// No process below us is left.
    pub(crate) gone: bool,
    /// We have sent SIGKILL, and whatever is still started meanwhile gets it, too.
    pub(crate) killed: bool,
    marker_match: Option<MarkerMatch>,
    /// What its stream came to, if it is one that we understand.
    stream_result: Option<StreamResult>,
    /// What it complained of.
    pub(crate) complained: StderrSummary,
    /// The ends of what an errand printed.
    pub(crate) tails: AuxJobTails,
    /// Its progress, if its stream may be one that we understand.
    pub(crate) progress: Option<Arc<ProgressGauge>>,
    /// What its processes receive.
    pub(crate) network: NetworkMeter,
    /// What it needs on disk while it runs.
    _files: AgentFiles,
    stdout: Option<u64>,
    stderr: Option<u64>,
}

/// The ends of what an errand printed.
#[derive(Debug, Default)]
pub(crate) struct AuxJobTails {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl RunningProcess {
    pub(crate) fn started(owner: OutputOwner, pid: Pid, files: AgentFiles) -> Self {
        Self {
            owner,
            pid,
            end: None,
            gone: false,
            killed: false,
            marker_match: None,
            stream_result: None,
            complained: StderrSummary::default(),
            tails: AuxJobTails::default(),
            progress: None,
            network: NetworkMeter::default(),
            _files: files,
            stdout: None,
            stderr: None,
        }
    }

    pub(crate) fn with_progress(self, progress: Option<Arc<ProgressGauge>>) -> Self {
        Self { progress, ..self }
    }

    pub(crate) fn output_ended(&mut self, ended: PumpJobEnd) {
        match ended.stream {
            OutputStream::Stdout => self.stdout = Some(ended.bytes),
            OutputStream::Stderr => self.stderr = Some(ended.bytes),
        }
        match ended.result {
            PumpJobResult::Nothing => {}
            PumpJobResult::Marker(sighting) => self.marker_match = Some(sighting),
            PumpJobResult::Stream(findings) => {
                self.marker_match.clone_from(&findings.marker_match);
                self.stream_result = Some(findings);
            }
            PumpJobResult::Stderr(complained) => self.complained = complained,
            PumpJobResult::Tail(tail) => match ended.stream {
                OutputStream::Stdout => self.tails.stdout = tail,
                OutputStream::Stderr => self.tails.stderr = tail,
            },
        }
    }

    /// What its stream and its complaints come to together, if the stream is one that we understand.
    pub(crate) fn findings(&self) -> Option<StreamResult> {
        let findings = self.stream_result.as_ref()?;
        Some(findings.clone().with(&self.complained.result))
    }

    /// The marker that counts.
    pub(crate) fn sighting(&self) -> Option<MarkerMatch> {
        let was_futile = self.complained.result.futile.is_some();
        self.marker_match.clone().filter(|_| !was_futile)
    }

    /// What it printed, once all of it has been read.
    pub(crate) fn output(&self) -> Option<OutputSummary> {
        Some(OutputSummary { stdout: self.stdout?, stderr: self.stderr? })
    }
}
