//! A run with lanes and its simulated surroundings. After every input, the state that is folded
//! from the events is compared with that of the machine.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use super::lane_processes::{Place, PlacedProcess};
use super::lane_scripts::{AgentStart, JobStart, LaneScripts};
use super::simulated_repository::{SimulatedRepository, UnitSet, units_of};
use crate::control::{AcceptedRequest, ControlReply, ControlRequest};
use crate::event::{CancelCause, Event, EventKind, LimitChanges};
use crate::id::{LaneNumber, RunId, UnitId};
use crate::machine::tests::support::run_simulation::{fold, start};
use crate::machine::{
    Effect, Input, LanesEffect, Machine, Now, ProcessSignal, RunState, Workplace,
};
use crate::plan::Plan;
use crate::policy::GracePeriods;
use crate::time::Timestamp;

/// More inputs than any run of the tests needs.
const MAX_STEPS: usize = 20_000;

/// A run with lanes and its simulated surroundings.
pub(in crate::machine::tests) struct LanesSimulation {
    pub(in crate::machine::tests) machine: Machine,
    pub(in crate::machine::tests) scripts: Rc<LaneScripts>,
    /// All events of the run, also those of earlier processes.
    pub(in crate::machine::tests) events: Vec<Event>,
    /// The number of events of earlier processes.
    pub(in crate::machine::tests) inherited: usize,
    /// The surroundings when each event was recorded.
    pub(in crate::machine::tests) worlds: Vec<SimulatedRepository>,
    pub(in crate::machine::tests) repository: SimulatedRepository,
    /// The fold of the events.
    folded: Option<RunState>,
    pub(in crate::machine::tests) now: Duration,
    ahead: i64,
    due: BTreeMap<(Duration, usize), Input>,
    sequence: usize,
    /// The number of answers with a scripted delay.
    delays: usize,
    pub(super) processes: BTreeMap<Place, PlacedProcess>,
    pub(in crate::machine::tests) started: Vec<AgentStart>,
    pub(in crate::machine::tests) ran: Vec<JobStart>,
    pub(in crate::machine::tests) signals: Vec<(Duration, Place, ProcessSignal)>,
    pub(in crate::machine::tests) most_agents: usize,
    pub(in crate::machine::tests) replies: Vec<(u64, ControlReply)>,
    tickets: u64,
    is_paused: bool,
    /// When somebody else moves the integration ref, and where to.
    foreign_moves: Vec<(Duration, UnitSet)>,
    /// The integration ref at the last decision about the work of each lane.
    settled_at: BTreeMap<LaneNumber, usize>,
}

impl LanesSimulation {
    pub(in crate::machine::tests) fn new(plan: Plan, scripts: LaneScripts) -> Self {
        let state = RunState::new(RunId::from_random(7), plan);
        let machine = Machine::new(state, "test", GracePeriods::default(), start());
        Self::with(machine, Rc::new(scripts))
    }

    fn with(machine: Machine, scripts: Rc<LaneScripts>) -> Self {
        let mut simulation = Self {
            machine,
            scripts,
            events: Vec::new(),
            inherited: 0,
            worlds: Vec::new(),
            repository: SimulatedRepository::default(),
            folded: None,
            now: start().awake,
            ahead: 0,
            due: BTreeMap::new(),
            sequence: 0,
            delays: 0,
            processes: BTreeMap::new(),
            started: Vec::new(),
            ran: Vec::new(),
            signals: Vec::new(),
            most_agents: 0,
            replies: Vec::new(),
            tickets: 0,
            is_paused: false,
            foreign_moves: Vec::new(),
            settled_at: BTreeMap::new(),
        };
        simulation.later(Duration::ZERO, Input::Begin);
        simulation
    }

    /// The run after its process was killed behind this many events. The surroundings are as they were
    /// when the last of them was recorded, or as they were before the next one if it was killed `late`.
    pub(in crate::machine::tests) fn killed_after(&self, events: usize, late: bool) -> Self {
        let world = self.worlds.get(events).filter(|_| late).unwrap_or(&self.worlds[events - 1]);
        self.resumed_in(world.clone(), events, LimitChanges::default())
    }

