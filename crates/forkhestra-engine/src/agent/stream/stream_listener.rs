//! What a pump needs of whoever understands an agent's stream.

use forkhestra_core::cost::{Spend, UnusableFigure};
use forkhestra_core::event::{AgentActivity, AgentOutcome, MarkerMatch};

use super::agent_event::AgentEvent;
use crate::agent::stderr_watcher::StderrResult;

/// Understands what an agent prints, as it comes.
pub trait StreamListener: Send {
    /// Listens to more bytes. They may end anywhere.
    fn feed(&mut self, bytes: &[u8], tell: &mut dyn FnMut(StreamNotice<'_>));

    /// Takes note that nothing will follow.
    fn finish(self: Box<Self>, tell: &mut dyn FnMut(StreamNotice<'_>)) -> StreamResult;
}

/// Something worth telling.
#[derive(Debug, PartialEq)]
pub enum StreamNotice<'a> {
    /// For whoever watches.
    AgentEvent(AgentEvent<'a>),
    /// For whoever decides.
    Fact(StreamFact),
}

/// Something that may change what becomes of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamFact {
    /// There is a marker in an output that nobody understands, which may be that of a program.
    Marker(MarkerMatch),
    /// The agent is through, and should go. The marker in its last message, if it counts.
    Concluded(Option<MarkerMatch>),
    /// The agent goes on after it had been through, or is understood after a marker was seen.
    WentOn,
    /// What it has spent since it was started, all in all.
    Spent(Spend),
    /// A figure of what it spent cannot be right. Only the first one is reported.
    UnusableFigure(UnusableFigure),
    /// Nothing will come of it, for this reason, although it does not go.
    Futile(AgentOutcome),
}

/// What a whole stream comes to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamResult {
    /// The marker that counts.
    pub marker_match: Option<MarkerMatch>,
    /// How it went, as far as the stream says.
    pub outcome: Option<AgentOutcome>,
    /// What the agent did.
    pub activity: AgentActivity,
    /// Whether it was an event stream at all. If not, whoever printed it is a program like any
    /// other.
    pub understood: bool,
}

impl StreamResult {
    /// The same with what was found in the complaints. Whoever was ended for these did not finish,
    /// even if it was about to.
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
    fn complaints_count_and_decide_if_they_are_why_it_was_ended() {
        let sighting =
            MarkerMatch { marker: "DONE".to_owned(), line: 1, offset: 0, message: Some(1) };
        let outcome = Some(AgentOutcome::of(OutcomeClass::Finished));
        let findings =
            StreamResult { marker_match: Some(sighting), outcome, ..StreamResult::default() };
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
