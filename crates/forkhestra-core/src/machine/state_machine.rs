//! The state machine of a run: the way from step to step. `handle.rs` has the entry.

use std::time::Duration;

use super::agent::running_agent::RunningAgent;
use super::aux_job::hooks::AfterHooks;
use super::effect::Effect;
use super::flow::questions::ResumeAnswer;
use super::lanes::lane_machine::LaneRest;
use super::lanes::machine_role::MachineRole;
use super::lanes::running_lanes::RunningLanes;
use super::machine_phase::MachinePhase;
use super::next_action::NextAction;
use super::operator::pause::PauseState;
use super::recovery::RecoveryCase;
use super::run_clock::{Now, RunClock};
use super::state::flow_position::FlowPosition;
use super::state::run_state::RunState;
use super::state::step_state::StepStatus;
use crate::cost::Spend;
use crate::event::{
    CancelCause, CompletionSignal, EventKind, FileStamp, HookMoment, IterationReport, LimitChanges,
    Observation, OperatorMessage, RunEnd, StepEnd, TaskChanges, Verdict,
};
use crate::hook::HookPoint;
use crate::id::UnitId;
use crate::plan::{PinnedProgram, PlanStep, StepSandboxes};
use crate::policy::{GracePeriods, inspection};
use crate::time::Timestamp;

/// The state machine of one run. [`Machine::handle`] is its entry point.
#[derive(Debug, Clone)]
pub struct Machine {
    pub(super) role: MachineRole,
    pub(super) state: RunState,
    pub(super) clock: RunClock,
    pub(super) phase: MachinePhase,
    /// The end of the last wait for the account's quota. It delays no agent again, even if the
    /// wall clock was set back.
    pub(super) waited_for_quota: Option<Timestamp>,
    /// A done file that was judged already, or existed when the run was resumed.
    pub(super) known_done_file: Option<FileStamp>,
    pub(super) grace_periods: GracePeriods,
    pub(super) pausing: PauseState,
    /// Why the run is being ended.
    pub(super) cancelled: Option<CancelCause>,
    /// The run must end without waiting for anything.
    pub(super) ends_at_once: bool,
    /// Whether the cancellation was repeated.
    pub(super) cancelled_again: bool,
    /// The deadline for hooks at the end of a cancelled run, set when the first one is called.
    pub(super) hooks_until: Option<Duration>,
    first: Option<EventKind>,
    /// Messages kept for a resumed run, to be recorded behind its first event.
    kept_messages: Vec<OperatorMessage>,
    /// The programs of checks and hooks from now on, if a resume accepts changed ones, with a warning.
    accepted_programs: Option<(Vec<PinnedProgram>, Option<String>)>,
    /// The answer that a resume brings, with the step (one-based) whose question it belongs to.
    pub(super) resume_answer: Option<(usize, ResumeAnswer)>,
    /// Changes to the task database by an agent that was cut off with an earlier process.
    interrupted_task_changes: Option<TaskChanges>,
    pub(super) effects: Vec<Effect>,
    /// The lanes of the current stage.
    pub(super) running_lanes: Option<Box<RunningLanes>>,
}

impl Machine {
    /// Creates the machine of a new run; its state has no event yet.
    pub fn new(state: RunState, program: &str, grace_periods: GracePeriods, now: Now) -> Self {
        let first = EventKind::RunStarted {
            run: state.run.clone(),
            plan: Box::new(state.plan.clone()),
            program: program.to_owned(),
            origin: state.origin.clone(),
            inherited: state.inherited(),
        };
        Self::with_first(state, first, grace_periods, now)
    }

    /// Creates the machine of a run that is resumed from a recorded state.
    pub fn resume(
        state: RunState,
        changes: LimitChanges,
        program: &str,
        grace_periods: GracePeriods,
        now: Now,
    ) -> Self {
        let run = state.run.clone();
        let program = program.to_owned();
        let first =
            EventKind::RunResumed { run, program, changes, moved_to: None, sandboxes: None };
        Self::with_first(state, first, grace_periods, now)
    }

