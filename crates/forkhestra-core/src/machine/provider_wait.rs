//! Waiting for an agent's provider or account until a point in wall-clock time.

use std::time::Duration;

use super::aux_job::hooks::AfterHooks;
use super::machine_phase::MachinePhase;
use super::next_action::NextAction;
use super::run_clock::Now;
use super::state_machine::Machine;
use crate::event::{EventKind, HookMoment, WaitCause};
use crate::hook::HookPoint;
use crate::time::Timestamp;

/// A step that waits for its provider or account.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ProviderWait {
    pub(super) step: usize,
    pub(super) why: WaitCause,
    /// The end of the wait in wall-clock time.
    pub(super) until: Timestamp,
    /// The latest end on the run's clock, in case the wall clock is set back.
    latest: Duration,
}

/// Interval between two readings of the wall clock, since hosts sleep and clocks are set.
const CLOCK_POLL_INTERVAL: Duration = Duration::from_secs(30);

impl Machine {
    /// Lets a step wait, after the hooks for limits if it waits for one.
    pub(super) fn wait(&mut self, now: Now, step: usize, why: WaitCause, until: Timestamp) {
        if why.is_limit() {
            let unit = Some(self.state.steps[step - 1].next_unit(step));
            let moment = HookMoment { point: HookPoint::OnLimit, unit };
            self.run_hooks(now, moment, AfterHooks::Wait { step, why, until });
        } else {
            self.start_provider_wait(now, step, why, until);
        }
    }

    pub(super) fn start_provider_wait(
        &mut self,
        now: Now,
        step: usize,
        why: WaitCause,
        until: Timestamp,
    ) {
        self.emit(now, EventKind::Waiting { step, why, until });
        self.refresh_time(now);
        // The wait never exceeds its planned length, even if the wall clock changes.
        let latest = self.clock.elapsed(now) + until.saturating_since(now.wall);
        self.continue_provider_wait(now, ProviderWait { step, why, until, latest });
    }

    /// Checks whether the wait is over, if a check is due.
    pub(super) fn tick_wait(&mut self, now: Now) {
        let MachinePhase::Waiting { wait, next_clock_poll: check_at } = self.phase else {
            return;
        };
        let ProviderWait { step, until, latest, .. } = wait;
        let elapsed = self.clock.elapsed(now);
        if check_at > elapsed {
            return;
        }
        self.refresh_time(now);
        match self.state.used_up_time(step) {
            Some(end) => self.finish_step(now, step, end),
            None if until <= now.wall || latest <= elapsed => self.finish_wait(now, wait),
            None => self.continue_provider_wait(now, wait),
        }
    }

    /// Goes on after a wait. The tasks may be done by then, or the account may be too full after a wait
    /// for the provider.
    fn finish_wait(&mut self, now: Now, wait: ProviderWait) {
        if wait.why == WaitCause::Quota {
            self.waited_for_quota = Some(wait.until);
        }
        self.start_iteration(now, wait.step);
    }

    /// What a step does next, given that no agent is started while its account is too full.
    pub(super) fn within_quota(&self, now: Now, step: usize, next: NextAction) -> NextAction {
        let exceeded = self.state.exceeded_quota(step, now.wall);
        let exceeded = exceeded.filter(|exceeded| self.waited_for_quota != Some(exceeded.until));
        match (next, exceeded) {
            (NextAction::Iterate { .. }, Some(exceeded)) => {
                self.state.wait_for_quota(step, exceeded, now.wall)
            }
            (next, _) => next,
        }
    }

    /// Schedules an immediate check of the wall clock: the host may have slept.
    pub(super) fn check_calendar(&mut self, now: Now) {
        let elapsed = self.clock.elapsed(now);
        match &mut self.phase {
            MachinePhase::Waiting { next_clock_poll, .. } => *next_clock_poll = elapsed,
            MachinePhase::Asking { next_clock_poll: Some(next_clock_poll), .. } => {
                *next_clock_poll = now.awake;
            }
            MachinePhase::InLanes { .. } => {
                self.with_each(|machine| machine.check_calendar(now));
            }
            _ => {}
        }
    }

    pub(super) fn continue_provider_wait(&mut self, now: Now, wait: ProviderWait) {
        let by_calendar = wait.until.saturating_since(now.wall).min(CLOCK_POLL_INTERVAL);
        let next_check = (self.clock.elapsed(now) + by_calendar).min(wait.latest);
        let time_is_up = self.state.limit_deadlines(wait.step).map(|(at, _)| at).min();
        let check_at = time_is_up.map_or(next_check, |at| at.min(next_check));
        self.phase = MachinePhase::Waiting { wait, next_clock_poll: check_at };
    }
}
