//! The history of a run: all attempts and times from its events, for display.
//!
//! [`RunState`] holds what is needed to go on and drops the rest. [`RunHistory`] folds the same
//! events and keeps everything. It decides nothing.

mod activity_times;
mod attempt_order;
mod execution_status;
mod flow_history;
mod fork_point;
mod iteration_position;
mod iteration_record;
mod lanes;
mod observed_tree;
mod run_activity;
mod snapshot_address;
mod snapshot_timeline;
mod steering;
mod step_history;
mod step_in_flow;
mod step_progress;
mod task_attribution;

use std::ops::Add;

use self::activity_times::{ActivityClock, WallActivity};
use self::attempt_order::AttemptOrder;
use crate::cost::Spend;
use crate::event::{
    CompletionSignal, Event, EventKind, HookReport, OpenTask, RunEnd, StepEnd, TaskCounts,
    WaitCause,
};
use crate::hook::HookPoint;
use crate::machine::{RunState, UnexpectedEvent};
use crate::policy::TaskQuery;
use crate::time::Timestamp;

pub use activity_times::ActivityTimes;
pub use execution_status::{ExecutionStatus, Liveness};
pub use flow_history::{
    ConditionRecord, FlowHistory, QuestionRecord, RefusalSource, RoundRecord, RoundRefusal,
};
pub use fork_point::ForkPoint;
pub use iteration_position::IterationPosition;
pub use iteration_record::IterationRecord;
pub use lanes::landing_counts::LandingCounts;
pub use lanes::landing_record::{
    HeldWorkTree, LandingChecks, LandingRecord, ParkedWork, RefusedLanding,
};
pub use lanes::lane_activity::LaneActivity;
pub use lanes::lanes_history::LanesHistory;
pub use lanes::queue_activity::QueueActivity;
pub use run_activity::RunActivity;
pub use snapshot_address::{SnapshotAddress, SnapshotAddressParseError, SnapshotRange};
pub use snapshot_timeline::{SnapshotLookupError, SnapshotMoment, SnapshotPoint, SnapshotTimeline};
pub use steering::{MessageRecord, PendingWait, SteeringHistory, WaitReason};
pub use step_history::{StepHistory, UnfinishedAgent};
pub use task_attribution::TaskAttribution;

/// Everything that happened in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunHistory {
    /// The folded state.
    pub state: RunState,
    pub steps: Vec<StepHistory>,
    pub started: Timestamp,
    /// When the last event happened.
    pub updated: Timestamp,
    pub ended: Option<Timestamp>,
    /// How often it was resumed.
    pub resumed: u32,
    /// When it was resumed.
    pub resume_times: Vec<Timestamp>,
    /// Whether limits were changed during the run. The plan has only the limits that hold now.
    pub limits_changed: bool,
    pub warnings: Vec<(Timestamp, String)>,
    pub failed_hooks: Vec<HookReport>,
    pub steering: SteeringHistory,
    pub flow: FlowHistory,
    pub snapshots: SnapshotTimeline,
    /// What the run does beside its lanes.
    pub activity: RunActivity,
    pub lanes: LanesHistory,
    /// Task counts after an agent's last change; none before that.
    pub task_counts: Option<TaskCounts>,
    /// The tasks that were open then, as far as they are listed.
    pub open_tasks: Vec<OpenTask>,
    /// The time of its activities up to the last event.
    clock: ActivityClock,
    order: AttemptOrder,
}

/// An event that cannot occur at its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {number} {why}")]
pub struct HistoryMismatch {
    /// The one-based number of the event.
    pub number: usize,
    #[source]
    pub why: UnexpectedEvent,
}

impl RunHistory {
    /// Creates the history from the first event of a run.
    pub fn begin(first: &Event) -> Result<Self, UnexpectedEvent> {
        let state = RunState::begin(first)?;
        let steps = state.plan.steps.iter().map(|_| StepHistory::default()).collect();
        let (started, updated) = (first.at, first.at);
        Ok(Self {
            state,
            steps,
            started,
            updated,
            ended: None,
            resumed: 0,
            resume_times: Vec::new(),
            limits_changed: false,
            warnings: Vec::new(),
            failed_hooks: Vec::new(),
            steering: SteeringHistory::default(),
            flow: FlowHistory::default(),
            snapshots: SnapshotTimeline::default(),
            activity: RunActivity::default(),
            lanes: LanesHistory::default(),
            task_counts: None,
            open_tasks: Vec::new(),
            clock: ActivityClock::default(),
            order: AttemptOrder::default(),
        })
    }