    /// Makes a resumed run record that its project was moved to another directory.
    #[must_use]
    pub fn moved_to(mut self, directory: Option<String>) -> Self {
        if let Some(EventKind::RunResumed { moved_to, .. }) = &mut self.first {
            *moved_to = directory;
        }
        self
    }

    /// Makes a resumed run record the sandbox of each step, if it is not as before.
    #[must_use]
    pub fn with_sandboxes(mut self, changed: Option<StepSandboxes>) -> Self {
        if let Some(EventKind::RunResumed { sandboxes, .. }) = &mut self.first {
            *sandboxes = changed;
        }
        self
    }

    /// Makes a resumed run begin with messages that were kept for it.
    #[must_use]
    pub fn with_messages(mut self, messages: Vec<OperatorMessage>) -> Self {
        self.kept_messages = messages;
        self
    }

    /// Makes a resumed run accept the programs of checks and hooks as they are now. The warning names those that changed.
    #[must_use]
    pub fn with_programs(mut self, programs: Vec<PinnedProgram>, warning: Option<String>) -> Self {
        self.accepted_programs = Some((programs, warning));
        self
    }

    /// Makes a resumed run answer its open question, or the one that was denied.
    #[must_use]
    pub fn with_resume_answer(mut self, answer: Option<ResumeAnswer>) -> Self {
        self.resume_answer = self.state.answerable_step().zip(answer);
        self
    }

    /// Whether a resumed run brings the answer to its question.
    pub const fn has_resume_answer(&self) -> bool {
        self.resume_answer.is_some()
    }

    /// The agent that was running when an earlier process of this run was killed. None once the run
    /// goes on.
    pub fn interrupted_unit(&self) -> Option<UnitId> {
        self.first.as_ref()?;
        match RecoveryCase::from_state(&self.state) {
            RecoveryCase::AgentRunning(unit) => Some(unit),
            _ => None,
        }
    }

    /// Makes a resumed run record what that agent changed in the task database.
    pub fn record_interrupted_changes(&mut self, changes: TaskChanges) {
        self.interrupted_task_changes = Some(changes);
    }

    fn with_first(
        state: RunState,
        first: EventKind,
        grace_periods: GracePeriods,
        now: Now,
    ) -> Self {
        Self {
            first: Some(first),
            ..Self::of_role(
                MachineRole::Run,
                RunClock::start(state.elapsed, now),
                grace_periods,
                state,
            )
        }
    }

    /// A machine of a stage of this run, which has the clock of the run.
    pub(super) fn child(&self, role: MachineRole, state: RunState) -> Self {
        Self::of_role(role, self.clock.clone(), self.grace_periods, state)
    }

    /// Takes over what the machine of the run knows of the run as a whole.
    pub(super) fn follow(
        &mut self,
        clock: &RunClock,
        cancelled: Option<CancelCause>,
        ends_at_once: bool,
        cancelled_again: bool,
    ) {
        self.clock = clock.clone();
        self.cancelled = cancelled;
        self.ends_at_once = ends_at_once;
        self.cancelled_again = cancelled_again;
    }

    fn of_role(
        role: MachineRole,
        clock: RunClock,
        grace_periods: GracePeriods,
        state: RunState,
    ) -> Self {
        Self {
            role,
            clock,
            state,
            running_lanes: None,
            phase: MachinePhase::New,
            waited_for_quota: None,
            known_done_file: None,
            grace_periods,
            pausing: PauseState::default(),
            cancelled: None,
            ends_at_once: false,
            cancelled_again: false,
            hooks_until: None,
            first: None,
            kept_messages: Vec::new(),
            accepted_programs: None,
            resume_answer: None,
            interrupted_task_changes: None,
            effects: Vec::new(),
        }
    }

    /// The run's state as folded from its events.
    pub const fn state(&self) -> &RunState {
        &self.state
    }

