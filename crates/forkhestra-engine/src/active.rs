//! The agent or errand at work, as its process and its pipes show it.

use std::sync::Arc;

use forkhestra_core::event::{AgentEnd, OutputSummary, Sighting};
use forkhestra_core::output_stream::OutputStream;

use crate::agent::{Findings, ProgressGauge};
use crate::agent_files::AgentFiles;
use crate::output::{Complained, Ended, Found, Who};
use crate::process::{NetworkMeter, Pid};

/// The agent or errand at work.
#[derive(Debug)]
pub(crate) struct Active {
    pub(crate) who: Who,
    /// Its own process.
    pub(crate) pid: Pid,
    /// How its own process ended, once it has.
    pub(crate) end: Option<AgentEnd>,
    /// No process below us is left.
    pub(crate) gone: bool,
    /// We have sent SIGKILL, and whatever is still started meanwhile gets it, too.
    pub(crate) killed: bool,
    sighting: Option<Sighting>,
    /// What its stream came to, if it is one that we understand.
    findings: Option<Findings>,
    /// What it complained of.
    pub(crate) complained: Complained,
    /// The ends of what an errand printed.
    pub(crate) tails: Tails,
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
pub(crate) struct Tails {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Active {
    pub(crate) fn started(who: Who, pid: Pid, files: AgentFiles) -> Self {
        Self {
            who,
            pid,
            end: None,
            gone: false,
            killed: false,
            sighting: None,
            findings: None,
            complained: Complained::default(),
            tails: Tails::default(),
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

    pub(crate) fn output_ended(&mut self, ended: Ended) {
        match ended.stream {
            OutputStream::Stdout => self.stdout = Some(ended.bytes),
            OutputStream::Stderr => self.stderr = Some(ended.bytes),
        }
        match ended.found {
            Found::Nothing => {}
            Found::Marker(sighting) => self.sighting = Some(sighting),
            Found::Findings(findings) => {
                self.sighting.clone_from(&findings.sighting);
                self.findings = Some(findings);
            }
            Found::Complained(complained) => self.complained = complained,
            Found::Tail(tail) => match ended.stream {
                OutputStream::Stdout => self.tails.stdout = tail,
                OutputStream::Stderr => self.tails.stderr = tail,
            },
        }
    }

    /// What its stream and its complaints come to together, if the stream is one that we understand.
    pub(crate) fn findings(&self) -> Option<Findings> {
        let findings = self.findings.as_ref()?;
        Some(findings.clone().with(&self.complained.watched))
    }

    /// The marker that counts.
    pub(crate) fn sighting(&self) -> Option<Sighting> {
        let was_futile = self.complained.watched.futile.is_some();
        self.sighting.clone().filter(|_| !was_futile)
    }

    /// What it printed, once all of it has been read.
    pub(crate) fn output(&self) -> Option<OutputSummary> {
        Some(OutputSummary { stdout: self.stdout?, stderr: self.stderr? })
    }
}
