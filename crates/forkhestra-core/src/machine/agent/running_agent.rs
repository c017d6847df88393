//! One agent at work, from the intent to start it until nothing of it is left.

use std::time::Duration;

use crate::event::{AgentOutcome, CompletionSignal, StopReason};
use crate::id::UnitId;
use crate::limit::Limit;
use crate::machine::process_lifecycle::{DueAction, ProcessLifecycle, ProcessPhase};
use crate::plan::PlanStep;
use crate::policy::{GracePeriods, IdleTimeout};

/// How often the done file is looked for while an agent works.
const GLANCE: Duration = Duration::from_secs(5);

/// An agent at work. All times are those of the run's clock.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunningAgent {
    pub(crate) id: UnitId,
    pub(crate) started: Duration,
    /// How it said that its work is done.
    pub(crate) request_completion: Option<CompletionSignal>,
    /// How it last said so in an event, since it may take that back.
    pub(crate) completion: Option<CompletionSignal>,
    /// Why nothing will come of it, as its stream says.
    pub(crate) futile: Option<AgentOutcome>,
    pub(crate) lifecycle: ProcessLifecycle,
    pub(crate) idle: Option<IdleTimeout>,
    /// When to look for its done file next, if its step has one.
    next_glance: Option<Duration>,
    timeout_at: Option<Duration>,
    linger_until: Option<Duration>,
    /// How long it may stay now that its stream says that it is through.
    concluded_until: Option<Duration>,
}

impl RunningAgent {
    pub(crate) fn new(id: UnitId, now: Duration, step: &PlanStep) -> Self {
        let limits = &step.limits;
        let is_asked = step.iterations.is_some() && step.done_file.is_some();
        let at = |limit| match limit {
            Limit::At(time) => Some(crate::limit::HumanDuration::duration(time)),
            Limit::Off => None,
        };
        Self {
            id,
            started: now,
            request_completion: None,
            completion: None,
            futile: None,
            lifecycle: ProcessLifecycle::new(),
            idle: at(limits.idle_timeout.value).map(|limit| IdleTimeout::new(limit, now)),
            next_glance: is_asked.then_some(now + GLANCE),
            timeout_at: at(limits.timeout.value).map(|limit| now.saturating_add(limit)),
            linger_until: None,
            concluded_until: None,
        }
    }

    /// Holds it to other limits than those it was started with.
    pub(crate) fn set_limits(&mut self, step: &PlanStep, now: Duration) {
        let limits = &step.limits;
        self.timeout_at = match limits.timeout.value {
            Limit::At(time) => Some(self.started.saturating_add(time.duration())),
            Limit::Off => None,
        };
        self.idle = match (limits.idle_timeout.value, self.idle.take()) {
            (Limit::Off, _) => None,
            (Limit::At(time), None) => Some(IdleTimeout::of_running(time.duration(), now)),
            (Limit::At(time), Some(idle)) => Some(idle.with_limit(time.duration(), now)),
        };
    }

    /// The agent could do nothing for a while, which must not count as idleness.
    pub(crate) fn reset_idle_timeout(&mut self, now: Duration) {
        self.idle.iter_mut().for_each(|idle| idle.restart(now));
    }

    /// A look is being taken; the next one is due later.
    pub(crate) fn observation_started(&mut self, now: Duration) {
        self.idle.iter_mut().for_each(|idle| idle.observation_started(now));
        self.next_glance = self.next_glance.map(|_| now + GLANCE);
    }

    /// The agent said that its work is done, while nobody had told it to go.
    pub(crate) fn request(
        &mut self,
        request: CompletionSignal,
        now: Duration,
        patience: &GracePeriods,
    ) {
        self.completion = Some(request.clone());
        self.request_completion = Some(request);
        self.linger_until = Some(now + patience.after_marker);
    }

    /// Its stream says that it is through.
    pub(crate) fn conclude(&mut self, until: Duration) {
        self.concluded_until.get_or_insert(until);
    }

    /// Its stream goes on after all.
    pub(crate) const fn continue_stream(&mut self) {
        self.concluded_until = None;
    }

    /// What it said about its work in its output does not count any more.
    pub(crate) fn clear_marker(&mut self) {
        if matches!(self.request_completion, Some(CompletionSignal::Marker(_))) {
            self.request_completion = None;
            self.linger_until = None;
        }
    }

    /// Whether it may go on spending.
    pub(crate) fn may_spend(&self) -> bool {
        self.lifecycle.phase == ProcessPhase::Running && self.concluded_until.is_none()
    }

    pub(crate) const fn may_request(&self) -> bool {
        self.request_completion.is_none() && self.lifecycle.stop_reason.is_none()
    }

    /// Everything that will be due, soonest first or not.
    fn dues(&self) -> impl Iterator<Item = (Duration, DueAction)> {
        let running = self.lifecycle.is_running_unstopped();
        let limits = [
            self.linger_until.map(|at| (at, DueAction::End(StopReason::Lingering))),
            self.concluded_until.map(|at| (at, DueAction::End(StopReason::Lingering))),
            self.timeout_at.map(|at| (at, DueAction::End(StopReason::Timeout))),
            self.idle.as_ref().map(|idle| (idle.next_look(), DueAction::Observe)),
            self.next_glance
                .filter(|_| self.request_completion.is_none())
                .map(|at| (at, DueAction::Observe)),
        ];
        let limits = limits.into_iter().flatten().filter(move |_| running);
        limits.chain(self.lifecycle.due())
    }

    /// The first thing that is due by now.
    pub(crate) fn due(&self, now: Duration) -> Option<DueAction> {
        let due = self.dues().filter(|(at, _)| *at <= now);
        due.min_by_key(|(at, _)| *at).map(|(_, due)| due)
    }

    /// When something is due next.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.dues().map(|(at, _)| at).min()
    }
}
