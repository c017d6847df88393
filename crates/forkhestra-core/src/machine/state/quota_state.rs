//! What a run knows of the accounts of its agents.

use super::next_backend::{AccountRestriction, NextBackend};
use super::run_state::RunState;
use crate::config::Backend;
use crate::event::WaitCause;
use crate::machine::next_action::NextAction;
use crate::plan::PlanStep;
use crate::quota::ExceededQuota;
use crate::time::Timestamp;

impl RunState {
    /// The back-end whose account a step (one-based) uses. A program uses the one that its output reported.
    pub fn account(&self, step: usize) -> Option<Backend> {
        let direct = self.plan.step(step).and_then(|plan| plan.agent.kind.direct());
        let reported = || self.step(step).and_then(|state| state.reported_backend);
        direct.map(|agent| agent.backend).or_else(reported)
    }

    /// The window of the account that is too full for another agent of a step (one-based), if one
    /// is. A recording uses no account. With a fallback, both accounts have to be too full.
    pub fn exceeded_quota(&self, step: usize, now: Timestamp) -> Option<ExceededQuota> {
        if let Some(choice) = self.next_backend(step, now) {
            return match choice {
                NextBackend::BothBlocked {
                    restriction: AccountRestriction::Quota(exceeded),
                    ..
                } => Some(exceeded),
                _ => None,
            };
        }
        let limits = self.plan.step(step).filter(|plan| uses_account(plan))?.limits.quota.value;
        limits.value()?.exceeded(&self.quotas, self.account(step)?, now)
    }

    /// What a step (one-based) that would start another agent does while this window is too full.
    pub(crate) fn wait_for_quota(
        &self,
        step: usize,
        exceeded: ExceededQuota,
        now: Timestamp,
    ) -> NextAction {
        let max_wait = self.plan.steps[step - 1].limits.max_wait.value;
        self.steps[step - 1].postponement.next_with_quota(exceeded, max_wait, now)
    }

    /// What an open step (one-based) waits for before its next agent, and until when.
    pub fn next_wait(&self, step: usize, now: Timestamp) -> Option<(WaitCause, Timestamp)> {
        match self.next_action(step, now) {
            NextAction::Wait { why, until } => Some((why, until)),
            NextAction::Iterate { .. } => {
                let exceeded = self.exceeded_quota(step, now)?;
                Some((WaitCause::Quota, exceeded.until))
            }
            NextAction::End(_) => None,
        }
    }

    /// What is known of the account of a step (one-based), for people: `5h 62 % · 7d 41 %`.
    pub fn quota_text(&self, step: usize, now: Timestamp) -> Option<String> {
        self.quotas.text(self.account(step)?, now)
    }
}

/// Whether the agent of a step uses an account: a recording does not.
pub(crate) const fn uses_account(plan: &PlanStep) -> bool {
    plan.agent.replay.is_none()
}