    /// How the run ended, once it is over.
    pub const fn end(&self) -> Option<&RunEnd> {
        match self.phase {
            MachinePhase::Over => self.state.end.as_ref(),
            _ => None,
        }
    }

    /// How long the run has been running: awake and not paused.
    pub fn elapsed(&self, now: Now) -> Duration {
        self.clock.elapsed(now)
    }

    pub(super) fn begin(&mut self, now: Now) {
        let Some(first) = self.first.take() else { return };
        let was_complete = self.state.end == Some(RunEnd::Complete);
        if was_complete {
            self.close_lanes_again();
            self.phase = MachinePhase::Over;
            return;
        }
        let found = RecoveryCase::from_state(&self.state);
        let spend = match found {
            RecoveryCase::AgentRunning(unit) => self.spend_when_cut_off(unit),
            _ => None,
        };
        let cut_off_in_lanes = self.cut_off_in_lanes();
        self.emit(now, first);
        self.close_lanes_again();
        self.report_cut_off_in_lanes(now, cut_off_in_lanes);
        for message in std::mem::take(&mut self.kept_messages) {
            self.emit(now, EventKind::MessageQueued { message });
        }
        if let Some((programs, warning)) = self.accepted_programs.take() {
            let warning = warning.map(|message| EventKind::Warning { message });
            warning.into_iter().for_each(|warning| self.emit(now, warning));
            self.emit(now, EventKind::ProgramsRecorded { programs });
        }
        let changes = self.interrupted_task_changes.take();
        if let RecoveryCase::AgentRunning(unit) = found {
            self.report_cut_off(now, unit, spend);
            // A change that is recorded before the end of its iteration implies that the agent had
            // finished.
            if let Some(changes) = changes {
                self.emit(now, EventKind::TasksChanged { unit, changes });
            }
        }
        let at = match self.state.position() {
            FlowPosition::AtStep { step, .. } | FlowPosition::Incomplete { step, .. } => Some(step),
            _ => None,
        };
        if self.resume_answer.as_ref().is_some_and(|(step, _)| at != Some(*step)) {
            // It must not answer the question of another round.
            self.resume_answer = None;
        }
        if self.cancelled.is_none() && self.ask_again(now) {
            return;
        }
        self.advance(now);
    }

    fn spend_when_cut_off(&self, unit: UnitId) -> Option<Spend> {
        let spends = self.plan(unit.step).agent.kind.reports_spend();
        self.state.steps[unit.step - 1].interrupted_spend(spends)
    }

    /// Emits the interrupted iteration for readers of the events; the state has counted it already.
    fn report_cut_off(&mut self, now: Now, unit: UnitId, spend: Option<Spend>) {
        let started = self.state.steps[unit.step - 1].started;
        let duration = self.clock.elapsed(now).saturating_sub(started);
        let report = IterationReport::cut_off(duration, spend);
        self.emit(now, EventKind::IterationFinished { unit, report });
    }

    /// Goes to the step where the run is. Rounds begin and end on the way.
    pub(super) fn advance(&mut self, now: Now) {
        loop {
            let position = self.state.position();
            if position == FlowPosition::Complete {
                self.finish(now, RunEnd::Complete);
                return;
            }
            if let Some(by) = self.cancelled {
                self.finish(now, RunEnd::Interrupted(by));
                return;
            }
            if self.should_stop() {
                self.stop(now);
                self.finish(now, RunEnd::Interrupted(CancelCause::Stop));
                return;
            }
            match position {
                FlowPosition::Complete => {}
                FlowPosition::RoundRefused { group, round, step } => {
                    self.refuse_round(now, group, round, step);
                }
                FlowPosition::BeforeRound { group, round, first_step } => {
                    if self.check_group_condition(now, group, first_step) {
                        return;
                    }
                    self.emit(now, EventKind::RoundStarted { group, round });
                }
                FlowPosition::AtStep { step, instead_of: Some(_) } if self.is_not_needed(step) => {
                    // What it would replace has failed.
                    self.emit(now, EventKind::StepFinished { step, end: StepEnd::NotNeeded });
                }
                FlowPosition::AtStep { step, instead_of: None } if self.is_not_needed(step) => {
                    let Some(end) = self.end_with_round_checks(now, step, StepEnd::NotNeeded)
                    else {
                        return;
                    };
                    self.emit(now, EventKind::StepFinished { step, end });
                }
                FlowPosition::AtStep { step, instead_of } => {
                    self.go_to_step(now, step, instead_of);
                    return;
                }
                FlowPosition::Incomplete { step, end } => {
                    self.finish(now, RunEnd::Incomplete { step, end });
                    return;
                }
            }
        }
    }

