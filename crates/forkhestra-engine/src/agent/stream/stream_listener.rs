//! The interface between a pump and the interpretation of an agent's stream.

use forkhestra_core::cost::{Spend, UnusableFigure};
use forkhestra_core::event::{AgentActivity, AgentOutcome, MarkerMatch};
use forkhestra_core::quota::QuotaReading;

use super::agent_event::AgentEvent;
use crate::agent::stderr_watcher::StderrResult;

/// Interprets an agent's stream incrementally.
pub trait StreamListener: Send {
    /// Reads more bytes, which may end anywhere.
    fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(StreamNotice<'_>));

    /// Processes the end of the stream.
    fn finish(self: Box<Self>, sink: &mut dyn FnMut(StreamNotice<'_>)) -> StreamResult;
}

/// A notice of a listener.
#[derive(Debug, PartialEq)]
pub enum StreamNotice<'a> {
    /// An event for display.
    AgentEvent(AgentEvent<'a>),
    /// A fact for the machine.
    Fact(StreamFact),
}

/// A fact that may affect the run.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamFact {
    /// A marker in an output that is not understood, which may be that of a program.
    Marker(MarkerMatch),
    /// The agent has finished and should exit. The marker in its last message, if it counts.
    Concluded(Option<MarkerMatch>),
    /// The agent goes on after it had finished, or its stream is understood after a marker was
    /// reported.
    WentOn,
    /// The total spend since the start of the agent.
    Spent(Spend),
    /// How full a window of the agent's account is.
    Quota(QuotaReading),
    /// A figure of the spend is unusable. Only the first one is reported.
    UnusableFigure(UnusableFigure),
    /// The agent cannot succeed, for this reason, although it does not exit.
    Futile(AgentOutcome),
}

/// The result of a whole stream.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamResult {
    /// The marker match that counts.
    pub marker_match: Option<MarkerMatch>,
    /// The outcome, as far as the stream reports it.
    pub outcome: Option<AgentOutcome>,
    pub activity: AgentActivity,
    /// Whether it was a stream of events. If not, the process is treated like any other program.
    pub understood: bool,
}

impl StreamResult {
    /// Adds the findings of standard error. An agent that was ended for them did not finish, even
    /// if it was about to.
    pub fn with(mut self, watched: &StderrResult) -> Self {
        self.activity.retries = self.activity.retries.saturating_add(watched.retries);
        if let Some(futile) = &watched.futile {
            (self.outcome, self.marker_match) = (Some(futile.clone()), None);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use forkhestra_core::event::OutcomeClass;

    use super::*;

    #[test]
    fn stderr_counts_and_decides_if_it_caused_the_stop() {
        let found_match =
            MarkerMatch { marker: "DONE".to_owned(), line: 1, offset: 0, message: Some(1) };
        let outcome = Some(AgentOutcome::of(OutcomeClass::Finished));
        let findings =
            StreamResult { marker_match: Some(found_match), outcome, ..StreamResult::default() };
        let harmless = findings.clone().with(&StderrResult { retries: 2, futile: None });
        assert_eq!(harmless.activity.retries, 2);
        assert_eq!(
            (harmless.outcome, harmless.marker_match),
            (findings.outcome.clone(), findings.marker_match.clone())
        );
        let futile = Some(AgentOutcome::of(OutcomeClass::UsageLimit));
        let ended = findings.with(&StderrResult { retries: 1, futile: futile.clone() });
        assert_eq!((ended.outcome, ended.marker_match), (futile, None));
    }
}
