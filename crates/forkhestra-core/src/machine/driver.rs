//! The machine itself: where a run stands, and what to do about what happens.

use std::time::Duration;

use super::clock::{Clock, Now};
use super::effect::Effect;
use super::hooking::{Hooking, Then};
use super::input::Input;
use super::inspection::Inspection;
use super::job::Job;
use super::next::{Next, Situation, is_used_up, next};
use super::pausing::Pausing;
use super::provider_wait::Wait;
use super::recovery::Found;
use super::state::RunState;
use super::step_state::StepStatus;
use super::unit::Unit;
use crate::cost::Spend;
use crate::event::{
    Cancel, Completion, Event, EventKind, IterationReport, LimitChanges, Message, Moment,
    OutcomeClass, OutputSummary, RunEnd, Sight, Stamp, StepEnd, TaskChanges, Verdict,
};
use crate::hook::HookPoint;
use crate::id::UnitId;
use crate::plan::Step;
use crate::policy::{Patience, inspection};

/// Runs one plan.
#[derive(Debug, Clone)]
pub struct Machine {
    pub(super) state: RunState,
    pub(super) clock: Clock,
    pub(super) phase: Phase,
    pub(super) patience: Patience,
    pub(super) pausing: Pausing,
    /// Who wants the run to end.
    pub(super) cancelled: Option<Cancel>,
    /// Somebody does not want to wait for anything any more.
    pub(super) hurried: bool,
    /// Whether a person or a program asked a second time to end the run.
    pub(super) insisted: bool,
    /// When hooks at the end must be over, once the first one was called after somebody cancelled.
    pub(super) hooks_until: Option<Duration>,
    /// A done file that has been judged already, or was there when the run went on.
    pub(super) known_file: Option<Stamp>,
    first: Option<EventKind>,
    /// Messages that were kept for a run that goes on, to be recorded behind its first event.
    kept_messages: Vec<Message>,
    /// What an agent that was cut off with an earlier process changed in the task database.
    changes_when_cut_off: Option<TaskChanges>,
    pub(super) effects: Vec<Effect>,
}

/// What the machine is waiting for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Phase {
    /// To begin.
    New,
    /// To see what is there before a step, or before it goes on after a resume.
    Looking { step: usize },
    /// For the time to try again.
    BackingOff { step: usize, until: Duration },
    /// For the agent's provider, until a moment of the calendar, which is looked at before that.
    Waiting { wait: Wait, look_at: Duration },
    /// For an agent.
    Working(Box<Unit>),
    /// For checks of what an agent made.
    Inspecting(Box<Inspection>),
    /// For the task database; and how the step ends, unless the tasks say something else.
    Asking { step: usize, otherwise: Option<StepEnd> },
    /// For a command of the user's.
    Hooking(Box<Hooking>),
    /// To see what was made in a step that is about to end.
    Surveying { step: usize, end: StepEnd, until: Duration },
    /// For nothing.
    Over,
}

impl Phase {
    /// The errand at work.
    pub(super) fn job(&self) -> Option<&Job> {
        match self {
            Self::Inspecting(inspection) => inspection.job(),
            Self::Hooking(hooking) => Some(&hooking.job),
            _ => None,
        }
    }
}

impl Machine {
    /// A new run; its state has no event yet.
    pub fn new(state: RunState, program: &str, patience: Patience, now: Now) -> Self {
        let first = EventKind::RunStarted {
            run: state.run.clone(),
            plan: Box::new(state.plan.clone()),
            program: program.to_owned(),
        };
        Self::with_first(state, first, patience, now)
    }

    /// A run that goes on from a recorded state.
    pub fn resume(
        state: RunState,
        changes: LimitChanges,
        program: &str,
        patience: Patience,
        now: Now,
    ) -> Self {
        let run = state.run.clone();
        let program = program.to_owned();
        let first = EventKind::RunResumed { run, changes, moved_to: None, program };
        Self::with_first(state, first, patience, now)
    }

