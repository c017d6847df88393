//! The behaviour of a simulated agent.

use super::samples::dollars;
use super::simulated_stream::{SimulatedQuota, SimulatedStream};
use crate::event::{OutcomeClass, ProcessEnd};
use crate::machine::ProcessSignal;
use crate::quota::QuotaWindow;

/// How a simulated agent behaves. Times are milliseconds after its start.
#[derive(Debug, Clone)]
pub(crate) struct SimulatedAgent {
    pub(crate) says_done_at: Option<u64>,
    /// Its marker counts only at the end of its output.
    pub(crate) says_done_at_end: bool,
    pub(crate) exits_at: Option<u64>,
    pub(crate) end: ProcessEnd,
    /// The weakest signal that ends it, if any does.
    pub(crate) obeys: Option<ProcessSignal>,
    /// The signal that ends its leftover processes.
    pub(crate) stragglers_obey: Option<ProcessSignal>,
    /// When its output has been read.
    pub(crate) read_at: u64,
    /// Its CPU use, in thousandths of a core.
    pub(crate) load: u32,
    /// The work tree and the done file after it.
    pub(crate) tree: Option<char>,
    pub(crate) done_file: bool,
    /// It leaves protected files changed, or work uncommitted.
    pub(crate) spoils: bool,
    pub(crate) forgets: bool,
    /// How many milliseconds the observation of its work takes, if it is slow.
    pub(crate) looked_at: Option<u64>,
    /// Its stream, if it is parsed.
    pub(crate) stream: Option<SimulatedStream>,
}

impl SimulatedAgent {
    pub(crate) fn exiting(code: i32) -> Self {
        Self {
            says_done_at: None,
            says_done_at_end: false,
            exits_at: Some(10),
            end: ProcessEnd::Exited(code),
            obeys: Some(ProcessSignal::Hangup),
            stragglers_obey: Some(ProcessSignal::Continue),
            read_at: 0,
            load: 1000,
            tree: None,
            done_file: false,
            spoils: false,
            forgets: false,
            looked_at: None,
            stream: None,
        }
    }

    /// An agent with a parsed stream that ends in this way after some work.
    pub(crate) fn with_outcome(class: OutcomeClass) -> Self {
        let code = i32::from(class != OutcomeClass::Finished);
        Self { stream: Some(SimulatedStream::of(class)), ..Self::exiting(code) }
    }

    /// An agent whose last message has the marker.
    pub(crate) fn understood_done() -> Self {
        Self { says_done_at_end: true, ..Self::with_outcome(OutcomeClass::Finished) }
    }

    /// The same agent with a changed stream.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut SimulatedStream)) -> Self {
        self.stream.as_mut().map(change);
        self
    }

    /// The same agent, which has spent this many cents after 5 ms.
    pub(crate) fn spending(self, cents: u64) -> Self {
        self.with(|stream| stream.spends = vec![(5, dollars(cents))])
    }

    /// The same agent, which reports after 5 ms that this much of a window is used, and in how many
    /// seconds it ends.
    pub(crate) fn reporting(self, window: QuotaWindow, used: u16, resets_in: u64) -> Self {
        self.with(|stream| {
            stream.quotas.push(SimulatedQuota { reported_at: 5, window, used, resets_in });
        })
    }

    pub(crate) fn done() -> Self {
        Self { says_done_at: Some(5), ..Self::exiting(0) }
    }

    pub(crate) fn hanging() -> Self {
        Self { exits_at: None, ..Self::exiting(0) }
    }

    pub(crate) fn cannot_start(transient: bool) -> Self {
        let reason = "no".to_owned();
        Self { end: ProcessEnd::NotStarted { reason, transient }, ..Self::exiting(0) }
    }
}