    /// Begins a step, or continues an open one.
    fn go_to_step(&mut self, now: Now, step: usize, instead_of: Option<usize>) {
        let is_skipped = self.is_skipped(step);
        let is_pending = self.state.steps[step - 1].status == StepStatus::Pending;
        if is_pending && is_skipped {
            self.skip_pending(now, step, instead_of);
        } else if self.is_laned(step) && !self.is_shared(step) {
            self.enter_lanes(now, step);
        } else if is_pending && self.check_condition(now, step) {
            // The condition decides first.
        } else if self.plan(step).is_question() {
            if is_pending {
                let observation = Observation::default();
                self.emit(now, EventKind::StepStarted { step, observation, instead_of });
            }
            self.continue_step(now, step);
        } else if is_pending || (self.may_be_done(step) && !is_skipped) {
            self.observe(step);
        } else {
            self.resume_step(now, step);
        }
    }

    fn observe(&mut self, step: usize) {
        self.phase = MachinePhase::Observing { step };
        self.effects.push(Effect::Observe { step });
    }

    /// Whether the done file of an open step may claim completion that was not noted because the
    /// process was killed or the run was cancelled.
    fn may_be_done(&self, step: usize) -> bool {
        let (plan, state) = (self.plan(step), &self.state.steps[step - 1]);
        let last = state.last.as_ref();
        let is_known = last.is_some_and(|last| matches!(last.verdict, Verdict::Complete(_)));
        let is_asked = plan.iterations.is_some() && plan.done_file.is_some();
        is_asked && !is_known && state.unchecked.is_none()
    }

    pub(super) fn observed(&mut self, now: Now, step: usize, observation: Observation) {
        self.known_done_file = None;
        if self.state.steps[step - 1].status == StepStatus::Pending {
            let instead_of = match self.state.position() {
                FlowPosition::AtStep { instead_of, .. } => instead_of,
                _ => None,
            };
            self.emit(now, EventKind::StepStarted { step, observation, instead_of });
        } else if self.done_file_changed(step, observation.done_file.as_ref()) {
            let plan = self.plan(step);
            if plan.checks.is_empty() && !inspection::is_guarded(plan) {
                self.finish_step(now, step, StepEnd::Complete(CompletionSignal::File));
                return;
            }
            // The file alone decides nothing, and must not end the next agent early.
            self.known_done_file = observation.done_file;
        }
        self.resume_step(now, step);
    }

    /// Goes on with a step. Unchecked work is inspected first, since it is paid for; then hooks run
    /// that the end of the last process prevented.
    pub(super) fn resume_step(&mut self, now: Now, step: usize) {
        let then = AfterHooks::ContinueStep { step };
        match self.state.steps[step - 1].after {
            _ if self.state.steps[step - 1].unchecked.is_some() => self.inspect(now, step),
            Some(unit) => {
                let moment = HookMoment { point: HookPoint::PostIteration, unit: Some(unit) };
                self.run_hooks(now, moment, then);
            }
            None => self.continue_step(now, step),
        }
    }

    pub(super) fn plan(&self, step: usize) -> &PlanStep {
        &self.state.plan.steps[step - 1]
    }

