//! What an earlier end would have saved: what the run used after it.

use std::time::Duration;

use super::earlier_end::{EarlierEnd, EndPosition, LimitEffect};
use super::limit_savings::LimitSavings;
use super::limit_simulation::{FoundEnd, LimitSimulation, is_report_of, is_spend_of};
use super::recorded_activity::RecordedActivity;
use crate::cost::Spend;
use crate::event::{Event, EventKind};
use crate::id::UnitId;
use crate::machine::{RunState, UnexpectedEvent};

impl LimitSimulation<'_> {
    /// Completes an end with what the run did after it.
    pub(super) fn earlier_end(&self, found: FoundEnd) -> Result<EarlierEnd, UnexpectedEvent> {
        let FoundEnd { effect, step, position, elapsed } = found;
        let running = match (&self.activity, position) {
            (RecordedActivity::AgentRunning { unit, .. }, EndPosition::During(_)) => Some(*unit),
            _ => None,
        };
        let spend = self.spend_by(running, elapsed)?;
        let last = self.state_after(|_| false)?;
        let until = match (&effect, running) {
            (LimitEffect::EndsIteration(_), Some(unit)) => {
                self.state_after(|event| is_report_of(event, unit))?
            }
            (LimitEffect::EndsStep(_), _) => self.state_after(|event| {
                matches!(event.kind, EventKind::StepFinished { step: ended, .. } if ended == step)
            })?,
            _ => last.clone(),
        };
        let mut saved = LimitSavings::between(elapsed, spend.dollars, &until);
        saved.at_least |= spend.dollars != self.recorded.spend().dollars;
        Ok(EarlierEnd {
            effect,
            step,
            position,
            elapsed,
            spend,
            saved,
            later_iterations: last.iterations().saturating_sub(self.recorded.iterations()),
            completed: last.is_completed(),
        })
    }

    /// What the run had spent by then at most. The spend of a running agent is known at some moments
    /// only; the next report bounds it.
    fn spend_by(
        &self,
        running: Option<UnitId>,
        elapsed: Duration,
    ) -> Result<Spend, UnexpectedEvent> {
        let is_exact = self.events[self.index - 1].elapsed >= elapsed;
        let Some(unit) = running.filter(|_| !is_exact) else { return Ok(self.recorded.spend()) };
        let reports = |event: &Event| is_report_of(event, unit) || is_spend_of(event, unit);
        Ok(self.state_after(reports)?.spend())
    }

    /// The recorded state after the next event that matches, or at the end of the events.
    fn state_after(&self, matches: impl Fn(&Event) -> bool) -> Result<RunState, UnexpectedEvent> {
        let mut state = self.recorded.clone();
        for event in &self.events[self.index..] {
            state.apply(event)?;
            if matches(event) {
                break;
            }
        }
        Ok(state)
    }
}
