//! How a step stands with its agent's provider.

use std::time::Duration;

use crate::event::{AgentOutcome, OutcomeClass, StepEnd};
use crate::limit::{HumanDuration, Limit};
use crate::machine::next_action::NextAction;
use crate::policy::{after_reset, is_too_long, provider_wait_time};
use crate::time::Timestamp;

/// How a step stands with its agent's provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderPostponement {
    /// Tries in a row that were not served.
    pub postponed: u32,
    /// How long the waits in a row are together.
    pub waited: Duration,
    /// Until when the next try waits, once that is recorded.
    pub waiting_until: Option<Timestamp>,
    /// What the next try has to wait for.
    pub why: Option<AgentOutcome>,
}

impl ProviderPostponement {
    /// A step that a usage limit had ended is opened again, with nothing but what is known of it.
    pub(crate) fn after(outcome: &AgentOutcome) -> Self {
        let why = (outcome.class == OutcomeClass::UsageLimit).then(|| outcome.clone());
        Self { why, ..Self::default() }
    }

    /// A try was not served.
    pub(crate) fn postpone(&mut self, outcome: AgentOutcome) {
        self.postponed += 1;
        self.why = Some(outcome);
    }

    /// The next try waits. A resumed run says once more that it still waits.
    pub(crate) fn wait(&mut self, why: OutcomeClass, until: Timestamp, now: Timestamp) {
        if self.waiting_until != Some(until) {
            self.waited += until.saturating_since(now);
            self.waiting_until = Some(until);
        }
        self.why.get_or_insert(AgentOutcome::of(why));
    }

    /// The wait is over.
    pub(crate) fn try_again(&mut self) {
        self.waiting_until = None;
        self.why = None;
    }

    /// The run goes on after a while. An overload may well be over; a usage limit is not.
    pub(crate) fn resume(&mut self) {
        if self.why.as_ref().is_some_and(|why| why.class != OutcomeClass::UsageLimit) {
            *self = Self::default();
        }
    }

    /// What the step has to do about its provider before its agent is started again.
    pub(crate) fn next(&self, most: Limit<HumanDuration>, now: Timestamp) -> Option<NextAction> {
        let outcome = self.why.as_ref()?;
        let until = match self.waiting_until {
            Some(until) => until,
            None if self.postponed > 0 => {
                now.saturating_add(provider_wait_time(outcome, self.postponed, now))
            }
            // The step was opened again: whoever did that wants it tried as soon as there is hope.
            None => after_reset(outcome)?,
        };
        let left = until.saturating_since(now);
        if left.is_zero() {
            return None;
        }
        let waits = if self.waiting_until.is_some() { Duration::ZERO } else { left };
        if !is_too_long(self.waited + waits, most) {
            return Some(NextAction::Wait { why: outcome.class, until });
        }
        (self.postponed > 0).then(|| NextAction::End(StepEnd::Blocked(outcome.clone())))
    }
}
