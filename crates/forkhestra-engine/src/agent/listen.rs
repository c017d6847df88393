//! What a pump needs of whoever understands an agent's stream.

use forkhestra_core::cost::{Spend, UnusableFigure};
use forkhestra_core::event::{Activity, Outcome, Sighting};

use super::event::AgentEvent;
use super::watcher::Watched;

/// Understands what an agent prints, as it comes.
pub trait Listen: Send {
    /// Listens to more bytes. They may end anywhere.
    fn feed(&mut self, bytes: &[u8], tell: &mut dyn FnMut(Notice<'_>));

    /// Takes note that nothing will follow.
    fn finish(self: Box<Self>, tell: &mut dyn FnMut(Notice<'_>)) -> Findings;
}

/// Something worth telling.
#[derive(Debug, PartialEq)]
pub enum Notice<'a> {
    /// For whoever watches.
    Said(AgentEvent<'a>),
    /// For whoever decides.
    Fact(Fact),
}

/// Something that may change what becomes of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// There is a marker in an output that nobody understands, which may be that of a program.
    Marker(Sighting),
    /// The agent is through, and should go. The marker in its last message, if it counts.
    Concluded(Option<Sighting>),
    /// The agent goes on after it had been through, or is understood after a marker was seen.
    WentOn,
    /// What it has spent since it was started, all in all.
    Spent(Spend),
    /// A figure of what it spent cannot be right. Only the first one is reported.
    UnusableFigure(UnusableFigure),
    /// Nothing will come of it, for this reason, although it does not go.
    Futile(Outcome),
}

/// What a whole stream comes to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// The marker that counts.
    pub sighting: Option<Sighting>,
    /// How it went, as far as the stream says.
    pub outcome: Option<Outcome>,
    /// What the agent did.
    pub activity: Activity,
    /// Whether it was an event stream at all. If not, whoever printed it is a program like any
    /// other.
    pub understood: bool,
}

impl Findings {
    /// The same with what was found in the complaints. Whoever was ended for these did not finish,
    /// even if it was about to.
    pub fn with(mut self, watched: &Watched) -> Self {
        self.activity.retries = self.activity.retries.saturating_add(watched.retries);
        if let Some(futile) = &watched.futile {
            (self.outcome, self.sighting) = (Some(futile.clone()), None);
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
        let sighting = Sighting { marker: "DONE".to_owned(), line: 1, offset: 0, message: Some(1) };
        let outcome = Some(Outcome::of(OutcomeClass::Finished));
        let findings = Findings { sighting: Some(sighting), outcome, ..Findings::default() };
        let harmless = findings.clone().with(&Watched { retries: 2, futile: None });
        assert_eq!(harmless.activity.retries, 2);
        assert_eq!(
            (harmless.outcome, harmless.sighting),
            (findings.outcome.clone(), findings.sighting.clone())
        );
        let futile = Some(Outcome::of(OutcomeClass::UsageLimit));
        let ended = findings.with(&Watched { retries: 1, futile: futile.clone() });
        assert_eq!((ended.outcome, ended.sighting), (futile, None));
    }
}