    /// Has a run that goes on take note that its project is at another place by now.
    #[must_use]
    pub fn moved_to(mut self, directory: Option<String>) -> Self {
        if let Some(EventKind::RunResumed { moved_to, .. }) = &mut self.first {
            *moved_to = directory;
        }
        self
    }

    /// Has a run that goes on begin with messages that were kept for it.
    #[must_use]
    pub fn with_messages(mut self, messages: Vec<Message>) -> Self {
        self.kept_messages = messages;
        self
    }

    /// The agent that was at work when an earlier process of this run was killed. None once the run
    /// goes on.
    pub fn cut_off(&self) -> Option<UnitId> {
        self.first.as_ref()?;
        match Found::of(&self.state) {
            Found::AtWork(unit) => Some(unit),
            _ => None,
        }
    }

    /// Has a run that goes on record what that agent changed in the task database.
    pub fn note_changes_when_cut_off(&mut self, changes: TaskChanges) {
        self.changes_when_cut_off = Some(changes);
    }

    fn with_first(state: RunState, first: EventKind, patience: Patience, now: Now) -> Self {
        Self {
            clock: Clock::start(state.elapsed, now),
            state,
            phase: Phase::New,
            patience,
            pausing: Pausing::default(),
            cancelled: None,
            hurried: false,
            insisted: false,
            hooks_until: None,
            known_file: None,
            first: Some(first),
            kept_messages: Vec::new(),
            changes_when_cut_off: None,
            effects: Vec::new(),
        }
    }

    /// The run as its events tell it.
    pub const fn state(&self) -> &RunState {
        &self.state
    }

    /// How the run ended, once it is over.
    pub const fn end(&self) -> Option<&RunEnd> {
        match self.phase {
            Phase::Over => self.state.end.as_ref(),
            _ => None,
        }
    }

    /// How long the run has been running: awake, and not paused.
    pub fn elapsed(&self, now: Now) -> Duration {
        self.clock.elapsed(now)
    }

    /// Takes an input in, and says what to do about it, in order.
    pub fn handle(&mut self, now: Now, input: Input) -> Vec<Effect> {
        self.take_in(now, input);
        std::mem::take(&mut self.effects)
    }

    /// Handles an input that nothing speaks against.
    pub(super) fn act_on(&mut self, now: Now, input: Input) {
        match input {
            Input::Asked { ticket, request } => self.asked(now, ticket, request),
            // Nothing may come after the last event, whatever still happens.
            _ if self.phase == Phase::Over => {}
            // Nothing may come before the first event, but what is wanted is not forgotten.
            Input::Cancel(by) if self.phase == Phase::New => {
                self.cancelled = self.cancelled.max(Some(by));
            }
            input if self.phase == Phase::New && input != Input::Begin => {}
            Input::Begin => {
                self.begin(now);
                self.handle_kept(now);
            }
            Input::Looked { step, sight } if self.phase == Phase::Looking { step } => {
                self.looked(now, step, sight);
            }
            Input::Tick => self.tick(now),
            Input::Cancel(by) => self.cancel(now, by),
            Input::Pause => self.suspend(now),
            Input::Continue => self.go_on_after_suspension(now),
            Input::Slept(duration) => {
                self.emit(now, EventKind::MachineSlept { duration });
                self.begin_idle_anew(now);
                self.look_at_calendar(now);
            }
            Input::Noticed(message) => self.emit(now, EventKind::Warning { message }),
            Input::TasksChanged { unit, changes } => self.tasks_changed(now, unit, changes),
            Input::LookedAfter { unit, sight } => self.looked_after(now, unit, sight),
            Input::RoomPrepared { unit, failure } => self.room_prepared(now, unit, failure),
            Input::Surveyed { step, work } => self.surveyed(now, step, work),
            Input::TasksTold { step, work } => self.tasks_told(now, step, &work),
            errand @ (Input::ErrandStarted { .. }
            | Input::ErrandExited { .. }
            | Input::ErrandGone { .. }
            | Input::ErrandSettled { .. }) => self.handle_errand(now, errand),
            other => self.handle_agent(now, other),
        }
    }

