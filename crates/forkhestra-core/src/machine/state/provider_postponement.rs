//! The postponement of a step's attempts by its agent's provider.

use std::time::Duration;

use crate::event::{AgentOutcome, OutcomeClass, StepEnd};
use crate::limit::{HumanDuration, Limit};
use crate::machine::next_action::NextAction;
use crate::policy::{after_reset, is_too_long, provider_wait_time};
use crate::time::Timestamp;

/// Postponed attempts and waits of a step for its agent's provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderPostponement {
    /// Consecutive postponed attempts.
    pub postponed: u32,
    /// Total length of the consecutive waits.
    pub waited: Duration,
    /// The end of the current wait, once it is recorded.
    pub waiting_until: Option<Timestamp>,
    /// The outcome that the next attempt waits for.
    pub why: Option<AgentOutcome>,
}

impl ProviderPostponement {
    /// The postponement of a reopened step: a usage limit that ended it still holds.
    pub(crate) fn after(outcome: &AgentOutcome) -> Self {
        let why = (outcome.class == OutcomeClass::UsageLimit).then(|| outcome.clone());
        Self { why, ..Self::default() }
    }

    /// Notes a postponed attempt.
    pub(crate) fn postpone(&mut self, outcome: AgentOutcome) {
        self.postponed += 1;
        self.why = Some(outcome);
    }

    /// Notes a wait. A resumed run may record the same wait again.
    pub(crate) fn wait(&mut self, why: OutcomeClass, until: Timestamp, now: Timestamp) {
        if self.waiting_until != Some(until) {
            self.waited += until.saturating_since(now);
            self.waiting_until = Some(until);
        }
        self.why.get_or_insert(AgentOutcome::of(why));
    }

    pub(crate) fn try_again(&mut self) {
        self.waiting_until = None;
        self.why = None;
    }

    /// Applies a resume. An overload may be over by then; a usage limit is not.
    pub(crate) fn resume(&mut self) {
        if self.why.as_ref().is_some_and(|why| why.class != OutcomeClass::UsageLimit) {
            *self = Self::default();
        }
    }

    /// What the step has to do about its provider before its agent is started again.
    pub(crate) fn next(&self, limit: Limit<HumanDuration>, now: Timestamp) -> Option<NextAction> {
        let outcome = self.why.as_ref()?;
        let until = match self.waiting_until {
            Some(until) => until,
            None if self.postponed > 0 => {
                now.saturating_add(provider_wait_time(outcome, self.postponed, now))
            }
            // The step was reopened: it is tried as soon as the limit resets.
            None => after_reset(outcome)?,
        };
        let left = until.saturating_since(now);
        if left.is_zero() {
            return None;
        }
        let waits = if self.waiting_until.is_some() { Duration::ZERO } else { left };
        if !is_too_long(self.waited + waits, limit) {
            return Some(NextAction::Wait { why: outcome.class, until });
        }
        (self.postponed > 0).then(|| NextAction::End(StepEnd::Blocked(outcome.clone())))
    }
}
