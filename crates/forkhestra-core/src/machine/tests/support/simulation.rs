//! Performs the machine's effects in a simulation.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::aux_job_scripts::AuxJobScripts;
use crate::control::{AcceptedRequest, ControlReply, ControlRequest};
use crate::cost::{Dollars, Spend, TokenCounts};
use crate::event::{
    AgentActivity, AgentOutcome, CancelCause, Event, EventKind, FileStamp, LimitChanges,
    MarkerMatch, Observation, OutcomeClass, OutputSummary, ProcessEnd, StreamSummary, TaskChanges,
};
use crate::id::{RunId, UnitId};
use crate::machine::{AgentSample, Effect, Input, Machine, Now, ProcessSignal, RunState};
use crate::plan::Plan;
use crate::policy::{GracePeriods, LivenessProbe};
use crate::time::Timestamp;

/// How a simulated agent behaves. Times are milliseconds after its start.
#[derive(Debug, Clone)]
pub(crate) struct SimulatedAgent {
    pub(crate) says_done_at: Option<u64>,
    /// Its marker counts only at the end of its output.
    pub(crate) says_done_at_end: bool,
    pub(crate) exits_at: Option<u64>,
    pub(crate) end: ProcessEnd,
    /// The weakest signal that ends it, if any does.
    pub(crate) obeys: Option<ProcessSignal>,
    /// The signal that ends its leftover processes.
    pub(crate) stragglers_obey: Option<ProcessSignal>,
    /// When its output has been read.
    pub(crate) read_at: u64,
    /// Its CPU use, in thousandths of a core.
    pub(crate) load: u32,
    /// The work tree and the done file after it.
    pub(crate) tree: Option<char>,
    pub(crate) done_file: bool,
    /// It leaves protected files changed, or work uncommitted.
    pub(crate) spoils: bool,
    pub(crate) forgets: bool,
    /// How many milliseconds the observation of its work takes, if it is slow.
    pub(crate) looked_at: Option<u64>,
    /// Its stream, if it is parsed.
    pub(crate) stream: Option<SimulatedStream>,
}

/// A parsed stream. Times are milliseconds after the start of its agent.
#[derive(Debug, Clone)]
pub(crate) struct SimulatedStream {
    pub(crate) class: OutcomeClass,
    pub(crate) tool_calls: u32,
    /// In how many seconds a usage limit is reset.
    pub(crate) resets_in: Option<u64>,
    /// When it concludes, with a marker if the agent claims completion at its end.
    pub(crate) concludes_at: Option<u64>,
    pub(crate) goes_on_at: Option<u64>,
    /// When it reports that the agent cannot succeed.
    pub(crate) futile_at: Option<(u64, OutcomeClass)>,
    /// The total spend by time.
    pub(crate) spends: Vec<(u64, Spend)>,
}

impl SimulatedStream {
    /// A stream that ends in this way, after some work.
    pub(crate) fn of(class: OutcomeClass) -> Self {
        Self {
            class,
            tool_calls: 1,
            resets_in: None,
            concludes_at: None,
            goes_on_at: None,
            futile_at: None,
            spends: Vec::new(),
        }
    }

    fn summary(&self, now: Timestamp) -> StreamSummary {
        let reset = |seconds| now.saturating_add(Duration::from_secs(seconds));
        StreamSummary {
            outcome: AgentOutcome {
                resets: self.resets_in.map(reset),
                ..AgentOutcome::of(self.class)
            },
            activity: AgentActivity { tool_calls: self.tool_calls, ..AgentActivity::default() },
        }
    }

    /// The inputs from the stream while its agent runs, and when.
    fn facts(&self, unit: UnitId, is_done: bool) -> Vec<(u64, Input)> {
        let mut facts = Vec::new();
        let spent = |(at, spend): &(u64, Spend)| (*at, Input::Spent { unit, spend: *spend });
        facts.extend(self.spends.iter().map(spent));
        if let Some(at) = self.concludes_at {
            facts.push((at, Input::Concluded { unit, marker_match: is_done.then(marker_match) }));
        }
        facts.extend(self.goes_on_at.map(|at| (at, Input::WentOn { unit })));
        if let Some((at, class)) = self.futile_at {
            facts.push((at, Input::Futile { unit, outcome: AgentOutcome::of(class) }));
        }
        facts
    }
}