    /// The run, resumed after its end.
    pub(in crate::machine::tests) fn resumed(&self, changes: LimitChanges) -> Self {
        self.resumed_in(self.repository.clone(), self.events.len(), changes)
    }

    fn resumed_in(&self, world: SimulatedRepository, events: usize, changes: LimitChanges) -> Self {
        let state = fold(&self.events[..events]);
        let last = self.events[events - 1].at;
        let now = Now { wall: last, ..start() };
        let machine = Machine::resume(state, changes, "test", GracePeriods::default(), now);
        let mut simulation = Self::with(machine, Rc::clone(&self.scripts));
        simulation.ahead = last.milliseconds() - start().wall.milliseconds();
        simulation.repository = world;
        simulation.events = self.events[..events].to_vec();
        simulation.worlds = self.worlds[..events].to_vec();
        simulation.inherited = events;
        simulation.folded = Some(fold(&self.events[..events]));
        simulation
    }

    /// Schedules an input this many milliseconds after the beginning.
    pub(in crate::machine::tests) fn at(mut self, milliseconds: u64, input: Input) -> Self {
        self.later(Duration::from_millis(milliseconds), input);
        self
    }

    /// Schedules a control request this many milliseconds after the beginning.
    pub(in crate::machine::tests) fn asked_at(
        mut self,
        milliseconds: u64,
        request: ControlRequest,
    ) -> Self {
        self.tickets += 1;
        let ticket = self.tickets;
        self.at(milliseconds, Input::ControlRequested { ticket, request })
    }

    pub(in crate::machine::tests) fn cancelled_at(
        self,
        milliseconds: u64,
        by: CancelCause,
    ) -> Self {
        self.at(milliseconds, Input::Cancel(by))
    }

    /// Lets somebody else move the integration ref.
    pub(in crate::machine::tests) fn moved_at(mut self, milliseconds: u64, to: &[&str]) -> Self {
        let to = to.iter().map(|name| (*name).to_owned()).collect();
        self.foreign_moves.push((start().awake + Duration::from_millis(milliseconds), to));
        self
    }

    /// Runs to the end, which must come.
    #[track_caller]
    pub(in crate::machine::tests) fn run(mut self) -> Self {
        for _ in 0..MAX_STEPS {
            if self.machine.end().is_some() {
                return self;
            }
            if !self.step() {
                panic!(
                    "the run waits for nothing: {:?}\n{}",
                    self.machine,
                    self.story().join("\n")
                );
            }
        }
        panic!("the run does not end:\n{}", self.story()[..400.min(self.story().len())].join("\n"));
    }

    /// Runs until an event is recorded that matches.
    #[track_caller]
    pub(in crate::machine::tests) fn run_until(
        mut self,
        is_last: impl Fn(&EventKind) -> bool,
    ) -> Self {
        for _ in 0..MAX_STEPS {
            if self.events.iter().any(|event| is_last(&event.kind)) {
                return self;
            }
            assert!(self.step(), "the run waits for nothing: {:?}", self.events.last());
        }
        panic!("the event does not come: {:?}", self.machine);
    }

