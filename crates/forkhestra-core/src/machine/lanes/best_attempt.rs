//! Best of N: several lanes do the same work, and that of one of them lands.

use super::lane_machine::LaneRest;
use super::lanes_effect::LanesEffect;
use crate::event::{CompletionSignal, EventKind, StepEnd};
use crate::id::{LaneNumber, UnitId};
use crate::machine::effect::Effect;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::Machine;
use crate::plan::{BestOf, BestPick};
use crate::policy::{QueueEntry, QueueInput};

/// A lane that is complete.
#[derive(Debug, Clone)]
struct CompleteAttempt {
    lane: LaneNumber,
    by: CompletionSignal,
    /// Its last iteration.
    unit: UnitId,
}

impl Machine {
    /// How one of the lanes of the current stage is picked; none unless it is best of N.
    pub(super) fn best_of(&self) -> Option<&BestOf> {
        self.plan(self.first_laned_step()?).best.as_ref()
    }

    /// Whether a lane is complete and the first one is picked, so that the others end.
    pub(super) fn is_first_complete(&self) -> bool {
        let is_first = self.best_of().is_some_and(|best| best.pick == BestPick::First);
        let running = self.running_lanes.as_deref().filter(|_| is_first);
        let is_complete =
            |rest: &LaneRest| matches!(rest, LaneRest::StepEnd(end) if end.is_complete());
        running.is_some_and(|running| running.machines().filter_map(Self::resting).any(is_complete))
    }

    /// Lands the work of one lane when none runs anything, and ends the step.
    pub(super) fn decide_best(&mut self, now: Now, step: usize, rests: &[(LaneNumber, LaneRest)]) {
        let complete = self.complete_attempts(step, rests);
        if complete.is_empty() {
            self.end_without_attempt(now, step, rests);
            return;
        }
        let landed = complete.iter().find(|attempt| self.is_settled(attempt));
        if let Some(landed) = landed.cloned() {
            self.leave_lanes(now, step, StepEnd::Complete(landed.by));
            return;
        }
        let Some(picked) = self.picked_attempt(&complete) else {
            self.fetch_attempts(&complete);
            return;
        };
        let running = self.running_lanes.as_deref();
        let known = running.and_then(|running| running.attempts.get(&picked.lane).cloned());
        match known {
            None => self.fetch_attempts(std::slice::from_ref(&picked)),
            Some((_, None)) => self.leave_lanes(now, step, StepEnd::Complete(picked.by)),
            Some((unit, Some(work))) => {
                let (lane, commit) = (picked.lane, work.commit.clone());
                self.emit_in_lane(now, lane, EventKind::WorkQueued { unit, work });
                self.feed_queue(now, QueueInput::Enqueue(QueueEntry { lane, unit, commit }));
            }
        }
    }

    fn complete_attempts(
        &self,
        step: usize,
        rests: &[(LaneNumber, LaneRest)],
    ) -> Vec<CompleteAttempt> {
        let lanes = self.state.lanes.as_deref();
        let complete = rests.iter().filter_map(|(lane, rest)| match rest {
            LaneRest::StepEnd(StepEnd::Complete(by)) => {
                let unit = lanes?.lane(*lane)?.progress.steps[step - 1].after?;
                Some(CompleteAttempt { lane: *lane, by: by.clone(), unit })
            }
            _ => None,
        });
        complete.collect()
    }

    /// Whether the work of a lane has landed.
    fn is_settled(&self, attempt: &CompleteAttempt) -> bool {
        let lane = self.state.lanes.as_deref().and_then(|lanes| lanes.lane(attempt.lane));
        lane.is_some_and(|lane| lane.settled == Some(attempt.unit))
    }

    /// The lane whose work lands; none while the work of lanes is to be compared.
    fn picked_attempt(&self, complete: &[CompleteAttempt]) -> Option<CompleteAttempt> {
        let lanes = self.state.lanes.as_deref()?;
        let picked = match &self.best_of()?.pick {
            BestPick::First | BestPick::Script(_) => complete.first(),
            BestPick::Cheapest => complete.iter().min_by_key(|attempt| {
                let step = attempt.unit.step - 1;
                let spend = lanes.lane(attempt.lane).map(|lane| lane.progress.steps[step].spend);
                let spend = spend.unwrap_or_default();
                // A cost that is not known is no low cost.
                (spend.unpriced, spend.dollars)
            }),
            BestPick::Smallest => {
                let attempts = &self.running_lanes.as_deref()?.attempts;
                if !complete.iter().all(|attempt| attempts.contains_key(&attempt.lane)) {
                    return None;
                }
                complete.iter().min_by_key(|attempt| {
                    let work = attempts.get(&attempt.lane).and_then(|(_, work)| work.as_ref());
                    work.map_or(0, |work| work.added.saturating_add(work.removed))
                })
            }
        };
        picked.cloned()
    }

    /// Fetches the work of lanes, unless it was fetched.
    fn fetch_attempts(&mut self, attempts: &[CompleteAttempt]) {
        let Some(running) = &mut self.running_lanes else { return };
        for CompleteAttempt { lane, unit, .. } in attempts {
            let (lane, unit) = (*lane, *unit);
            if running.attempts.contains_key(&lane) || !running.fetching.insert(lane) {
                continue;
            }
            running.expected.insert(lane);
            self.effects.push(Effect::Lanes(LanesEffect::FetchWork { lane, unit }));
        }
    }

    /// Ends a step of which no lane is complete.
    fn end_without_attempt(&mut self, now: Now, step: usize, rests: &[(LaneNumber, LaneRest)]) {
        let ends = || {
            rests.iter().filter_map(|(_, rest)| match rest {
                LaneRest::StepEnd(end) => Some(end),
                _ => None,
            })
        };
        let fatal = rests.iter().find_map(|(_, rest)| rest.fatal_end());
        match fatal.or_else(|| ends().next()).cloned() {
            Some(_) if ends().count() < rests.len() => self.wake_lanes(now),
            Some(end) => self.leave_lanes(now, step, end),
            None => self.wake_lanes(now),
        }
    }
}