impl SimulatedAgent {
    pub(crate) fn exiting(code: i32) -> Self {
        Self {
            says_done_at: None,
            says_done_at_end: false,
            exits_at: Some(10),
            end: ProcessEnd::Exited(code),
            obeys: Some(ProcessSignal::Hangup),
            stragglers_obey: Some(ProcessSignal::Continue),
            read_at: 0,
            load: 1000,
            tree: None,
            done_file: false,
            spoils: false,
            forgets: false,
            looked_at: None,
            stream: None,
        }
    }

    /// An agent with a parsed stream that ends in this way after some work.
    pub(crate) fn with_outcome(class: OutcomeClass) -> Self {
        let code = i32::from(class != OutcomeClass::Finished);
        Self { stream: Some(SimulatedStream::of(class)), ..Self::exiting(code) }
    }

    /// An agent whose last message has the marker.
    pub(crate) fn understood_done() -> Self {
        Self { says_done_at_end: true, ..Self::with_outcome(OutcomeClass::Finished) }
    }

    /// The same agent with a changed stream.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut SimulatedStream)) -> Self {
        self.stream.as_mut().map(change);
        self
    }

    /// The same agent, which has spent this many cents after 5 ms.
    pub(crate) fn spending(self, cents: u64) -> Self {
        self.with(|stream| stream.spends = vec![(5, dollars(cents))])
    }

    pub(crate) fn done() -> Self {
        Self { says_done_at: Some(5), ..Self::exiting(0) }
    }

    pub(crate) fn hanging() -> Self {
        Self { exits_at: None, ..Self::exiting(0) }
    }

    pub(crate) fn cannot_start(transient: bool) -> Self {
        let reason = "no".to_owned();
        Self { end: ProcessEnd::NotStarted { reason, transient }, ..Self::exiting(0) }
    }
}

type SimulationScript = Box<dyn Fn(UnitId) -> SimulatedAgent>;

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
    running: Option<SimulatedUnit>,
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
}

