//! The postponement of a step's attempts by its agent's provider or account.

use std::time::Duration;

use super::account_usage_limits::is_usage_limit;
use crate::event::{AgentOutcome, OutcomeClass, StepEnd, WaitCause};
use crate::limit::{HumanDuration, Limit};
use crate::machine::next_action::NextAction;
use crate::policy::{after_reset, is_too_long, provider_wait_time};
use crate::quota::ExceededQuota;
use crate::time::Timestamp;

/// Postponed attempts and waits of a step for its agent's provider or account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderPostponement {
    /// Consecutive postponed attempts.
    pub postponed: u32,
    /// Total length of the consecutive waits, with the rest of the current one.
    pub waited: Duration,
    /// The end of the current wait, if `waited` has its rest.
    counted_until: Option<Timestamp>,
    /// The end of the current wait for the provider, once it is recorded.
    pub waiting_until: Option<Timestamp>,
    /// The outcome that the next attempt waits for.
    pub why: Option<AgentOutcome>,
    /// The end of the current wait for the account's quota, once it is recorded.
    pub quota_until: Option<Timestamp>,
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
    pub(crate) fn wait(&mut self, why: WaitCause, until: Timestamp, now: Timestamp) {
        if self.counted_until != Some(until) {
            self.waited = self.waited_until(until, now);
            self.counted_until = Some(until);
        }
        match why.outcome() {
            None => self.quota_until = Some(until),
            Some(class) => {
                self.waiting_until = Some(until);
                self.why.get_or_insert(AgentOutcome::of(class));
            }
        }
    }

    /// Notes that the current wait does not go on: its rest does not count.
    pub(crate) fn interrupt(&mut self, now: Timestamp) {
        self.waited = self.waited_until(now, now);
        self.counted_until = None;
    }

    pub(crate) fn try_again(&mut self) {
        self.waiting_until = None;
        self.counted_until = None;
        self.why = None;
        self.quota_until = None;
    }

    /// What the step waits for, and until when.
    pub fn wait_in_progress(&self) -> Option<(WaitCause, Timestamp)> {
        let quota = self.quota_until.map(|until| (WaitCause::Quota, until));
        quota.or_else(|| Some((WaitCause::of(self.why.as_ref()?.class), self.waiting_until?)))
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
        let waits = if self.counted_until == Some(until) { Duration::ZERO } else { left };
        if !is_too_long(self.waited + waits, limit) {
            return Some(NextAction::Wait { why: WaitCause::of(outcome.class), until });
        }
        (self.postponed > 0).then(|| NextAction::End(StepEnd::Blocked(outcome.clone())))
    }

    /// What the step has to do about a window of the account that is too full.
    pub(crate) fn next_with_quota(
        &self,
        exceeded: ExceededQuota,
        limit: Limit<HumanDuration>,
        now: Timestamp,
    ) -> NextAction {
        let until = exceeded.until;
        if self.exceeds_max_wait(until, limit, now) {
            NextAction::End(StepEnd::Quota(exceeded))
        } else {
            NextAction::Wait { why: WaitCause::Quota, until }
        }
    }

    /// Whether the waits with one that lasts from now until then would be too long.
    pub(crate) fn exceeds_max_wait(
        &self,
        until: Timestamp,
        limit: Limit<HumanDuration>,
        now: Timestamp,
    ) -> bool {
        is_too_long(self.waited_until(until, now), limit)
    }

    /// Whether the next attempt waits for an overloaded provider.
    pub(crate) fn is_for_overload(&self) -> bool {
        self.why.as_ref().is_some_and(|why| !is_usage_limit(why))
    }

    /// Total length of the waits with one that lasts from now until then, which replaces the current
    /// one.
    fn waited_until(&self, until: Timestamp, now: Timestamp) -> Duration {
        let replaced = self.counted_until.map_or(Duration::ZERO, |end| end.saturating_since(now));
        self.waited.saturating_sub(replaced) + until.saturating_since(now)
    }
}