    /// When to say `Tick` at the latest, on the caller's clock of awake time.
    pub fn deadline(&self) -> Option<Duration> {
        let due = match &self.phase {
            Phase::BackingOff { until, .. } => Some(*until),
            Phase::Waiting { look_at, .. } => Some(*look_at),
            Phase::Working(unit) => {
                [unit.deadline(), self.time_limit(unit)].into_iter().flatten().min()
            }
            Phase::Inspecting(_) | Phase::Hooking(_) => self.job_deadline(),
            Phase::Surveying { until, .. } => Some(*until),
            Phase::New | Phase::Looking { .. } | Phase::Asking { .. } | Phase::Over => None,
        };
        self.clock.awake_at(due?)
    }

    fn begin(&mut self, now: Now) {
        let Some(first) = self.first.take() else { return };
        let was_complete = self.state.end == Some(RunEnd::Complete);
        if was_complete {
            self.phase = Phase::Over;
            return;
        }
        let found = Found::of(&self.state);
        let spend = match found {
            Found::AtWork(unit) => self.spend_when_cut_off(unit),
            _ => None,
        };
        self.emit(now, first);
        for message in std::mem::take(&mut self.kept_messages) {
            self.emit(now, EventKind::MessageQueued { message });
        }
        let changes = self.changes_when_cut_off.take();
        if let Found::AtWork(unit) = found {
            self.report_cut_off(now, unit, spend);
            // A change that comes before the end of its iteration means that the agent was gone.
            if let Some(changes) = changes {
                self.emit(now, EventKind::TasksChanged { unit, changes });
            }
        }
        self.advance(now);
    }

    fn spend_when_cut_off(&self, unit: UnitId) -> Option<Spend> {
        let spends = self.plan(unit.step).agent.kind.spends();
        self.state.steps[unit.step - 1].spend_when_cut_off(spends)
    }

    /// Tells whoever reads the events what the state knows already: this agent was cut off with us.
    fn report_cut_off(&mut self, now: Now, unit: UnitId, spend: Option<Spend>) {
        let started = self.state.steps[unit.step - 1].started;
        let report = IterationReport {
            verdict: Verdict::Interrupted,
            end: None,
            duration: self.clock.elapsed(now).saturating_sub(started),
            sight: Sight::default(),
            output: OutputSummary::default(),
            heard: None,
            spend,
            checks: Vec::new(),
        };
        self.emit(now, EventKind::IterationFinished { unit, report });
    }

    /// Goes to the first step whose work is not done.
    pub(super) fn advance(&mut self, now: Now) {
        let Some(step) = self.state.current_step() else {
            self.finish(now, RunEnd::Complete);
            return;
        };
        if let Some(by) = self.cancelled {
            self.finish(now, RunEnd::Interrupted(by));
            return;
        }
        if self.should_stop() {
            self.stop(now);
            self.finish(now, RunEnd::Interrupted(Cancel::Stop));
            return;
        }
        let is_skipped = self.is_skipped(step);
        match self.state.steps[step - 1].status.clone() {
            StepStatus::Pending if is_skipped => self.skip_pending(now, step),
            StepStatus::Pending => self.look(step),
            StepStatus::Open if self.may_be_done(step) && !is_skipped => self.look(step),
            StepStatus::Open => self.take_up(now, step),
            // We died before this could be said of the run.
            StepStatus::Ended(end) => self.finish(now, RunEnd::Incomplete { step, end }),
        }
    }

    fn look(&mut self, step: usize) {
        self.phase = Phase::Looking { step };
        self.effects.push(Effect::Look { step });
    }

    /// Whether the done file of an open step may say that it is done, of which nobody took note
    /// because we were killed or cancelled.
    fn may_be_done(&self, step: usize) -> bool {
        let (plan, state) = (self.plan(step), &self.state.steps[step - 1]);
        let last = state.last.as_ref();
        let is_known = last.is_some_and(|last| matches!(last.verdict, Verdict::Complete(_)));
        let is_asked = plan.iterations.is_some() && plan.done_file.is_some();
        is_asked && !is_known && state.unchecked.is_none()
    }