    /// Decides what an open step does next when no agent is running.
    pub(super) fn continue_step(&mut self, now: Now, step: usize) {
        if self.plan(step).is_question() {
            self.continue_question(now, step);
            return;
        }
        if self.is_laned(step) {
            self.continue_laned_step(now, step);
            return;
        }
        if self.await_landing(step, false) {
            return;
        }
        let next = self.next(now, step);
        let is_complete = matches!(&next, NextAction::End(end) if end.is_complete());
        let is_skipped = self.is_skipped(step);
        if !is_complete && !is_skipped && self.should_stop() {
            self.stop(now);
        }
        let goes_on = !matches!(next, NextAction::End(_)) && !is_skipped;
        if goes_on && self.cancelled.is_none() && self.is_held() {
            self.rest(step, LaneRest::Held);
            return;
        }
        match (next, self.cancelled) {
            (NextAction::End(end), _) if end.is_complete() => self.complete_step(now, step, end),
            (_, Some(_)) => self.finish_step(now, step, StepEnd::Cancelled),
            (_, None) if is_skipped => self.finish_step(now, step, StepEnd::Skipped),
            (NextAction::End(StepEnd::MaxIterations), None) => self.end_exhausted_step(now, step),
            (NextAction::End(end), None) => self.finish_step(now, step, end),
            (NextAction::Wait { why, until }, None) => self.wait(now, step, why, until),
            (NextAction::Iterate { delay }, None) if delay.is_zero() => {
                self.start_iteration(now, step);
            }
            (NextAction::Iterate { delay }, None) => {
                let crashes = self.state.steps[step - 1].crashes;
                self.emit(now, EventKind::BackingOff { step, crashes, delay });
                let next_try = self.clock.elapsed(now) + delay;
                // An attempt that starts after the time limit is not waited for.
                let time_is_up = self.state.limit_deadlines(step).map(|(at, _)| at).min();
                let until = time_is_up.map_or(next_try, |at| at.min(next_try));
                self.phase = MachinePhase::BackingOff { step, until };
            }
        }
    }

    /// What an open step would do next, if its tasks and its account allow another agent.
    pub(super) fn next(&mut self, now: Now, step: usize) -> NextAction {
        self.refresh_time(now);
        self.state.next_action(step, now.wall)
    }

    /// Starts the next agent of a step, after the calibration of its checks and the hooks before it. If
    /// its account is too full, the step waits or ends.
    pub(super) fn spawn(&mut self, now: Now, step: usize) {
        let checks = self.checks_before_first(step);
        if !checks.is_empty() {
            self.begin_calibration(now, step, checks);
            return;
        }
        if let Some(end) = self.end_by_green_check(step) {
            self.finish_step(now, step, end);
            return;
        }
        match self.within_quota(now, step, NextAction::Iterate { delay: Duration::ZERO }) {
            NextAction::Iterate { .. } => {
                let Some(unit) = self.reserve_unit(step) else {
                    self.finish_step(now, step, StepEnd::MaxIterations);
                    return;
                };
                let moment = HookMoment { point: HookPoint::PreIteration, unit: Some(unit) };
                self.run_hooks(now, moment, AfterHooks::Spawn { step });
            }
            NextAction::Wait { why, until } => self.wait(now, step, why, until),
            NextAction::End(end) => self.finish_step(now, step, end),
        }
    }

    pub(super) fn start_agent(&mut self, now: Now, step: usize) {
        self.waited_for_quota = None;
        let Some(unit) = self.take_reserved_unit(step) else { return };
        let fallback = self.state.next_fallback(step, now.wall);
        self.emit(now, EventKind::IterationStarted { unit, fallback });
        let messages: Vec<u32> = self.state.messages.iter().map(|message| message.number).collect();
        if !messages.is_empty() {
            self.emit(now, EventKind::MessagesGiven { unit, messages });
        }
        let elapsed = self.clock.elapsed(now);
        self.phase =
            MachinePhase::AgentRunning(Box::new(RunningAgent::new(unit, elapsed, self.plan(step))));
        self.effects.push(Effect::Spawn { unit });
    }