struct SimulatedUnit {
    unit: UnitId,
    agent: SimulatedAgent,
    started: Duration,
    exited: bool,
    gone: bool,
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
        }
    }

    fn spawn(&mut self, unit: UnitId) {
        let is_free = self.running.is_none() && self.aux_jobs.doing.is_none();
        assert!(is_free || self.lenient, "two processes at once");
        assert!(self.lenient || self.may_start_agent(unit), "{unit} is paid for unasked");
        self.spawned.push(unit);
        let agent = (self.script)(unit);
        let milliseconds = Duration::from_millis;
        if let ProcessEnd::NotStarted { .. } = agent.end {
            self.later(Duration::ZERO, Input::Exited { unit, end: agent.end.clone() });
        } else {
            self.later(Duration::ZERO, Input::Started { unit, pid: 1, prompt: None });
            if let Some(at) = agent.says_done_at {
                self.later(milliseconds(at), Input::Marker { unit, marker_match: marker_match() });
            }
            for (at, fact) in
                agent.stream.iter().flat_map(|s| s.facts(unit, agent.says_done_at_end))
            {
                self.later(milliseconds(at), fact);
            }
            if let Some(at) = agent.exits_at {
                self.later(milliseconds(at), Input::Exited { unit, end: agent.end.clone() });
            }
        }
        self.running =
            Some(SimulatedUnit { unit, agent, started: self.now, exited: false, gone: false });
    }

    fn signal_agent(&mut self, unit: UnitId, signal: ProcessSignal) {
        self.signals.push((self.now, signal));
        let Some(work) = self.running.as_mut().filter(|work| work.unit == unit) else { return };
        let ends = |obeys: Option<ProcessSignal>| {
            signal >= ProcessSignal::Hangup && obeys.is_some_and(|o| signal >= o)
        };
        if !work.exited && ends(work.agent.obeys) {
            let end = if signal == ProcessSignal::Kill {
                ProcessEnd::Signaled(9)
            } else {
                work.agent.end.clone()
            };
            self.later(Duration::from_millis(1), Input::Exited { unit, end });
        } else if work.exited && !work.gone && ends(work.agent.stragglers_obey) {
            self.later(Duration::from_millis(1), Input::Gone { unit });
        }
    }

    fn note_exit(&mut self, unit: UnitId) {
        let Some(work) = self.running.as_mut().filter(|work| work.unit == unit) else { return };
        let first = !std::mem::replace(&mut work.exited, true);
        if first && work.agent.stragglers_obey == Some(ProcessSignal::Continue) {
            self.later(Duration::ZERO, Input::Gone { unit });
        }
    }

    fn note_gone(&mut self, unit: UnitId) {
        let Some(work) = self.running.as_mut().filter(|work| work.unit == unit) else { return };
        if std::mem::replace(&mut work.gone, true) {
            return;
        }
        let read_at = work.started + Duration::from_millis(work.agent.read_at);
        let found_match = work.agent.says_done_at_end.then(marker_match);
        let stream = work.agent.stream.clone();
        let agent = work.agent.clone();
        let observation = self.aux_jobs.seen(unit.step, &agent, self.machine.state());
        // A slow observation is answered later.
        let (observation, is_more) = match agent.looked_at {
            None => (observation, false),
            Some(_) => {
                (Observation { done_file: observation.done_file, ..Observation::default() }, true)
            }
        };
        let output = OutputSummary { stdout: 10, stderr: 0 };
        self.running = None;
        let wait = read_at.saturating_sub(self.now);
        let stream_summary = stream.map(|stream| stream.summary(self.clock().wall));
        self.later(
            wait,
            Input::Settled {
                unit,
                output,
                marker_match: found_match,
                observation,
                is_more,
                stream_summary,
            },
        );
    }

    /// Observes an agent's work, with its delay.
    fn observe_work(&mut self, unit: UnitId) {
        let agent = (self.script)(unit);
        let observation = self.aux_jobs.seen(unit.step, &agent, self.machine.state());
        let takes = Duration::from_millis(agent.looked_at.unwrap_or_default());
        self.later(takes, Input::TasksChanged { unit, changes: TaskChanges::default() });
        self.later(takes, Input::WorkObserved { unit, observation });
    }

    /// Whether an agent is running.
    pub(crate) const fn is_at_work(&self) -> bool {
        self.running.is_some()
    }

    fn probe(&mut self, unit: UnitId) {
        self.probes += 1;
        let Some(work) = self.running.as_ref().filter(|work| work.unit == unit) else { return };
        let age = self.now - work.started;
        let cpu = age / 1000 * work.agent.load;
        let probe =
            LivenessProbe { silent: age, cpu, received: 0, work_counts: true, blocked: false };
        let done_file = work.agent.done_file.then(there);
        self.later(
            Duration::ZERO,
            Input::Probed { unit, sample: AgentSample { probe, done_file } },
        );
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
        | Effect::SurveyWork { .. } => true,
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

pub(crate) fn there() -> FileStamp {
    FileStamp("there".to_owned())
}

/// A spend of this many cents.
pub(crate) fn dollars(cents: u64) -> Spend {
    let tokens = TokenCounts { input: 100 * cents, ..TokenCounts::default() };
    Spend { tokens, dollars: Dollars::from_nanos(cents * 10_000_000), unpriced: false }
}

pub(crate) fn marker_match() -> MarkerMatch {
    MarkerMatch { marker: "FORKHESTRA_COMPLETE".to_owned(), offset: 0, line: 1, message: None }
}