    /// Performs the next input; false if there is none.
    pub(in crate::machine::tests) fn step(&mut self) -> bool {
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

    fn tick(&mut self, deadline: Duration) -> Input {
        self.now = self.now.max(deadline);
        Input::Tick
    }

    pub(in crate::machine::tests) fn feed(&mut self, input: Input) {
        self.move_foreignly();
        match &input {
            Input::At { place, input } => self.note_process(Some(*place), input),
            general => self.note_process(None, general),
        }
        let effects = self.machine.handle(self.clock(), input);
        effects.into_iter().for_each(|effect| self.perform(effect));
        self.most_agents = self.most_agents.max(self.running_agents());
        self.assert_fold_equals_machine();
    }

    fn move_foreignly(&mut self) {
        let now = self.now;
        for (_, to) in self.foreign_moves.extract_if(.., |(at, _)| *at <= now) {
            self.repository.integration = Some(to);
        }
    }

    pub(in crate::machine::tests) fn clock(&self) -> Now {
        let milliseconds = i64::try_from(self.now.as_millis()).unwrap_or(i64::MAX);
        let wall = Timestamp::from_milliseconds(milliseconds.saturating_add(self.ahead));
        Now { awake: self.now, wall }
    }

    fn later(&mut self, after: Duration, input: Input) {
        self.sequence += 1;
        self.due.insert((self.now + after, self.sequence), input);
    }

    /// Schedules an input from a place.
    pub(super) fn send(&mut self, place: Place, after: u64, input: Input) {
        let input = match place {
            Some(place) => Input::At { place, input: Box::new(input) },
            None => input,
        };
        self.later(Duration::from_millis(after), input);
    }

    /// The delay of the next answer.
    pub(super) fn delay(&mut self) -> u64 {
        self.delays += 1;
        (self.scripts.delay)(self.delays)
    }

    fn perform(&mut self, effect: Effect) {
        assert!(!self.is_paused || !begins_something(&effect), "{effect:?} while paused");
        match effect {
            Effect::Emit(event) => self.record(*event),
            Effect::Reply { ticket, reply } => {
                self.is_paused |= reply == ControlReply::Accepted(AcceptedRequest::Paused);
                self.replies.push((ticket, reply));
            }
            Effect::SuspendSelf => self.later(Duration::from_secs(3600), Input::Continue),
            Effect::At { place, effect } => self.perform_at(Some(place), *effect),
            Effect::Lanes(effect) => self.perform_for_lanes(effect),
            effect => self.perform_at(None, effect),
        }
    }

    fn perform_for_lanes(&mut self, effect: LanesEffect) {
        self.assert_effect_fits(&effect);
        let after = self.delay();
        let scripts = Rc::clone(&self.scripts);
        if let Some(answer) = self.repository.perform(effect, &scripts) {
            self.later(Duration::from_millis(after), Input::Lanes(answer));
        }
    }

    fn record(&mut self, event: Event) {
        self.is_paused &= event.kind != EventKind::Continued;
        let moves = self.repository.moves.len();
        if let (EventKind::IterationFinished { .. }, Some(lane)) = (&event.kind, event.lane) {
            self.settled_at.insert(lane, moves);
        }
        match &mut self.folded {
            Some(state) => state.apply(&event).expect("the events fit"),
            folded @ None => *folded = Some(RunState::begin(&event).expect("it is the plan")),
        }
        self.events.push(event);
        self.worlds.push(self.repository.clone());
    }

    /// Work is merged only if it waits for its landing, and the integration ref moves only as it is
    /// recorded.
    fn assert_effect_fits(&self, effect: &LanesEffect) {
        let lanes = self.machine.state().lanes.as_deref();
        match effect {
            LanesEffect::MergeWork { work, .. } => {
                for work in work {
                    let queued = lanes.and_then(|lanes| lanes.lane(work.lane)?.queued.clone());
                    assert_eq!(queued, Some((work.unit, work.work.clone())), "it is not queued");
                }
            }
            LanesEffect::MoveIntegration { from, to, .. } => {
                let last = self.events.iter().rev().find_map(|event| match &event.kind {
                    EventKind::Landed { from, to, .. } => Some((from, to)),
                    _ => None,
                });
                assert_eq!(last, Some((from, to)), "it is not recorded");
            }
            LanesEffect::OpenLane { commit, .. } => {
                assert_eq!(Some(units_of(commit)), self.repository.integration);
            }
            _ => {}
        }
    }

    /// An agent starts only in a lane that has the integration ref as it was when the last work of
    /// this lane was decided about.
    pub(super) fn assert_may_start(&self, place: Place, unit: UnitId) {
        let state = self.machine.state();
        assert!(!state.stop_requested, "{unit} was started although a stop was requested");
        assert!(!state.steps[unit.step - 1].skip, "{unit} of a skipped step was started");
        let Some(Workplace::Lane(lane)) = place else { return };
        let since = self.settled_at.get(&lane).copied().unwrap_or(1);
        let given = self.repository.lanes[&lane].integration.as_ref().expect("it was advanced");
        let may_have = &self.repository.moves[since.saturating_sub(1)..];
        assert!(may_have.contains(given), "{unit} in lane {lane} has {given:?} of {may_have:?}");
    }

    #[track_caller]
    fn assert_fold_equals_machine(&self) {
        let Some(folded) = &self.folded else { return };
        // A resumed run has done nothing before its first event.
        if self.events.len() == self.inherited {
            return;
        }
        let (folded, state) = (timeless(folded), timeless(self.machine.state()));
        if folded != state {
            let (folded, state) = (format!("{folded:#?}"), format!("{state:#?}"));
            let differing = folded.lines().zip(state.lines()).position(|(a, b)| a != b);
            let at = differing.unwrap_or_default();
            let part = |text: &str| {
                text.lines().skip(at.saturating_sub(12)).take(24).collect::<Vec<_>>().join("\n")
            };
            let last = self.story();
            let last = last[last.len().saturating_sub(8)..].join("\n");
            panic!("folded:\n{}\nmachine:\n{}\n{last}", part(&folded), part(&state));
        }
    }

    pub(in crate::machine::tests) fn kinds(&self) -> impl Iterator<Item = &EventKind> {
        self.events.iter().map(|event| &event.kind)
    }

    /// What happened with the lanes, in short form.
    pub(in crate::machine::tests) fn story(&self) -> Vec<String> {
        self.events.iter().map(in_short).collect()
    }
}

/// An event in short form, with its lane.
fn in_short(event: &Event) -> String {
    let text = match &event.kind {
        EventKind::RunStarted { .. } => "run_started".to_owned(),
        EventKind::IterationStarted { unit, .. } => format!("start {unit}"),
        EventKind::AgentFinished { unit, report } => {
            format!("agent {unit} {}", report.verdict.as_str())
        }
        EventKind::IterationFinished { unit, report } => {
            format!("end {unit} {}", report.verdict.as_str())
        }
        EventKind::WorkQueued { unit, work } => format!("queue {unit} {}", work.commit),
        EventKind::Landed { to, landed, .. } => {
            let units: Vec<String> = landed.iter().map(|work| work.unit.to_string()).collect();
            format!("land {} as {to}", units.join("+"))
        }
        EventKind::LandingRefused { unit, refusal } => {
            format!("refuse {unit} {}", refusal.why.as_str())
        }
        EventKind::WorkParked { unit, number, .. } => format!("park {unit} as {number}"),
        EventKind::ClaimRefused { unit, .. } => format!("claim of {unit} refused"),
        EventKind::Warning { message } => format!("warning: {message}"),
        EventKind::StepFinished { step, end } => format!("step {step} {}", end.as_str()),
        EventKind::RunFinished { end } => format!("run {end:?}"),
        other => {
            let text = format!("{other:?}");
            text.chars().take(70).collect()
        }
    };
    match event.lane {
        Some(lane) => format!("{lane}: {text}"),
        None => text,
    }
}

/// A state without its times, which advance without events.
fn timeless(state: &RunState) -> RunState {
    let mut state = state.clone();
    strip_times(&mut state);
    state
}

fn strip_times(state: &mut RunState) {
    state.elapsed = Duration::ZERO;
    state.steps.iter_mut().for_each(|step| step.elapsed = Duration::ZERO);
    state.groups.iter_mut().for_each(|group| group.between_steps = Duration::ZERO);
    let lanes = state.lanes.iter_mut().flat_map(|lanes| &mut lanes.lanes);
    lanes.for_each(|lane| strip_times(&mut lane.progress));
}

/// Whether an effect starts something, which a paused run must not do.
fn begins_something(effect: &Effect) -> bool {
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
        | Effect::Lanes(_) => true,
        Effect::At { effect, .. } => begins_something(effect),
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