    /// Records the end of a step, and begins what comes after it.
    pub(super) fn end_step(&mut self, now: Now, step: usize, end: StepEnd) {
        self.emit(now, EventKind::StepFinished { step, end: end.clone() });
        match (end, self.cancelled, self.state.position()) {
            (StepEnd::Cancelled, Some(by), _) => self.finish(now, RunEnd::Interrupted(by)),
            (_, _, FlowPosition::Incomplete { step, end }) => {
                self.finish(now, RunEnd::Incomplete { step, end });
            }
            _ => self.advance(now),
        }
    }

    pub(super) fn record_end(&mut self, now: Now, end: RunEnd) {
        self.emit(now, EventKind::RunFinished { end });
        self.phase = MachinePhase::Over;
    }

    /// Runs the lanes of an open step, after the calibration of its checks.
    fn continue_laned_step(&mut self, now: Now, step: usize) {
        if self.cancelled.is_some() {
            self.leave_lanes(now, step, StepEnd::Cancelled);
        } else if self.is_skipped(step) {
            self.leave_lanes(now, step, StepEnd::Skipped);
        } else if self.should_stop() {
            self.stop(now);
            self.leave_lanes(now, step, StepEnd::Cancelled);
        } else {
            let checks = self.checks_before_first(step);
            if !checks.is_empty() {
                self.begin_calibration(now, step, checks);
            } else if let Some(end) = self.end_by_green_check(step) {
                self.finish_step(now, step, end);
            } else {
                self.enter_lanes(now, step);
            }
        }
    }

    pub(super) fn cancel(&mut self, now: Now, by: CancelCause) {
        let was_paused = self.clear_pause(now);
        let again = by.is_urgent_after(self.cancelled);
        self.cancelled = self.cancelled.max(Some(by));
        self.cancelled_again |= again;
        self.ends_at_once |= again || by == CancelCause::GuardLost;
        self.emit(now, EventKind::Cancelled { by });
        // Inputs deferred by a pause start nothing any more, but are still handled.
        if was_paused {
            self.handle_paused_inputs(now);
        }
        self.cancel_phase(now, by, again);
    }

    /// Ends what the machine waits for, because the run is cancelled.
    fn cancel_phase(&mut self, now: Now, by: CancelCause, again: bool) {
        match &self.phase {
            MachinePhase::AgentRunning(_) => self.end_cancelled_agent(now, by, again),
            MachinePhase::InLanes { step } => {
                let step = *step;
                self.with_each(|machine| machine.cancel_phase(now, by, again));
                // Nothing has begun that would have to end.
                if self.running_lanes.as_ref().is_none_or(|running| running.is_empty()) {
                    self.leave_lanes(now, step, StepEnd::Cancelled);
                }
            }
            MachinePhase::AwaitingLanding { unit } => {
                let step = unit.step;
                self.advance_or_continue(now, step);
            }
            MachinePhase::BackingOff { .. }
            | MachinePhase::PollingTasks { .. }
            | MachinePhase::Waiting { .. }
            | MachinePhase::Asking { .. }
            | MachinePhase::Advancing { .. }
            | MachinePhase::Observing { .. } => self.abort_wait(now),
            MachinePhase::Inspecting(inspection) if inspection.is_observing() => {
                self.stop_observing(now);
            }
            MachinePhase::Inspecting(inspection) if inspection.aux_job().is_none() => {
                self.defer_checks(now, StepEnd::Cancelled);
            }
            MachinePhase::Inspecting(_) | MachinePhase::RunningHooks(_) => {
                self.end_cancelled_aux_job(now, by, again);
            }
            MachinePhase::Surveying { step, .. } => {
                let step = *step;
                self.surveyed(now, step, None);
            }
            MachinePhase::New
            | MachinePhase::Resting(_)
            | MachinePhase::Checked { .. }
            | MachinePhase::Over => {}
        }
    }
}
