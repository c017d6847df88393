//! The usage limits of accounts that providers reported.

use std::time::Duration;

use crate::config::Backend;
use crate::event::{AgentOutcome, OutcomeClass};
use crate::policy::{after_reset, provider_wait_time};
use crate::time::Timestamp;

/// The usage limits that back-ends have reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AccountUsageLimits {
    reached: Vec<AccountUsageLimit>,
}

/// A usage limit that a back-end has reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AccountUsageLimit {
    backend: Backend,
    /// The outcome of the attempt that was refused.
    pub(crate) outcome: AgentOutcome,
    /// Consecutive refused attempts; zero after a resume, which lets it be tried again.
    pub(crate) refusals: u32,
    /// When it is tried again.
    pub(crate) until: Timestamp,
    /// When it was heard of, on the run's clock.
    heard: Duration,
}

impl AccountUsageLimits {
    /// Records an attempt that the provider refused.
    pub(crate) fn record_refusal(
        &mut self,
        backend: Backend,
        outcome: &AgentOutcome,
        (now, elapsed): (Timestamp, Duration),
        started: Option<Duration>,
    ) {
        let earlier = self.reached.iter().find(|limit| limit.backend == backend);
        // Agents in several lanes can hear of the same limit.
        let is_same = |limit: &AccountUsageLimit| started.is_some_and(|at| at < limit.heard);
        let refusals = match earlier {
            Some(limit) if is_same(limit) => limit.refusals.max(1),
            earlier => earlier.map_or(0, |limit| limit.refusals) + 1,
        };
        let until = now.saturating_add(provider_wait_time(outcome, refusals, now));
        let (outcome, heard) = (outcome.clone(), elapsed);
        self.reached.retain(|limit| limit.backend != backend);
        self.reached.push(AccountUsageLimit { backend, outcome, refusals, until, heard });
    }

    /// Removes the limit of a back-end, whose provider served an attempt. An attempt that had started
    /// before the limit was heard of in another lane says nothing about it.
    pub(crate) fn clear(&mut self, backend: Backend, started: Option<Duration>) {
        let is_older = |limit: &AccountUsageLimit| started.is_some_and(|at| at < limit.heard);
        self.reached.retain(|limit| limit.backend != backend || is_older(limit));
    }

    /// Applies the resume of a step that a usage limit had ended: limits whose reset is known still
    /// hold, and the others are tried.
    pub(crate) fn resume(&mut self) {
        self.reached.retain_mut(|limit| {
            limit.refusals = 0;
            let reset = after_reset(&limit.outcome);
            reset.map(|reset| limit.until = reset).is_some()
        });
    }

    /// The usage limit of a back-end that holds now.
    pub(crate) fn holding(&self, backend: Backend, now: Timestamp) -> Option<&AccountUsageLimit> {
        self.reached.iter().find(|limit| limit.backend == backend && limit.until > now)
    }
}

/// Whether an outcome means that the account of its back-end is used up.
pub(crate) fn is_usage_limit(outcome: &AgentOutcome) -> bool {
    outcome.class == OutcomeClass::UsageLimit
}