    /// Creates the history from all events.
    pub fn of(events: &[Event]) -> Result<Self, HistoryMismatch> {
        let misfit = |number| move |why| HistoryMismatch { number, why };
        let Some((first, rest)) = events.split_first() else {
            return Err(misfit(1)(UnexpectedEvent::no_events()));
        };
        let mut history = Self::begin(first).map_err(misfit(1))?;
        for (number, event) in (2..).zip(rest) {
            history.apply(event).map_err(misfit(number))?;
        }
        Ok(history)
    }

    /// Folds an event into a history, which begins with the first event of a run.
    pub fn advance<'a>(
        history: &'a mut Option<Self>,
        event: &Event,
    ) -> Result<&'a Self, UnexpectedEvent> {
        match history {
            Some(history) => history.apply(event)?,
            None => *history = Some(Self::begin(event)?),
        }
        Ok(history.as_ref().expect("it has begun"))
    }

    /// Folds an event into the history.
    pub fn apply(&mut self, event: &Event) -> Result<(), UnexpectedEvent> {
        self.state.apply(event)?;
        let before = WallActivity::of(self.activity, &self.lanes);
        self.clock.advance(event, before, self.steering.paused, self.updated);
        self.updated = event.at;
        self.steering.apply(event, &self.state);
        self.flow.apply(event, &self.state);
        self.lanes.apply(event, &self.state);
        if event.lane.is_none() && !self.lanes.is_landing_check(event) {
            self.activity.apply(event);
        }
        self.return_to_question(event);
        let step = event.scope.step().and_then(|number| number.checked_sub(1));
        if let Some((index, step)) =
            step.and_then(|index| Some((index, self.steps.get_mut(index)?)))
        {
            step.apply(event);
            self.order.apply(event, index, step.iterations.len());
        }
        match &event.kind {
            EventKind::RunResumed { .. } => {
                self.resumed += 1;
                self.resume_times.push(event.at);
                self.ended = None;
                let ends = self.state.steps.iter().zip(&mut self.steps);
                ends.for_each(|(state, step)| step.resume(state));
            }
            EventKind::StepStarted { step, observation, .. } => {
                let moment = SnapshotMoment::BeforeStep(*step);
                self.snapshots.add(moment, event.lane, observation);
            }
            EventKind::IterationFinished { unit, report } => {
                let moment = SnapshotMoment::AfterIteration(*unit);
                self.snapshots.add(moment, event.lane, &report.observation);
            }
            EventKind::LimitsChanged { .. } => self.limits_changed = true,
            EventKind::RunFinished { .. } => self.ended = Some(event.at),
            EventKind::Warning { message } => self.warnings.push((event.at, message.clone())),
            EventKind::TasksChanged { changes, .. } => {
                self.task_counts = Some(changes.counts);
                self.open_tasks.clone_from(&changes.open);
            }
            EventKind::StepFinished { step, end: StepEnd::Complete(CompletionSignal::Tasks) } => {
                self.finish_tasks(*step);
            }
            EventKind::HookFinished { report } if report.failure.is_some() => {
                self.failed_hooks.push(report.clone());
            }
            _ => {}
        }
        Ok(())
    }

    /// The run asks again after the hooks that a question calls.
    fn return_to_question(&mut self, event: &Event) {
        let EventKind::HookFinished { report } = &event.kind else { return };
        if report.moment.point == HookPoint::OnQuestion
            && let Some((step, _)) = self.state.open_question()
        {
            self.activity = RunActivity::Asking { step, since: event.at };
        }
    }

    /// The question that a live run asks now.
    pub fn asked_now(&self, liveness: Liveness) -> Option<&QuestionRecord> {
        let is_asking = self.status(liveness) == ExecutionStatus::Running;
        self.open_question().filter(|_| is_asking)
    }

    /// The question without an answer at which the run stands, or stood when it ended.
    pub fn open_question(&self) -> Option<&QuestionRecord> {
        let (_, question) = self.state.open_question()?;
        self.flow.question(question.number)
    }

    /// The status of the run. Whether its process is alive is not in its events.
    pub fn status(&self, liveness: Liveness) -> ExecutionStatus {
        match &self.state.end {
            Some(RunEnd::Complete) => ExecutionStatus::Complete,
            Some(RunEnd::Incomplete { end, .. }) => ExecutionStatus::of(end),
            Some(RunEnd::Interrupted(_)) => ExecutionStatus::Interrupted,
            None => liveness.status(),
        }
    }

    /// Whether `forkhestra stop` ended the run.
    pub fn was_stopped(&self) -> bool {
        matches!(self.state.end, Some(RunEnd::Interrupted(by)) if by.is_stop_request())
    }

    /// Why the run ended, as one word; none before it is over.
    pub fn reason(&self) -> Option<&'static str> {
        Some(match self.state.end.as_ref()? {
            RunEnd::Complete => "complete",
            RunEnd::Incomplete { end, .. } => end.as_str(),
            RunEnd::Interrupted(by) => by.as_str(),
        })
    }

    /// All finished attempts of all steps, in the order in which they ended. In a repeated group it
    /// is not that of the steps.
    pub fn attempts(
        &self,
    ) -> impl DoubleEndedIterator<Item = &IterationRecord> + ExactSizeIterator {
        self.order.attempts(&self.steps)
    }

    /// A finished attempt by its index in that order.
    pub fn attempt(&self, index: usize) -> Option<&IterationRecord> {
        self.order.attempt(&self.steps, index)
    }

    /// What the run has spent, including the running agent; none if it is unknown for every agent.
    pub fn spend(&self) -> Option<Spend> {
        let steps = 1..=self.steps.len();
        steps.filter_map(|number| self.step_spend(number)).reduce(Add::add)
    }

    /// Where the time went, up to the last event.
    pub const fn times(&self) -> ActivityTimes {
        self.clock.times
    }

    /// Notes that all tasks were done when a step ended, also those that a person finished since the
    /// last record.
    fn finish_tasks(&mut self, step: usize) {
        let (plan, state) = (self.state.plan.step(step), self.state.step(step));
        let query = plan.zip(state).map(|(plan, state)| TaskQuery::of(plan, &state.before));
        if query.is_some_and(|query| query.only.is_none()) {
            self.open_tasks.clear();
            let counts = self.task_counts.as_mut();
            counts.into_iter().for_each(|counts| {
                let TaskCounts { total, unreadable, .. } = *counts;
                *counts = TaskCounts { total, done: total, unreadable, ..TaskCounts::default() };
            });
        }
    }

    /// What a run that goes on waits for, and until when.
    pub fn wait_in_progress(&self, liveness: Liveness) -> Option<(WaitCause, Timestamp)> {
        let step = self.current_step().and_then(|number| self.state.step(number))?;
        let wait = step.postponement.wait_in_progress()?;
        (self.status(liveness) == ExecutionStatus::Running).then_some(wait)
    }

    /// The current, last or next step, one-based; none in an empty chain.
    pub fn current_step(&self) -> Option<usize> {
        let last = self.state.steps.len();
        self.state.current_step().or((last > 0).then_some(last))
    }

    /// What the next iteration waits for.
    pub fn pending_wait(&self) -> Option<PendingWait> {
        let (step, what, until) = match self.activity {
            RunActivity::BackingOff { step, crashes, until } => {
                let left = until.saturating_sub(self.state.elapsed);
                (step, WaitReason::Backoff { crashes }, self.updated.saturating_add(left))
            }
            RunActivity::WaitingForProvider { step, why, until } => {
                (step, WaitReason::Provider(why), until)
            }
            _ => return None,
        };
        Some(PendingWait { step, reason: what, until })
    }

    /// Whether an operator skips the current step.
    pub fn is_skipping(&self) -> bool {
        let current = self.state.current_step().and_then(|number| self.state.step(number));
        current.is_some_and(|step| step.skip)
    }
}