    fn looked(&mut self, now: Now, step: usize, sight: Sight) {
        self.known_file = None;
        if self.state.steps[step - 1].status == StepStatus::Pending {
            self.emit(now, EventKind::StepStarted { step, sight });
        } else if self.done_file_changed(step, sight.done_file.as_ref()) {
            let plan = self.plan(step);
            if plan.checks.is_empty() && !inspection::is_guarded(plan) {
                self.finish_step(now, step, StepEnd::Complete(Completion::File));
                return;
            }
            // It alone decides nothing, and must not end the next agent early.
            self.known_file = sight.done_file;
        }
        self.take_up(now, step);
    }

    /// Goes on with a step. What an agent made is checked first, since it is paid for; then come hooks
    /// that an end of ours has kept from being called.
    pub(super) fn take_up(&mut self, now: Now, step: usize) {
        let then = Then::GoOn { step };
        match self.state.steps[step - 1].after {
            _ if self.state.steps[step - 1].unchecked.is_some() => self.inspect(now, step),
            Some(unit) => {
                let moment = Moment { point: HookPoint::PostIteration, unit: Some(unit) };
                self.at_moment(now, moment, then);
            }
            None => self.go_on(now, step),
        }
    }

    pub(super) fn plan(&self, step: usize) -> &Step {
        &self.state.plan.steps[step - 1]
    }

    /// Decides what an open step does next, now that no agent is at work.
    pub(super) fn go_on(&mut self, now: Now, step: usize) {
        let next = self.next(now, step);
        let is_complete = matches!(&next, Next::End(end) if end.is_complete());
        let is_skipped = self.is_skipped(step);
        if !is_complete && !is_skipped && self.should_stop() {
            self.stop(now);
        }
        match (next, self.cancelled) {
            (Next::End(end), _) if end.is_complete() => self.complete(now, step, end),
            (_, Some(_)) => self.finish_step(now, step, StepEnd::Cancelled),
            (_, None) if is_skipped => self.finish_step(now, step, StepEnd::Skipped),
            (Next::End(StepEnd::MaxIterations), None) => self.exhaust(now, step),
            (Next::End(end), None) => self.finish_step(now, step, end),
            (Next::Wait { why: why @ OutcomeClass::UsageLimit, until }, None) => {
                let unit = Some(self.state.steps[step - 1].next_unit(step));
                let moment = Moment { point: HookPoint::OnLimit, unit };
                self.at_moment(now, moment, Then::Wait { step, why, until });
            }
            (Next::Wait { why, until }, None) => self.wait(now, step, why, until),
            (Next::Iterate { delay }, None) if delay.is_zero() => self.iterate(now, step),
            (Next::Iterate { delay }, None) => {
                let crashes = self.state.steps[step - 1].crashes;
                self.emit(now, EventKind::BackingOff { step, crashes, delay });
                let next_try = self.clock.elapsed(now) + delay;
                // Nobody waits for a try that there will be no time for.
                let time_is_up = self.moments(step).map(|(at, _)| at).min();
                let until = time_is_up.map_or(next_try, |at| at.min(next_try));
                self.phase = Phase::BackingOff { step, until };
            }
        }
    }

    /// What an open step would do next, now that no agent is at work.
    pub(super) fn next(&mut self, now: Now, step: usize) -> Next {
        self.refresh_time(now);
        let run_time_left = !is_used_up(self.state.elapsed, self.state.plan.limits.time.value);
        next(Situation {
            step: &self.state.steps[step - 1],
            plan: self.plan(step),
            run_time_left,
            cost: self.state.cost_is_up(step),
            now: now.wall,
        })
    }

    /// Starts the next agent of a step, once the hooks before it have run.
    pub(super) fn spawn(&mut self, now: Now, step: usize) {
        let unit = Some(self.state.steps[step - 1].next_unit(step));
        let moment = Moment { point: HookPoint::PreIteration, unit };
        self.at_moment(now, moment, Then::Spawn { step });
    }

