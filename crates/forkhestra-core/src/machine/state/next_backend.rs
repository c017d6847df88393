//! Which back-end runs the next agent of a step with a fallback: the primary one, unless a limit of
//! its account holds. If a limit holds for both, the step waits for the one that ends first.

use std::time::Duration;

use super::account_usage_limits::{AccountUsageLimit, is_usage_limit};
use super::provider_postponement::ProviderPostponement;
use super::run_state::RunState;
use crate::config::Backend;
use crate::event::{FallbackReason, FallbackUse, IterationReport, StepEnd, Verdict, WaitCause};
use crate::limit::{HumanDuration, Limit};
use crate::machine::next_action::NextAction;
use crate::plan::{PlanAgent, PlanStep};
use crate::quota::ExceededQuota;
use crate::time::Timestamp;

/// The back-end of the next agent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NextBackend {
    Primary,
    /// The fallback, and why.
    Fallback(FallbackUse),
    /// A limit holds for each of them.
    BothBlocked {
        /// The limit that ends first.
        restriction: AccountRestriction,
        /// The fallback, if its limit ends first, and why the primary one is not used.
        fallback: Option<FallbackUse>,
    },
}

/// A limit of an account that lets no agent start.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AccountRestriction {
    /// The provider has refused an agent.
    UsageLimit(AccountUsageLimit),
    /// A window is fuller than `quota` allows.
    Quota(ExceededQuota),
}

impl AccountRestriction {
    const fn until(&self) -> Timestamp {
        match self {
            Self::UsageLimit(limit) => limit.until,
            Self::Quota(exceeded) => exceeded.until,
        }
    }

    const fn why(&self) -> FallbackReason {
        match self {
            Self::UsageLimit(_) => FallbackReason::UsageLimit,
            Self::Quota(_) => FallbackReason::Quota,
        }
    }

    fn fallback(&self, backend: Backend) -> FallbackUse {
        FallbackUse { backend, why: self.why(), until: self.until() }
    }
}

impl RunState {
    /// Which back-end runs the next agent of a step (one-based); none without a fallback.
    pub(crate) fn next_backend(&self, step: usize, now: Timestamp) -> Option<NextBackend> {
        let plan = self.plan.step(step)?;
        let backend = backend_of(plan.fallback_agent()?)?;
        let restriction = |backend| self.account_restriction(plan, backend, now);
        let Some(primary_limit) = restriction(backend_of(plan.primary_agent())?) else {
            return Some(NextBackend::Primary);
        };
        if self.unusable_fallbacks.contains(&backend) {
            return Some(NextBackend::BothBlocked { restriction: primary_limit, fallback: None });
        }
        let fallback = primary_limit.fallback(backend);
        let Some(fallback_limit) = restriction(backend) else {
            return Some(NextBackend::Fallback(fallback));
        };
        Some(if fallback_limit.until() < primary_limit.until() {
            NextBackend::BothBlocked { restriction: fallback_limit, fallback: Some(fallback) }
        } else {
            NextBackend::BothBlocked { restriction: primary_limit, fallback: None }
        })
    }

    /// The fallback that runs the next agent of a step (one-based); none if its primary back-end does.
    pub(crate) fn next_fallback(&self, step: usize, now: Timestamp) -> Option<FallbackUse> {
        match self.next_backend(step, now)? {
            NextBackend::Primary => None,
            NextBackend::Fallback(fallback) => Some(fallback),
            // A wait ends without the wall clock, too.
            NextBackend::BothBlocked { fallback, .. } => fallback,
        }
    }

    /// The limit of an account that holds for the longest time.
    fn account_restriction(
        &self,
        plan: &PlanStep,
        backend: Backend,
        now: Timestamp,
    ) -> Option<AccountRestriction> {
        let reached = self.usage_limits.holding(backend, now).cloned();
        let quota = plan.limits.quota.value.value();
        let exceeded = quota.and_then(|quota| quota.exceeded(&self.quotas, backend, now));
        let all =
            [reached.map(AccountRestriction::UsageLimit), exceeded.map(AccountRestriction::Quota)];
        all.into_iter().flatten().max_by_key(AccountRestriction::until)
    }

    /// The usage limit that an agent in another lane has heard of, if the next agent of a step
    /// (one-based) works on the same account.
    pub(crate) fn usage_limit_of_account(
        &self,
        step: usize,
        now: Timestamp,
    ) -> Option<NextBackend> {
        let backend = backend_of(&self.plan.step(step)?.agent).filter(|_| self.scope.is_some())?;
        let limit = self.usage_limits.holding(backend, now)?.clone();
        let restriction = AccountRestriction::UsageLimit(limit);
        Some(NextBackend::BothBlocked { restriction, fallback: None })
    }

    /// Whether the fallback of a step (one-based) is used: it has one, and it could work so far.
    pub fn has_usable_fallback(&self, step: usize) -> bool {
        let fallback = self.plan.step(step).and_then(PlanStep::fallback_agent);
        fallback.and_then(backend_of).is_some_and(|other| !self.unusable_fallbacks.contains(&other))
    }

    /// Whether a finished attempt of a step (one-based) shows that its fallback cannot work, such as
    /// without a login.
    pub(crate) fn is_fallback_unusable(&self, step: usize, report: &IterationReport) -> bool {
        let runs_fallback = self.plan.step(step).is_some_and(PlanStep::runs_fallback);
        runs_fallback && report.verdict == Verdict::Blocked
    }

    /// Records whether the provider of a finished attempt of a step (one-based) served it.
    pub(in crate::machine) fn update_usage_limits(
        &mut self,
        step: usize,
        report: &IterationReport,
        now: (Timestamp, Duration),
        started: Option<Duration>,
    ) {
        let Some(backend) = self.plan.step(step).and_then(|plan| backend_of(&plan.agent)) else {
            return;
        };
        if self.is_fallback_unusable(step, report) && !self.unusable_fallbacks.contains(&backend) {
            self.unusable_fallbacks.push(backend);
        }
        let outcome = report.stream_summary.as_ref().map(|summary| &summary.outcome);
        match outcome.filter(|outcome| is_usage_limit(outcome)) {
            Some(outcome) if report.verdict == Verdict::Postponed => {
                self.usage_limits.record_refusal(backend, outcome, now, started);
            }
            _ if report.has_outcome() => self.usage_limits.clear(backend, started),
            _ => {}
        }
    }
}

impl NextBackend {
    /// What a step has to do about the usage limits of its back-ends before its next agent. The quota
    /// is checked after its tasks.
    pub(crate) fn next_action(
        &self,
        postponement: &ProviderPostponement,
        max_wait: Limit<HumanDuration>,
        now: Timestamp,
    ) -> Option<NextAction> {
        let Self::BothBlocked { restriction: AccountRestriction::UsageLimit(limit), .. } = self
        else {
            return None;
        };
        if !postponement.exceeds_max_wait(limit.until, max_wait, now) {
            return Some(NextAction::Wait { why: WaitCause::UsageLimit, until: limit.until });
        }
        let is_refused = limit.refusals > 0;
        is_refused.then(|| NextAction::End(StepEnd::Blocked(limit.outcome.clone())))
    }
}

/// The back-end that runs an agent; none for a recording and for a program.
fn backend_of(agent: &PlanAgent) -> Option<Backend> {
    let direct = agent.kind.direct().filter(|_| agent.replay.is_none());
    direct.map(|direct| direct.backend)
}
