//! Performs the machine's effects in a simulation.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::aux_job_scripts::AuxJobScripts;
use super::samples::there;
use super::simulated_agent::SimulatedAgent;
use super::simulated_process::SimulatedProcess;
use crate::config::Backend;
use crate::control::{AcceptedRequest, AnswerRequest, ControlReply, ControlRequest};
use crate::event::{
    CancelCause, Event, EventKind, LimitChanges, Observation, ProcessEnd, TaskChanges,
};
use crate::id::{RunId, UnitId};
use crate::machine::{Effect, Input, Machine, Now, ProcessSignal, RunState};
use crate::plan::Plan;
use crate::policy::GracePeriods;
use crate::time::Timestamp;

type SimulationScript = Box<dyn Fn(UnitId) -> SimulatedAgent>;

/// The agent of an attempt on a back-end that starts at a moment.
type ProviderScript = Box<dyn Fn(UnitId, Backend, Timestamp) -> SimulatedAgent>;

/// A run and its simulated surroundings.
pub(crate) struct RunSimulation {
    pub(crate) machine: Machine,
    pub(crate) events: Vec<Event>,
    pub(crate) signals: Vec<(Duration, ProcessSignal)>,
    pub(crate) spawned: Vec<UnitId>,
    pub(crate) script: SimulationScript,
    pub(crate) now: Duration,
    /// How far the wall clock is ahead of the awake clock.
    ahead: i64,
    due: BTreeMap<(Duration, usize), Input>,
    sequence: usize,
    pub(super) running: Option<SimulatedProcess>,
    pub(crate) probes: usize,
    /// Whether the done file exists at every observation before a step begins or goes on.
    pub(crate) done_file: bool,
    pub(crate) lenient: bool,
    /// Scripts of aux jobs and their surroundings.
    pub(crate) aux_jobs: AuxJobScripts,
    /// Replies to control requests, by ticket.
    pub(crate) answers: Vec<(u64, ControlReply)>,
    /// The number of control requests.
    pub(crate) tickets: u64,
    /// Whether the run is paused according to its events.
    stands: bool,
    /// The answer to each question, by its number, and after how many milliseconds it comes.
    pub(crate) person: Box<dyn Fn(u32) -> Option<(u64, bool)>>,
    /// The agents of steps with several back-ends, instead of the script.
    pub(crate) provider: Option<ProviderScript>,
}

/// More inputs than any run of the tests needs.
const MAX_STEPS: usize = 20_000;

impl RunSimulation {
    pub(crate) fn new(plan: Plan, script: impl Fn(UnitId) -> SimulatedAgent + 'static) -> Self {
        let state = RunState::new(RunId::from_random(7), plan);
        Self::with(Machine::new(state, "test", GracePeriods::default(), start()), Box::new(script))
    }

    /// Resumes a run from its first events.
    pub(crate) fn resumed(
        events: &[Event],
        changes: LimitChanges,
        script: impl Fn(UnitId) -> SimulatedAgent + 'static,
    ) -> Self {
        let state = fold(events);
        let last = events.last().map_or(start().wall, |event| event.at);
        let now = Now { wall: last, ..start() };
        let mut machine = Machine::resume(state, changes, "test", GracePeriods::default(), now);
        if machine.interrupted_unit().is_some() {
            machine.record_interrupted_changes(TaskChanges::default());
        }
        let mut simulation = Self::with(machine, Box::new(script));
        simulation.ahead = last.milliseconds() - start().wall.milliseconds();
        simulation
    }

    pub(crate) fn with(machine: Machine, script: SimulationScript) -> Self {
        let mut simulation = Self {
            machine,
            events: Vec::new(),
            signals: Vec::new(),
            spawned: Vec::new(),
            script,
            now: start().awake,
            ahead: 0,
            due: BTreeMap::new(),
            sequence: 0,
            running: None,
            probes: 0,
            done_file: false,
            lenient: false,
            aux_jobs: AuxJobScripts::default(),
            answers: Vec::new(),
            tickets: 0,
            stands: false,
            person: Box::new(|_| None),
            provider: None,
        };
        simulation.later(Duration::ZERO, Input::Begin);
        simulation
    }

    /// Schedules an input this many milliseconds after the beginning.
    pub(crate) fn at(mut self, milliseconds: u64, input: Input) -> Self {
        self.later(Duration::from_millis(milliseconds), input);
        self
    }

    /// Schedules a control request this many milliseconds after the beginning.
    pub(crate) fn asked_at(mut self, milliseconds: u64, request: ControlRequest) -> Self {
        let ticket = self.ticket();
        self.at(milliseconds, Input::ControlRequested { ticket, request })
    }

    /// Sends a control request now, and returns the reply if it is immediate.
    pub(crate) fn ask(&mut self, request: ControlRequest) -> Option<ControlReply> {
        let ticket = self.ticket();
        self.feed(Input::ControlRequested { ticket, request });
        self.answer(ticket)
    }

    fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    /// The reply to a control request.
    pub(crate) fn answer(&self, ticket: u64) -> Option<ControlReply> {
        self.answers.iter().find(|(of, _)| *of == ticket).map(|(_, reply)| *reply)
    }

    pub(crate) fn cancelled_at(self, milliseconds: u64, by: CancelCause) -> Self {
        self.at(milliseconds, Input::Cancel(by))
    }

    /// Runs to the end, which must come.
    #[track_caller]
    pub(crate) fn run(mut self) -> Self {
        for _ in 0..MAX_STEPS {
            if self.machine.end().is_some() {
                return self;
            }
            assert!(self.step(), "the run waits for nothing: {:?}", self.events.last());
        }
        panic!("the run does not end: {:?}", self.machine);
    }

    /// Performs the next input; false if there is none.
    pub(crate) fn step(&mut self) -> bool {
        let next = self.due.keys().next().copied();
        let deadline = self.machine.deadline();
        let input = match (next, deadline) {
            (Some((at, _)), Some(deadline)) if deadline < at => self.tick(deadline),
            (Some(key), _) => {
                self.now = self.now.max(key.0);
                self.due.remove(&key).expect("it is there")
            }
            (None, Some(deadline)) => self.tick(deadline),
            (None, None) => return false,
        };
        self.feed(input);
        true
    }

    /// Performs the next input after made-up ones: an agent that the machine considers gone may
    /// still run, so a new one replaces it.
    pub(crate) fn step_leniently(&mut self) -> bool {
        self.lenient = true;
        self.step()
    }

    pub(crate) fn run_leniently(mut self) -> Self {
        self.lenient = true;
        for _ in 0..MAX_STEPS {
            if self.machine.end().is_some() {
                break;
            }
            if !self.step() {
                self.feed(Input::Continue);
                self.feed(Input::Cancel(CancelCause::Terminate));
            }
        }
        self
    }

    fn tick(&mut self, deadline: Duration) -> Input {
        self.now = self.now.max(deadline);
        Input::Tick
    }

    pub(crate) fn feed(&mut self, input: Input) {
        match &input {
            Input::Exited { unit, .. } => self.note_exit(*unit),
            Input::Gone { unit } => self.note_gone(*unit),
            Input::AuxJobExited { aux_job, .. } => self.note_aux_job_exit(*aux_job),
            Input::AuxJobGone { aux_job } => self.note_aux_job_gone(*aux_job),
            Input::AuxJobSettled { aux_job, .. } => self.aux_jobs.is_settled(*aux_job),
            _ => {}
        }
        let asks = matches!(input, Input::ControlRequested { .. });
        let effects = self.machine.handle(self.clock(), input);
        let is_answered = matches!(effects.last(), Some(Effect::Reply { .. }));
        let is_new = self.events.is_empty();
        assert!(!asks || is_new || is_answered, "the answer comes last: {effects:?}");
        effects.into_iter().for_each(|effect| self.perform(effect));
    }

    pub(crate) fn clock(&self) -> Now {
        let milliseconds = i64::try_from(self.now.as_millis()).unwrap_or(i64::MAX);
        let wall = Timestamp::from_milliseconds(milliseconds.saturating_add(self.ahead));
        Now { awake: self.now, wall }
    }

    /// Sets the wall clock forward, as after a sleep.
    pub(crate) fn set_forward(&mut self, by: Duration) {
        self.ahead += i64::try_from(by.as_millis()).expect("a small number");
    }

    /// Sets the wall clock back.
    pub(crate) fn set_back(&mut self, by: Duration) {
        self.ahead -= i64::try_from(by.as_millis()).expect("a small number");
    }

    pub(crate) fn later(&mut self, after: Duration, input: Input) {
        self.sequence += 1;
        self.due.insert((self.now + after, self.sequence), input);
    }

    fn perform(&mut self, effect: Effect) {
        assert!(!self.stands || !begins_something(&effect), "{effect:?} while paused");
        match effect {
            Effect::Emit(event) => {
                self.stands &= event.kind != EventKind::Continued;
                if let EventKind::Asked { step, question, .. } = event.kind {
                    self.question_asked(step, question);
                }
                self.events.push(*event);
            }
            Effect::Observe { step } => {
                let done_file = self.done_file.then(there);
                let observation = Observation { done_file, ..self.seen_before(step) };
                self.later(Duration::ZERO, Input::Observed { step, observation });
            }
            Effect::PollTasks { step } => self.ask_tasks(step),
            Effect::ObserveWork { unit } => self.observe_work(unit),
            Effect::Spawn { unit } => self.spawn(unit),
            Effect::SignalAgent { unit, signal } => self.signal_agent(unit, signal),
            Effect::Probe { unit } => self.probe(unit),
            Effect::AbandonAgent { .. } => self.running = None,
            Effect::PrepareCleanRoom { unit } => self.prepare_room(unit),
            Effect::ClearCleanRoom { unit } => self.clear_room(unit),
            Effect::RunAuxJob { aux_job } => self.run_aux_job(aux_job),
            Effect::SignalAuxJob { aux_job, signal } => self.signal_aux_job(aux_job, signal),
            Effect::AbandonAuxJob { aux_job } => {
                self.aux_jobs.given_up.push(aux_job);
                self.aux_jobs.is_settled(aux_job);
            }
            Effect::CompareTasks { unit } => {
                let changes = TaskChanges::default();
                self.later(Duration::ZERO, Input::TasksChanged { unit, changes });
            }
            Effect::SurveyWork { step } => self.survey(step),
            Effect::Reply { ticket, reply } => {
                self.stands |= reply == ControlReply::Accepted(AcceptedRequest::Paused);
                self.answers.push((ticket, reply));
            }
            Effect::SuspendSelf => self.later(Duration::from_secs(3600), Input::Continue),
            Effect::At { .. } | Effect::Lanes(_) => panic!("{effect:?} in a run without lanes"),
        }
    }

