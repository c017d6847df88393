//! The agent at work, as its process and its pipes show it.

use forkhestra_core::event::{OutputSummary, Sighting};
use forkhestra_core::id::UnitId;

use crate::output::{Ended, Stream};
use crate::process::Pid;

/// The agent at work.
#[derive(Debug)]
pub(crate) struct Active {
    pub(crate) unit: UnitId,
    /// Its own process.
    pub(crate) pid: Pid,
    /// Its own process has ended.
    pub(crate) exited: bool,
    /// No process below us is left.
    pub(crate) gone: bool,
    /// We have sent SIGKILL, and whatever is still started meanwhile gets it, too.
    pub(crate) killed: bool,
    /// The last thing that is done for it: to see what it left.
    pub(crate) looking: bool,
    pub(crate) sighting: Option<Sighting>,
    stdout: Option<u64>,
    stderr: Option<u64>,
}

impl Active {
    pub(crate) const fn started(unit: UnitId, pid: Pid) -> Self {
        Self {
            unit,
            pid,
            exited: false,
            gone: false,
            killed: false,
            looking: false,
            sighting: None,
            stdout: None,
            stderr: None,
        }
    }

    pub(crate) fn output_ended(&mut self, ended: &Ended) {
        match ended.stream {
            Stream::Stdout => {
                self.stdout = Some(ended.bytes);
                self.sighting = self.sighting.take().or_else(|| ended.sighting.clone());
            }
            Stream::Stderr => self.stderr = Some(ended.bytes),
        }
    }

    /// What it printed, once all of it has been read.
    pub(crate) fn output(&self) -> Option<OutputSummary> {
        Some(OutputSummary { stdout: self.stdout?, stderr: self.stderr? })
    }
}
