//! One agent process from the intent to start it until all of its processes are gone.

use std::time::Duration;

use crate::event::{AgentOutcome, CompletionSignal, StopReason};
use crate::id::UnitId;
use crate::limit::Limit;
use crate::machine::process_lifecycle::{DueAction, ProcessLifecycle, ProcessPhase};
use crate::plan::PlanStep;
use crate::policy::{GracePeriods, IdleTimeout};

/// Interval between two probes for the done file.
const DONE_FILE_POLL_INTERVAL: Duration = Duration::from_secs(5);

/// A running agent. All times are on the run's clock.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunningAgent {
    pub(crate) id: UnitId,
    pub(crate) started: Duration,
    /// How it claimed completion.
    pub(crate) request_completion: Option<CompletionSignal>,
    /// The claim in the last emitted event; a claim can be withdrawn.
    pub(crate) completion: Option<CompletionSignal>,
    /// Why it cannot succeed, according to its stream.
    pub(crate) futile: Option<AgentOutcome>,
    pub(crate) lifecycle: ProcessLifecycle,
    pub(crate) idle: Option<IdleTimeout>,
    /// The next probe for the done file, if the step has one.
    next_done_file_poll: Option<Duration>,
    timeout_at: Option<Duration>,
    linger_until: Option<Duration>,
    /// The deadline for its exit after its stream concluded.
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
            next_done_file_poll: is_asked.then_some(now + DONE_FILE_POLL_INTERVAL),
            timeout_at: timeout_at(step, now),
            linger_until: None,
            concluded_until: None,
        }
    }

    /// Applies changed limits to the running agent.
    pub(crate) fn set_limits(&mut self, step: &PlanStep, now: Duration) {
        let limits = &step.limits;
        self.timeout_at = timeout_at(step, self.started);
        self.idle = match (limits.idle_timeout.value, self.idle.take()) {
            (Limit::Off, _) => None,
            (Limit::At(time), None) => Some(IdleTimeout::for_running_agent(time.duration(), now)),
            (Limit::At(time), Some(idle)) => Some(idle.with_limit(time.duration(), now)),
        };
    }

    /// Restarts the idle timeout after a pause, which must not count as idleness.
    pub(crate) fn reset_idle_timeout(&mut self, now: Duration) {
        self.idle.iter_mut().for_each(|idle| idle.restart(now));
    }

    /// Notes that a probe was started and schedules the next one.
    pub(crate) fn observation_started(&mut self, now: Duration) {
        self.idle.iter_mut().for_each(|idle| idle.observation_started(now));
        self.next_done_file_poll = self.next_done_file_poll.map(|_| now + DONE_FILE_POLL_INTERVAL);
    }

    /// Notes a completion claim of an agent that was not being terminated.
    pub(crate) fn request(
        &mut self,
        request: CompletionSignal,
        now: Duration,
        grace_periods: &GracePeriods,
    ) {
        self.completion = Some(request.clone());
        self.request_completion = Some(request);
        self.linger_until = Some(now + grace_periods.after_marker);
    }

    /// Notes that its stream concluded.
    pub(crate) fn conclude(&mut self, until: Duration) {
        self.concluded_until.get_or_insert(until);
    }

    /// Notes that its stream went on after concluding.
    pub(crate) const fn continue_stream(&mut self) {
        self.concluded_until = None;
    }

    /// Withdraws a completion claim that came from a marker.
    pub(crate) fn clear_marker(&mut self) {
        if matches!(self.request_completion, Some(CompletionSignal::Marker(_))) {
            self.request_completion = None;
            self.linger_until = None;
        }
    }

    /// Whether it can still incur cost.
    pub(crate) fn may_spend(&self) -> bool {
        self.lifecycle.phase == ProcessPhase::Running && self.concluded_until.is_none()
    }

    pub(crate) const fn may_request(&self) -> bool {
        self.request_completion.is_none() && self.lifecycle.stop_reason.is_none()
    }

    /// Everything that will be due, in no particular order.
    fn dues(&self) -> impl Iterator<Item = (Duration, DueAction)> {
        let running = self.lifecycle.is_running_unstopped();
        let limits = [
            self.linger_until.map(|at| (at, DueAction::End(StopReason::Lingering))),
            self.concluded_until.map(|at| (at, DueAction::End(StopReason::Lingering))),
            self.timeout_at.map(|at| (at, DueAction::End(StopReason::Timeout))),
            self.idle.as_ref().map(|idle| (idle.next_observation(), DueAction::Observe)),
            self.next_done_file_poll
                .filter(|_| self.request_completion.is_none())
                .map(|at| (at, DueAction::Observe)),
        ];
        let limits = limits.into_iter().flatten().filter(move |_| running);
        limits.chain(self.lifecycle.due())
    }

    /// The earliest action that is due by now.
    pub(crate) fn due(&self, now: Duration) -> Option<DueAction> {
        let due = self.dues().filter(|(at, _)| *at <= now);
        due.min_by_key(|(at, _)| *at).map(|(_, due)| due)
    }

    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.dues().map(|(at, _)| at).min()
    }
}

/// When the timeout of an iteration is over whose agent was started at this time of the run.
pub(crate) fn timeout_at(step: &PlanStep, started: Duration) -> Option<Duration> {
    match step.limits.timeout.value {
        Limit::At(time) => Some(started.saturating_add(time.duration())),
        Limit::Off => None,
    }
}
