//! The state of a run: the fold of its events.

use std::time::Duration;

use super::account_usage_limits::{AccountUsageLimits, is_usage_limit};
use super::flow_position::FlowPosition;
use super::group_state::GroupState;
use super::limit_change::sets_cost;
use super::pending_feedback::PendingFeedback;
use super::question_state::QuestionState;
use super::step_state::{StepState, StepStatus};
use super::unrestored_files::UnrestoredFiles;
use crate::config::{Backend, OnHookError};
use crate::cost::UnusableFigure;
use crate::event::{
    Event, EventKind, ForkOrigin, HookMoment, HookReport, InheritedStep, LimitChanges, Observation,
    OperatorMessage, RunEnd, StepEnd,
};
use crate::hook::HookPoint;
use crate::id::{RunId, UnitId};
use crate::machine::lanes::lanes_state::LanesState;
use crate::machine::recovery::{RecoveryAction, RecoveryCase};
use crate::plan::{BackendRole, Flow, FlowGroup, Plan, PlanHook, Sourced, StepSandboxes};
use crate::quota::{AccountQuotas, QuotaReading, UNREPORTED_QUOTA};
use crate::time::Timestamp;

/// The state of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunState {
    pub run: RunId,
    /// The plan, with the limits that hold now. A step with a fallback has the agent of its last
    /// attempt.
    pub plan: Plan,
    /// The snapshot of another run with which it began, if it was forked.
    pub origin: Option<ForkOrigin>,
    pub steps: Vec<StepState>,
    /// The groups of its flow, in the order of their numbers.
    pub groups: Vec<GroupState>,
    /// The number of the last question; zero without one.
    pub last_question: u32,
    /// What the next agent of another step should know: why a round was not accepted, or why
    /// another step was not complete.
    pub(in crate::machine) pending_feedback: Option<PendingFeedback>,
    /// Number of its first steps that it does not execute, since the run it was forked from did.
    pub inherited_steps: usize,
    /// How long it has been running: awake and not paused.
    pub elapsed: Duration,
    pub end: Option<RunEnd>,
    /// Number of work trees that are kept.
    pub snapshots: u32,
    /// An operator requested a stop after the current iteration.
    pub stop_requested: bool,
    /// Operator messages for the next agent, in order.
    pub messages: Vec<OperatorMessage>,
    /// The number of the last message; zero without one.
    last_message: u32,
    /// The usage of accounts that agents reported.
    pub quotas: AccountQuotas,
    /// The usage limits of accounts that providers reported.
    pub(crate) usage_limits: AccountUsageLimits,
    /// Protected files that agents changed before they ran again, or were replaced.
    pub(super) unrestored: Vec<UnrestoredFiles>,
    /// Back-ends that could not work as fallbacks. They are not used again before a resume.
    pub(crate) unusable_fallbacks: Vec<Backend>,
    /// Whether a warning was recorded that an agent does not report how full its account is.
    pub(crate) warned_of_quota: bool,
    /// The last agent that was about to be started.
    last_unit: Option<UnitId>,
    /// Hooks that have run since then, by their numbers in the plan.
    hooks: Vec<(HookMoment, usize)>,
    /// The part of the flow that runs in the lane, if this is the progress of one.
    pub(in crate::machine) scope: Option<Flow>,
    /// The lanes of the current stage, or of the last one that had lanes.
    pub lanes: Option<Box<LanesState>>,
}

