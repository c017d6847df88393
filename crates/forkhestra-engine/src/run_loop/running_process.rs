//! The running agent or aux job: its process, its pipes and their results.

use std::sync::Arc;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{MarkerMatch, OutputSummary, ProcessEnd};

use crate::agent::{ProgressGauge, StreamResult};
use crate::launch::agent_files::AgentFiles;
use crate::output::{OutputOwner, PumpJobEnd, PumpJobResult, StderrSummary};
use crate::process::{KeeperHandle, NetworkMeter, Pid};
use crate::sandbox::{ProcessSandbox, denial_hint};

/// The running agent or aux job.
#[derive(Debug)]
pub(crate) struct RunningProcess {
    pub(crate) owner: OutputOwner,
    pub(crate) pid: Pid,
    /// Its parent, if that is a keeper.
    pub(crate) keeper: Option<KeeperHandle>,
    /// How the process itself ended.
    pub(crate) end: Option<ProcessEnd>,
    /// No descendant is left.
    pub(crate) is_gone: bool,
    /// SIGKILL was sent. Processes that are started later are killed as well.
    pub(crate) killed: bool,
    marker_match: Option<MarkerMatch>,
    /// The result of the stream, if its dialect is understood.
    stream_result: Option<StreamResult>,
    /// The summary of its standard error.
    pub(crate) stderr_summary: StderrSummary,
    pub(crate) tails: AuxJobTails,
    /// The progress of the agent, if its stream may be understood.
    pub(crate) progress: Option<Arc<ProgressGauge>>,
    /// The sandbox, if it runs in one.
    pub(crate) sandbox: Option<ProcessSandbox>,
    /// Measures the network traffic of its processes.
    pub(crate) network: NetworkMeter,
    /// Files that must exist while it runs.
    _files: AgentFiles,
    stdout: Option<u64>,
    stderr: Option<u64>,
}

/// The last output of an aux job.
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
            keeper: None,
            end: None,
            is_gone: false,
            killed: false,
            marker_match: None,
            stream_result: None,
            stderr_summary: StderrSummary::default(),
            tails: AuxJobTails::default(),
            progress: None,
            sandbox: None,
            network: NetworkMeter::default(),
            _files: files,
            stdout: None,
            stderr: None,
        }
    }

    pub(crate) fn with_keeper(self, keeper: Option<KeeperHandle>) -> Self {
        Self { keeper, ..self }
    }

    pub(crate) fn with_progress(self, progress: Option<Arc<ProgressGauge>>) -> Self {
        Self { progress, ..self }
    }

    /// The process that waits for the program in its sandbox, if there is one.
    pub(crate) fn monitor(&self) -> Option<Pid> {
        self.sandbox.as_ref().filter(|sandbox| sandbox.has_monitor()).map(|_| self.pid)
    }

    /// The end of the program, from the end of the started process.
    pub(crate) fn end_of_program(&self, end: ProcessEnd) -> ProcessEnd {
        match &self.sandbox {
            Some(sandbox) => sandbox.end_of_program(end),
            None => end,
        }
    }

    /// The hint that the sandbox may be the reason of a failure.
    pub(crate) fn denial_hint(&self, output: &str) -> Option<String> {
        let failed = self.end.as_ref().is_some_and(|end| *end != ProcessEnd::Exited(0));
        let sandbox = self.sandbox.as_ref().filter(|_| failed)?;
        denial_hint(sandbox.level(), output)
    }

    /// The hint that the sandbox denied connections.
    pub(crate) fn denied_hosts_hint(&self) -> Option<String> {
        let denied = self.sandbox.as_ref()?.denied_hosts();
        (!denied.is_empty()).then(|| {
            let hosts = denied.join(", ");
            format!(
                "the sandbox denied connections to {hosts}; `\"sandbox\": {{\"hosts\": […]}}` in your \
                 own config file allows hosts"
            )
        })
    }

    pub(crate) fn output_ended(&mut self, ended: PumpJobEnd) {
        match ended.stream {
            OutputStream::Stdout => self.stdout = Some(ended.bytes),
            OutputStream::Stderr => self.stderr = Some(ended.bytes),
        }
        match ended.result {
            PumpJobResult::Nothing => {}
            PumpJobResult::Marker(marker_match) => self.marker_match = Some(marker_match),
            PumpJobResult::Stream(findings) => {
                self.marker_match.clone_from(&findings.marker_match);
                self.stream_result = Some(findings);
            }
            PumpJobResult::Stderr(complained) => self.stderr_summary = complained,
            PumpJobResult::Tail(tail) => match ended.stream {
                OutputStream::Stdout => self.tails.stdout = tail,
                OutputStream::Stderr => self.tails.stderr = tail,
            },
        }
    }

    /// The combined result of the stream and of standard error, if the stream is understood.
    pub(crate) fn findings(&self) -> Option<StreamResult> {
        let findings = self.stream_result.as_ref()?;
        Some(findings.clone().with(&self.stderr_summary.result))
    }

    /// The marker match that counts: none after an error that makes the iteration futile.
    pub(crate) fn counted_marker_match(&self) -> Option<MarkerMatch> {
        let was_futile = self.stderr_summary.result.futile.is_some();
        self.marker_match.clone().filter(|_| !was_futile)
    }

    /// The summary of the output, once both streams have ended.
    pub(crate) fn output(&self) -> Option<OutputSummary> {
        Some(OutputSummary { stdout: self.stdout?, stderr: self.stderr? })
    }
}