    /// Schedules the answer to a question, if the person answers it.
    fn question_asked(&mut self, step: usize, question: u32) {
        let Some((after, approves)) = (self.person)(question) else { return };
        let ticket = self.ticket();
        let text = (!approves).then(|| format!("answer {question}"));
        let answer = AnswerRequest { step, question: Some(question), approves, text };
        let request = ControlRequest::Answer(answer);
        self.later(Duration::from_millis(after), Input::ControlRequested { ticket, request });
    }

    /// Answers questions like this.
    pub(crate) fn with_person(
        mut self,
        person: impl Fn(u32) -> Option<(u64, bool)> + 'static,
    ) -> Self {
        self.person = Box::new(person);
        self
    }

    /// Lets the agents of each back-end behave like this.
    pub(crate) fn with_provider(
        mut self,
        provider: impl Fn(UnitId, Backend, Timestamp) -> SimulatedAgent + 'static,
    ) -> Self {
        self.provider = Some(Box::new(provider));
        self
    }

    /// The agent of an attempt that starts now.
    pub(super) fn agent(&self, unit: UnitId) -> SimulatedAgent {
        let direct = self.machine.state().plan.steps[unit.step - 1].agent.kind.direct();
        match (&self.provider, direct) {
            (Some(provider), Some(direct)) => provider(unit, direct.backend, self.clock().wall),
            _ => (self.script)(unit),
        }
    }

    /// Whether an agent is running.
    pub(crate) const fn is_at_work(&self) -> bool {
        self.running.is_some()
    }

    /// How long the run has taken on the simulation's clock.
    pub(crate) fn took(&self) -> Duration {
        self.now - start().awake
    }

    pub(crate) fn kinds(&self) -> impl Iterator<Item = &EventKind> {
        self.events.iter().map(|event| &event.kind)
    }

    /// Iterations that have an outcome, each once.
    pub(crate) fn outcomes(&self) -> BTreeSet<(usize, u32)> {
        outcomes(&self.events)
    }
}

/// Whether an effect starts something, which a paused run must not do.
const fn begins_something(effect: &Effect) -> bool {
    match effect {
        Effect::Observe { .. }
        | Effect::PollTasks { .. }
        | Effect::ObserveWork { .. }
        | Effect::Spawn { .. }
        | Effect::Probe { .. }
        | Effect::PrepareCleanRoom { .. }
        | Effect::RunAuxJob { .. }
        | Effect::CompareTasks { .. }
        | Effect::SurveyWork { .. }
        | Effect::At { .. }
        | Effect::Lanes(_) => true,
        Effect::Emit(_)
        | Effect::SignalAgent { .. }
        | Effect::AbandonAgent { .. }
        | Effect::ClearCleanRoom { .. }
        | Effect::SignalAuxJob { .. }
        | Effect::AbandonAuxJob { .. }
        | Effect::Reply { .. }
        | Effect::SuspendSelf => false,
    }
}

/// Iterations that have an outcome.
pub(crate) fn outcomes(events: &[Event]) -> BTreeSet<(usize, u32)> {
    let finished = events.iter().filter_map(|event| match &event.kind {
        EventKind::IterationFinished { unit, report }
            if report.has_outcome()
                || matches!(report.end, Some(ProcessEnd::NotStarted { .. })) =>
        {
            Some((unit.step, unit.iteration))
        }
        _ => None,
    });
    finished.collect()
}

/// Folds events into a state.
pub(crate) fn fold(events: &[Event]) -> RunState {
    let (first, rest) = events.split_first().expect("a run has a first event");
    let mut state = RunState::begin(first).expect("it is the plan");
    rest.iter().for_each(|event| state.apply(event).expect("the events fit"));
    state
}

pub(crate) fn start() -> Now {
    Now { awake: Duration::from_secs(1_000), wall: Timestamp::from_milliseconds(1_000_000) }
}