/// An event that cannot follow the events before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("contradicts the events before it: {0}")]
pub struct UnexpectedEvent(pub(crate) &'static str);

impl UnexpectedEvent {
    pub(crate) const fn no_events() -> Self {
        Self("nothing has happened")
    }
}

impl RunState {
    /// The state of a new run without events.
    pub fn new(run: RunId, plan: Plan) -> Self {
        let steps = plan.steps.iter().map(|_| StepState::new()).collect();
        let groups = plan.flow.iter().flat_map(Flow::groups).map(|_| GroupState::default());
        let groups = groups.collect();
        Self {
            run,
            plan,
            origin: None,
            steps,
            groups,
            last_question: 0,
            pending_feedback: None,
            inherited_steps: 0,
            elapsed: Duration::ZERO,
            end: None,
            snapshots: 0,
            stop_requested: false,
            messages: Vec::new(),
            last_message: 0,
            quotas: AccountQuotas::default(),
            usage_limits: AccountUsageLimits::default(),
            unrestored: Vec::new(),
            unusable_fallbacks: Vec::new(),
            warned_of_quota: false,
            last_unit: None,
            hooks: Vec::new(),
            scope: None,
            lanes: None,
        }
    }

    /// The state of a new run that continues from a snapshot of another one. The inherited steps are
    /// the first ones of the plan, in order.
    pub fn forked(
        run: RunId,
        plan: Plan,
        origin: ForkOrigin,
        inherited: &[InheritedStep],
    ) -> Result<Self, UnexpectedEvent> {
        let mut state = Self { origin: Some(origin), ..Self::new(run, plan) };
        state.inherit(inherited)?;
        Ok(state)
    }

    /// Creates the state from the first event of a run.
    pub fn begin(first: &Event) -> Result<Self, UnexpectedEvent> {
        match &first.kind {
            EventKind::RunStarted { run, plan, origin, inherited, .. } => {
                let new = Self::new(run.clone(), Plan::clone(plan));
                let mut state = Self { origin: origin.clone(), ..new };
                state.inherit(inherited)?;
                Ok(state)
            }
            _ => Err(UnexpectedEvent("a run begins with its plan")),
        }
    }

    /// Ends the first steps as they ended in another run.
    fn inherit(&mut self, inherited: &[InheritedStep]) -> Result<(), UnexpectedEvent> {
        for (number, InheritedStep { step, end }) in (1..).zip(inherited) {
            // A stage of several steps is inherited as a whole, whatever its steps did in it.
            let fits = self.plan.flow.is_some() || end.allows_next_step();
            if *step != number || !fits {
                return Err(UnexpectedEvent("these steps cannot be inherited"));
            }
            self.step_mut(*step)?.status = StepStatus::Ended(end.clone());
        }
        self.inherited_steps = inherited.len();
        Ok(())
    }

    /// The state of a lane at its beginning, in which only a part of the flow runs.
    pub(in crate::machine) fn in_scope(&self, scope: Flow) -> Self {
        Self { scope: Some(scope), lanes: None, ..self.clone() }
    }

    /// Whether this is the progress of a lane.
    pub const fn is_in_lane(&self) -> bool {
        self.scope.is_some()
    }

    /// The inherited steps, each with its end.
    pub(crate) fn inherited(&self) -> Vec<InheritedStep> {
        let steps = (1..).zip(&self.steps).take(self.inherited_steps);
        steps
            .filter_map(|(step, state)| Some(InheritedStep { step, end: state.end()?.clone() }))
            .collect()
    }

    /// Folds an event into the state.
    pub fn apply(&mut self, event: &Event) -> Result<(), UnexpectedEvent> {
        if let Some(lane) = event.lane {
            return self.apply_in_lane(lane, event);
        }
        self.apply_to_run(event)?;
        self.share_with_lanes(event);
        Ok(())
    }

    /// Folds an event into the state itself, without its lanes.
    pub(in crate::machine) fn apply_to_run(
        &mut self,
        event: &Event,
    ) -> Result<(), UnexpectedEvent> {
        if let Some(step) = event.scope.step() {
            self.step_mut(step)?;
        }
        self.advance_time(event.elapsed);
        match &event.kind {
            EventKind::RunStarted { .. } => {
                return Err(UnexpectedEvent("the run has begun already"));
            }
            EventKind::RunResumed { changes, moved_to, sandboxes, .. } => {
                self.interrupt_waits(event.at);
                self.resume(changes);
                sandboxes.iter().for_each(|sandboxes| self.set_sandboxes(sandboxes));
                moved_to.iter().for_each(|directory| self.relocate(directory));
            }
            EventKind::ProgramsRecorded { programs } => {
                self.plan.programs = Some(programs.clone());
            }
            EventKind::StepStarted { step, observation, instead_of } => {
                self.step_mut(*step)?.begin(observation);
                instead_of.iter().for_each(|other| self.note_changed_files(&[*other]));
                self.count_snapshot(observation);
                self.take_pending_feedback(*step, *instead_of);
            }
            EventKind::RoundStarted { group, round } => self.begin_round(*group, *round)?,
            EventKind::RoundChecked { step, group, checks } => {
                self.step_mut(*step)?.round_checks.push((*group, checks.clone()));
            }
            EventKind::RoundRefused { step, group, round, reason, tree } => {
                let feedback = self.round_feedback(*step, *round, reason.as_deref());
                self.refuse_round(*group, feedback, tree.as_ref())?;
            }
            EventKind::ConditionChecked { step, number, holds, .. } => {
                self.note_condition(*step, *number, *holds);
            }
            EventKind::Asked { step, question, until, .. } => {
                let asked = event.at;
                let number_of_step = *step;
                let step = self.step_mut(number_of_step)?;
                // A resume may bring another answer to a question that was denied.
                let is_denied = step.end() == Some(&StepEnd::Denied);
                if is_denied {
                    step.reopen(false);
                }
                let is_same = step.question.as_ref().is_some_and(|open| open.number == *question);
                if !is_same {
                    let (number, until) = (*question, *until);
                    step.question = Some(QuestionState::new(number, asked, until));
                    self.hooks.retain(|(moment, _)| moment.point != HookPoint::OnQuestion);
                }
                self.last_question = self.last_question.max(*question);
                if is_denied {
                    self.reopen_rounds(number_of_step);
                }
            }
            EventKind::Answered { step, answer } => {
                let question = self.step_mut(*step)?.question.as_mut();
                let open = question.filter(|open| open.number == answer.question);
                open.ok_or(UnexpectedEvent("this question was not asked"))?.answer =
                    Some(answer.clone());
            }
            EventKind::Calibrated { step, checks } => {
                self.step_mut(*step)?.calibration = Some(checks.clone());
            }
            EventKind::IterationStarted { unit, fallback } => {
                self.step_mut(unit.step)?.begin_iteration(*unit, event.elapsed);
                self.plan.steps[unit.step - 1].use_backend(BackendRole::of(fallback.as_ref()));
                self.set_last_unit(*unit);
            }
            EventKind::AgentFinished { unit, report } => {
                self.step_mut(unit.step)?.finish_agent(*unit, report);
                self.count_snapshot(&report.observation);
            }
            EventKind::IterationFinished { unit, report } => {
                self.step_mut(unit.step)?.finish_iteration(*unit, report);
                let loops = self.plan.steps[unit.step - 1].iterations.is_some();
                self.steps[unit.step - 1].apply_deferred_resume(loops);
                let started = Some(self.steps[unit.step - 1].started);
                self.update_usage_limits(unit.step, report, (event.at, event.elapsed), started);
                self.count_snapshot(&report.observation);
                self.settle_messages(unit.step, report.has_outcome());
            }
            EventKind::HookFinished { report } => self.note_hook(report),
            EventKind::Surveyed { step, work } => self.step_mut(*step)?.surveyed(work),
            EventKind::StepFinished { step, end } => {
                self.step_mut(*step)?.status = StepStatus::Ended(end.clone());
            }
            EventKind::RunFinished { end } => {
                self.check_end(end)?;
                self.interrupt_waits(event.at);
                self.end = Some(end.clone());
            }
            EventKind::AgentStarted { unit, prompt, .. } => {
                self.step_mut(unit.step)?.prompt = Some(prompt.clone());
            }
            EventKind::TasksChanged { unit, .. } => {
                self.step_mut(unit.step)?.tasks_recorded = Some(*unit);
            }
            EventKind::Spent { unit, spend } => self.step_mut(unit.step)?.spent(*unit, *spend),
            EventKind::Quota { unit, backend, window, used, resets } => {
                self.step_mut(unit.step)?.reported_backend = Some(*backend);
                let (window, used, resets) = (*window, *used, *resets);
                self.quotas.note(*backend, QuotaReading { window, used, resets });
            }
            EventKind::Waiting { step, why, until } => {
                self.step_mut(*step)?.postponement.wait(*why, *until, event.at);
            }
            EventKind::StopRequested => self.stop_requested = true,
            EventKind::SkipRequested { step, group } => {
                self.step_mut(*step)?.skip = true;
                group.iter().for_each(|group| self.skip_group(*group));
            }
            EventKind::MessageQueued { message } => {
                self.last_message = self.last_message.max(message.number);
                self.messages.push(message.clone());
                let questions = self.steps.iter_mut().filter_map(|step| step.question.as_mut());
                questions.for_each(|question| question.note_message(&message.text));
            }
            EventKind::MessagesGiven { unit, messages } => self.give_messages(*unit, messages)?,
            EventKind::LimitsChanged { changes } => {
                self.change_limits(changes);
                if sets_cost(changes) {
                    self.accept_unknown_costs();
                }
            }
            EventKind::Warning { message } if UnusableFigure::is_warning(message) => {
                let at_work = self.steps.iter_mut().filter(|step| step.running.is_some());
                at_work.for_each(|step| step.has_unusable_figure = true);
            }
            EventKind::Warning { message } if message.starts_with(UNREPORTED_QUOTA) => {
                self.warned_of_quota = true;
            }
            EventKind::IntegrationStarted { step, commit } => self.begin_lanes(*step, commit)?,
            EventKind::LanesClosed { .. } => self.close_lanes(),
            EventKind::LaneOpened { .. }
            | EventKind::WorkQueued { .. }
            | EventKind::LandingChecked { .. }
            | EventKind::Landed { .. }
            | EventKind::LandingRefused { .. }
            | EventKind::WorkParked { .. }
            | EventKind::ClaimRefused { .. }
            | EventKind::BroughtForward { .. }
            | EventKind::Held { .. }
            | EventKind::CompletionRequested { .. }
            | EventKind::CheckFinished { .. }
            | EventKind::AuxJobStarted { .. }
            | EventKind::AgentEnding { .. }
            | EventKind::BackingOff { .. }
            | EventKind::Cancelled { .. }
            | EventKind::Paused
            | EventKind::Continued
            | EventKind::MachineSlept { .. }
            | EventKind::Warning { .. } => {}
        }
        Ok(())
    }

    fn interrupt_waits(&mut self, now: Timestamp) {
        self.steps.iter_mut().for_each(|step| step.postponement.interrupt(now));
        let lanes = self.lanes.iter_mut().flat_map(|lanes| &mut lanes.lanes);
        lanes.for_each(|lane| lane.progress.interrupt_waits(now));
    }

    /// A step by its one-based number.
    pub fn step(&self, number: usize) -> Option<&StepState> {
        self.steps.get(number.checked_sub(1)?)
    }

    /// Whether the run is over and every step completed its work: none was skipped.
    pub fn is_completed(&self) -> bool {
        self.end == Some(RunEnd::Complete) && self.skipped_steps() == 0
    }

    fn step_mut(&mut self, number: usize) -> Result<&mut StepState, UnexpectedEvent> {
        if self.end.is_some() {
            return Err(UnexpectedEvent("the run was over"));
        }
        let index = number.checked_sub(1);
        let step = index.and_then(|index| self.steps.get_mut(index));
        step.ok_or(UnexpectedEvent("the plan has no such step"))
    }

    /// Checks that the run can end now, and like this.
    fn check_end(&self, end: &RunEnd) -> Result<(), UnexpectedEvent> {
        let position = self.position();
        let fits = match end {
            RunEnd::Complete => position == FlowPosition::Complete,
            RunEnd::Incomplete { step, .. } => {
                matches!(position, FlowPosition::Incomplete { step: failed, .. } if failed == *step)
            }
            RunEnd::Interrupted(_) => true,
        };
        if self.end.is_some() {
            Err(UnexpectedEvent("the run was over"))
        } else if self.steps.iter().any(|step| step.running.is_some()) {
            Err(UnexpectedEvent("an agent was running"))
        } else if !fits {
            Err(UnexpectedEvent("the steps did not end like this"))
        } else {
            Ok(())
        }
    }

    pub(in crate::machine) fn count_snapshot(&mut self, observation: &Observation) {
        let number =
            observation.snapshot.as_ref().map(|snapshot| snapshot.number.saturating_add(1));
        self.snapshots = self.snapshots.max(number.unwrap_or_default());
    }

    /// Moves waiting messages to the agent that is about to be started.
    fn give_messages(&mut self, unit: UnitId, numbers: &[u32]) -> Result<(), UnexpectedEvent> {
        let step = self.step_mut(unit.step)?;
        if step.running != Some(unit) {
            return Ok(());
        }
        let is_given = |message: &mut OperatorMessage| numbers.contains(&message.number);
        let given: Vec<OperatorMessage> = self.messages.extract_if(.., is_given).collect();
        self.steps[unit.step - 1].given.extend(given);
        Ok(())
    }

    /// Settles the messages of a finished attempt. Without an outcome, the next agent gets them
    /// again.
    fn settle_messages(&mut self, step: usize, has_outcome: bool) {
        let given = std::mem::take(&mut self.steps[step - 1].given);
        if !has_outcome {
            self.messages.splice(0..0, given);
        }
    }

    /// Messages that no agent with an outcome has received.
    pub fn undelivered(&self) -> impl Iterator<Item = &OperatorMessage> {
        self.steps.iter().flat_map(|step| &step.given).chain(&self.messages)
    }

    /// The number of the last message; zero without one.
    pub const fn last_message(&self) -> u32 {
        self.last_message
    }

    /// The last agent that was about to be started.
    pub const fn last_unit(&self) -> Option<UnitId> {
        self.last_unit
    }

    /// Notes the last agent that was about to be started, in any lane.
    pub(in crate::machine) fn set_last_unit(&mut self, unit: UnitId) {
        self.last_unit = Some(unit);
        self.hooks.clear();
    }

    /// Whether a hook, by its number in the plan, has run at a moment.
    pub(crate) fn has_run(&self, moment: HookMoment, number: usize) -> bool {
        self.hooks.contains(&(moment, number))
    }

    /// The last iteration of a step (one-based), if a hook after it has yet to run.
    pub fn awaits_hooks(&self, step: usize) -> Option<UnitId> {
        let unit = self.step(step)?.after?;
        let moment = HookMoment { point: HookPoint::PostIteration, unit: Some(unit) };
        let mut hooks = (1..).zip(&self.plan.hooks);
        let is_due = |(number, hook): (usize, &Sourced<PlanHook>)| {
            hook.value.on == moment.point && !self.has_run(moment, number)
        };
        hooks.any(is_due).then_some(unit)
    }

    /// Notes a finished hook. One that must not fail is called again after a resume, except at the
    /// end of the run, which would never be reached otherwise.
    fn note_hook(&mut self, report: &HookReport) {
        let hook = self.plan.hook(report.number);
        let must_not_fail = hook.is_some_and(|hook| hook.on_error == OnHookError::Abort);
        let is_final = is_end(report.moment, self.last_unit);
        if is_final || !must_not_fail || report.failure.is_none() {
            self.hooks.push((report.moment, report.number));
        }
    }

    pub(crate) fn advance_time(&mut self, elapsed: Duration) {
        let passed = elapsed.saturating_sub(self.elapsed);
        self.elapsed += passed;
        let mut is_any_open = false;
        for step in self.steps.iter_mut().filter(|step| step.status == StepStatus::Open) {
            step.elapsed += passed;
            is_any_open = true;
        }
        if !is_any_open && passed > Duration::ZERO {
            self.advance_time_between_steps(passed);
        }
    }

    /// Adds time in which no step was open to the groups that the run is in: a condition was checked.
    fn advance_time_between_steps(&mut self, passed: Duration) {
        let Some(flow) = &self.plan.flow else { return };
        let position = self.position();
        let is_enclosing = |group: &FlowGroup| match &position {
            FlowPosition::AtStep { step, .. } => group.contains(*step),
            FlowPosition::BeforeRound { group: next, .. } => group.stages.has_group(*next),
            _ => false,
        };
        let enclosing = flow.groups().into_iter().filter(|group| is_enclosing(group));
        let enclosing: Vec<usize> = enclosing.map(|group| group.number).collect();
        for group in enclosing {
            self.groups[group - 1].between_steps += passed;
        }
    }

    /// Carries out the recovery table, once for the run and once for each lane.
    pub(in crate::machine) fn resume(&mut self, changes: &LimitChanges) {
        self.resume_lanes(changes);
        // Resuming clears a pending stop.
        self.stop_requested = false;
        // The user may have logged in.
        self.unusable_fallbacks.clear();
        // Resuming a run that ended for this reason accepts the unknown cost.
        let is_known = self.steps.iter().any(|step| step.end() == Some(&StepEnd::CostUnknown));
        let recovery = RecoveryCase::from_state(self).recovery(changes);
        let ended_group = self.ended_group();
        self.change_limits(changes);
        match recovery {
            RecoveryAction::Nothing => return,
            RecoveryAction::RecordEnd
            | RecoveryAction::BeginRound
            | RecoveryAction::Decide { .. }
            | RecoveryAction::Check(_)
            | RecoveryAction::Begin { .. } => {}
            RecoveryAction::Repeat(unit) => {
                let spends = self.plan.steps[unit.step - 1].agent.kind.reports_spend();
                self.steps[unit.step - 1].cut_off(spends);
                self.settle_messages(unit.step, false);
            }
            RecoveryAction::Reopen { step } => {
                if matches!(self.steps[step - 1].end(), Some(StepEnd::Blocked(why)) if is_usage_limit(why))
                {
                    self.usage_limits.resume();
                }
                let loops = self.plan.steps[step - 1].iterations.is_some();
                self.steps[step - 1].reopen(loops);
            }
        }
        // As stagnation, rounds that changed nothing are forgiven once.
        ended_group.into_iter().for_each(|group| self.groups[group - 1].cycling = false);
        let is_over = self.end.take().is_some();
        if is_over || matches!(recovery, RecoveryAction::Reopen { .. }) {
            // The hooks for the run's end are called again at its next end.
            let last_unit = self.last_unit;
            self.hooks.retain(|(moment, _)| !is_end(*moment, last_unit));
        }
        // What a step has ended with stays, such as the reason why it was replaced.
        for (step, plan) in self.steps.iter_mut().zip(&self.plan.steps) {
            if step.end().is_none() {
                step.resume(plan.iterations.is_some());
            }
        }
        if is_known || sets_cost(changes) {
            self.accept_unknown_costs();
        }
    }

    /// Moves the run to another directory. A copied done file is another file, so the step's
    /// observation from its beginning is void: the step begins again and keeps its finished
    /// iterations.
    fn relocate(&mut self, directory: &str) {
        self.plan.relocate(directory);
        let lanes = self.lanes.iter_mut().flat_map(|lanes| &mut lanes.lanes);
        lanes.for_each(|lane| lane.progress.relocate(directory));
        let with_done_file = self.plan.steps.iter().filter(|step| step.done_file.is_some());
        let open = with_done_file.map(|step| step.number);
        let open = open.filter(|step| self.steps[step - 1].status == StepStatus::Open);
        for step in open.collect::<Vec<_>>() {
            // Only the done file is compared with another beginning.
            self.note_changed_files(&[step]);
            self.steps[step - 1].status = StepStatus::Pending;
        }
    }

    fn set_sandboxes(&mut self, sandboxes: &StepSandboxes) {
        self.plan.set_sandboxes(sandboxes);
        let lanes = self.lanes.iter_mut().flat_map(|lanes| &mut lanes.lanes);
        lanes.for_each(|lane| lane.progress.plan.set_sandboxes(sandboxes));
    }

    /// Adds time that passed unrecorded because the process was killed.
    pub fn add_lost_time(&mut self, duration: Duration) {
        self.advance_time(self.elapsed + duration);
    }
}

/// Whether a moment belongs to the run's end. A limit delays the next agent, or ends the run after
/// the last.
fn is_end(moment: HookMoment, last_unit: Option<UnitId>) -> bool {
    match moment.point {
        HookPoint::PreIteration | HookPoint::PostIteration | HookPoint::OnQuestion => false,
        HookPoint::OnLimit => moment.unit == last_unit,
        HookPoint::OnComplete
        | HookPoint::OnStagnation
        | HookPoint::OnFailure
        | HookPoint::OnInterrupt => true,
    }
}