    pub(super) fn start_agent(&mut self, now: Now, step: usize) {
        let unit = self.state.steps[step - 1].next_unit(step);
        self.emit(now, EventKind::IterationStarted { unit });
        let messages: Vec<u32> = self.state.messages.iter().map(|message| message.number).collect();
        if !messages.is_empty() {
            self.emit(now, EventKind::MessagesGiven { unit, messages });
        }
        let elapsed = self.clock.elapsed(now);
        self.phase = Phase::Working(Box::new(Unit::new(unit, elapsed, self.plan(step))));
        self.effects.push(Effect::Spawn { unit });
    }

    pub(super) fn end_step(&mut self, now: Now, step: usize, end: StepEnd) {
        self.emit(now, EventKind::StepFinished { step, end: end.clone() });
        match (end, self.cancelled) {
            (end, _) if end.is_behind() => self.advance(now),
            (StepEnd::Cancelled, Some(by)) => self.finish(now, RunEnd::Interrupted(by)),
            (end, _) => self.finish(now, RunEnd::Incomplete { step, end }),
        }
    }

    pub(super) fn record_end(&mut self, now: Now, end: RunEnd) {
        self.emit(now, EventKind::RunFinished { end });
        self.phase = Phase::Over;
    }

    fn tick(&mut self, now: Now) {
        match self.phase {
            Phase::BackingOff { step, until } if until <= self.clock.elapsed(now) => {
                self.refresh_time(now);
                match self.time_is_up(step) {
                    Some(end) => self.finish_step(now, step, end),
                    None => self.iterate(now, step),
                }
            }
            Phase::Waiting { .. } => self.tick_wait(now),
            Phase::Working(_) => self.tick_agent(now),
            Phase::Inspecting(_) | Phase::Hooking(_) => self.tick_job(now),
            Phase::Surveying { step, until, .. } if until <= self.clock.elapsed(now) => {
                self.surveyed(now, step, None);
            }
            Phase::Surveying { .. } => {}
            Phase::New
            | Phase::Looking { .. }
            | Phase::Asking { .. }
            | Phase::BackingOff { .. }
            | Phase::Over => {}
        }
    }

    pub(super) fn cancel(&mut self, now: Now, by: Cancel) {
        let was_paused = self.stop_pausing(now);
        let again = by.insists_after(self.cancelled);
        self.cancelled = self.cancelled.max(Some(by));
        self.insisted |= again;
        self.hurried |= again || by == Cancel::GuardLost;
        self.emit(now, EventKind::Cancelled { by });
        // What happened during a pause starts nothing any more, but is not forgotten.
        if was_paused {
            self.catch_up(now);
        }
        match &self.phase {
            Phase::Working(_) => self.end_cancelled_agent(now, by, again),
            Phase::BackingOff { .. }
            | Phase::Asking { .. }
            | Phase::Waiting { .. }
            | Phase::Looking { .. } => self.leave_wait(now),
            Phase::Inspecting(inspection) if inspection.is_looking() => self.stop_looking(now),
            Phase::Inspecting(inspection) if inspection.job().is_none() => {
                self.leave_unchecked(now, StepEnd::Cancelled);
            }
            Phase::Inspecting(_) | Phase::Hooking(_) => self.end_cancelled_job(now, by, again),
            Phase::Surveying { step, .. } => {
                let step = *step;
                self.surveyed(now, step, None);
            }
            Phase::New | Phase::Over => {}
        }
    }

    /// Makes an event, lets the state know it, and has it recorded.
    pub(super) fn emit(&mut self, now: Now, kind: EventKind) {
        let event = Event { at: now.wall, elapsed: self.clock.elapsed(now), kind };
        if !matches!(event.kind, EventKind::RunStarted { .. }) {
            self.state.apply(&event).expect("the machine's own events fit its state");
        }
        self.effects.push(Effect::Emit(Box::new(event)));
    }
}
