//! Limits that end a running agent, its checks or a wait.

use std::time::Duration;

use super::earlier_end::{EndPosition, LimitEffect};
use super::limit_simulation::{
    FoundEnd, LimitSimulation, effect_of_end, is_report_of, is_spend_of,
};
use super::recorded_activity::RecordedActivity;
use crate::config::CompletionRule;
use crate::event::{
    Event, EventKind, IterationReport, Observation, OutputSummary, ProcessEnd, StopReason, Verdict,
};
use crate::id::UnitId;
use crate::machine::RunState;
use crate::machine::next_action::NextAction;
use crate::policy::{EndedAgent, verdict};
use crate::time::Timestamp;

const SIGTERM: i32 = 15;

impl<'a> LimitSimulation<'a> {
    /// A limit of time that is reached before an event, and was not without the other limits.
    pub(super) fn reached_time_limit(&self, event: &Event) -> Option<FoundEnd> {
        let (at, why) = self.activity.reached_time_limit(&self.replaced, event)?;
        let recorded = self.activity.reached_time_limit(&self.recorded, event);
        if recorded.is_some_and(|(recorded, _)| recorded <= at) {
            return None;
        }
        let (step, position) = match &self.activity {
            RecordedActivity::AgentRunning { unit, .. } => return self.agent_end(*unit, why, at),
            RecordedActivity::Waiting { step } => (*step, self.position(*step)),
            RecordedActivity::Other => {
                let unit = event.scope.unit()?;
                (unit.step, EndPosition::During(unit.iteration))
            }
        };
        let mut state = self.replaced.clone();
        state.advance_time(at);
        let effect = effect_of_end(state.clone(), step, state.used_up_time(step)?);
        Some(FoundEnd { effect, step, position, elapsed: at })
    }

    /// Whether a limit ended an agent that would have continued under the other limits.
    pub(super) fn would_continue(&self, event: &Event, unit: UnitId, why: StopReason) -> bool {
        self.is_ended_in(&self.recorded, event, unit, why)
            && !self.is_ended_in(&self.replaced, event, unit, why)
    }

    /// The end of the run by the other limits at the recorded end of an agent.
    pub(super) fn recorded_agent_end(
        &self,
        event: &Event,
        unit: UnitId,
        why: StopReason,
    ) -> Option<FoundEnd> {
        let is_ended = !self.is_ended_in(&self.recorded, event, unit, why)
            && self.is_ended_in(&self.replaced, event, unit, why);
        let end = self.agent_end(unit, why, event.elapsed).filter(|_| is_ended)?;
        (!matches!(end.effect, LimitEffect::EndsIteration(_))).then_some(end)
    }

    /// Whether the limits of a state end the running agent for this reason.
    fn is_ended_in(&self, state: &RunState, event: &Event, unit: UnitId, why: StopReason) -> bool {
        match why {
            StopReason::Timeout
            | StopReason::StepTime
            | StopReason::GroupTime
            | StopReason::RunTime => {
                let deadline = self.activity.deadline_of_agent(state);
                deadline.is_some_and(|until| until <= event.elapsed)
            }
            StopReason::StepCost
            | StopReason::GroupCost
            | StopReason::RunCost
            | StopReason::CostUnknown => state.agent_cost_stop_reason(unit.step, None).is_some(),
            StopReason::Lingering
            | StopReason::Idle
            | StopReason::Futile
            | StopReason::NotPicked
            | StopReason::Skipped
            | StopReason::Cancelled => false,
        }
    }

    /// A cost limit that the running agent reached with this event, unless the agent reported
    /// nothing after it: then it had finished.
    pub(super) fn reached_cost_limit(&self, event: &Event) -> Option<FoundEnd> {
        let EventKind::Spent { unit, .. } = &event.kind else { return None };
        let is_running = matches!(&self.activity, RecordedActivity::AgentRunning { unit: running, .. } if running == unit);
        if !is_running || !self.spends_more(*unit) {
            return None;
        }
        let why = self.replaced.agent_cost_stop_reason(unit.step, None)?;
        match self.recorded.agent_cost_stop_reason(unit.step, None) {
            Some(_) => None,
            None => self.agent_end(*unit, why, event.elapsed),
        }
    }

    /// Whether an agent reports a further spend.
    fn spends_more(&self, of: UnitId) -> bool {
        let rest = self.events[self.index..].iter().take_while(|event| !is_report_of(event, of));
        rest.into_iter().any(|event| is_spend_of(event, of))
    }

    /// The end of a running agent, and what it means for its step: the machine decides about an
    /// iteration that was stopped. A claim that was made before is accepted all the same, so that
    /// nothing is ended.
    fn agent_end(&self, unit: UnitId, why: StopReason, elapsed: Duration) -> Option<FoundEnd> {
        let RecordedActivity::AgentRunning { claim, .. } = &self.activity else { return None };
        let plan = self.replaced.plan.step(unit.step)?;
        let end = ProcessEnd::Signaled(SIGTERM);
        let verdict = verdict(EndedAgent {
            loops: plan.iterations.is_some(),
            counts_markers: plan.counts_markers(),
            end: &end,
            stop_reason: Some(why),
            request: claim.as_ref(),
            stream: None,
            checks_decide: plan.completion.value == CompletionRule::Checks,
        });
        if matches!(verdict, Verdict::Complete(_)) {
            return None;
        }
        let mut state = self.replaced.clone();
        let step = state.step(unit.step)?;
        let report = IterationReport {
            verdict,
            end: Some(end),
            duration: elapsed.saturating_sub(step.started),
            observation: Observation::default(),
            output: OutputSummary::default(),
            stream_summary: self.report_of(unit).and_then(|report| report.stream_summary.clone()),
            spend: step.spending,
            closing_text: None,
            checks: Vec::new(),
        };
        let now = self.wall_time();
        let stopped = EventKind::IterationFinished { unit, report };
        state.apply(&Event::new(now, elapsed, stopped)).ok()?;
        let effect = match state.next_action(unit.step, now) {
            NextAction::End(end) => effect_of_end(state, unit.step, end),
            NextAction::Iterate { .. } | NextAction::Wait { .. } => LimitEffect::EndsIteration(why),
        };
        let position = EndPosition::During(unit.iteration);
        Some(FoundEnd { effect, step: unit.step, position, elapsed })
    }

    /// The recorded report of an iteration that has not ended yet.
    fn report_of(&self, of: UnitId) -> Option<&'a IterationReport> {
        self.events[self.index..].iter().find_map(|event| match &event.kind {
            EventKind::AgentFinished { unit, report }
            | EventKind::IterationFinished { unit, report }
                if *unit == of =>
            {
                Some(report)
            }
            _ => None,
        })
    }

    fn wall_time(&self) -> Timestamp {
        let at = self.index.min(self.events.len() - 1);
        self.events[at].at
    }
}
