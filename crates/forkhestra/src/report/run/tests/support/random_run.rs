//! Random runs: the machine with random agents, checks, hooks, requests, kills and resumes.

use std::collections::VecDeque;
use std::time::Duration;

use forkhestra_core::config::{Backend, OnHookError};
use forkhestra_core::control::ControlRequest;
use forkhestra_core::cost::{Dollars, Spend, TokenCounts};
use forkhestra_core::event::{
    AgentActivity, AgentEnd, AgentOutcome, AuxJob, AuxJobResult, CancelCause, Event, Fingerprint,
    LimitChanges, MarkerMatch, Observation, OutcomeClass, OutputSummary, PathList, RunEnd,
    StreamSummary, WorkSummary,
};
use forkhestra_core::history::RunHistory;
use forkhestra_core::hook::HookPoint;
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::limit::{HumanDuration, Limit};
use forkhestra_core::machine::{
    AgentSample, CleanRoomFailure, Effect, Input, Machine, Now, ProcessSignal, RunState,
};
use forkhestra_core::plan::Plan;
use forkhestra_core::policy::{GracePeriods, LivenessProbe};
use forkhestra_core::text::count::Count;
use forkhestra_core::time::Timestamp;

use super::event_script::EventScript;

/// Most inputs of a run. A run that does not end by then is cut off.
const MOST_INPUTS: usize = 500;

/// A small random number generator, the same for the same seed.
struct Dice(u64);

impl Dice {
    const fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    const fn is(&mut self, percent: u64) -> bool {
        self.roll(100) < percent
    }

    fn pick<T: Clone>(&mut self, values: &[T]) -> T {
        let index = self.roll(values.len() as u64);
        values[usize::try_from(index).expect("few values")].clone()
    }
}

/// A random run.
pub(crate) struct RandomRun {
    pub(crate) events: Vec<Event>,
    /// Numbers of events before each process of the run.
    pub(crate) processes: Vec<usize>,
    dice: Dice,
    machine: Machine,
    now: Now,
    due: VecDeque<Input>,
    /// The agent and the aux job whose ends are scheduled.
    ending_unit: Option<UnitId>,
    ending_job: Option<AuxJob>,
    spent: u64,
}

impl RandomRun {
    /// The run of a seed, up to its end or to a limit of inputs.
    pub(crate) fn of(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            dice.roll(2);
        }
        let plan = plan(&mut dice);
        let wall = Timestamp::from_milliseconds(1_790_000_000_000);
        let now = Now { awake: Duration::from_secs(1000), wall };
        let state = RunState::new(RunId::from_random(seed), plan);
        let machine = Machine::new(state, "0.1.0", GracePeriods::default(), now);
        let mut run = Self {
            events: Vec::new(),
            processes: vec![0],
            dice,
            machine,
            now,
            due: VecDeque::from([Input::Begin]),
            ending_unit: None,
            ending_job: None,
            spent: 0,
        };
        for _ in 0..MOST_INPUTS {
            match run.machine.end() {
                Some(RunEnd::Complete) => break,
                Some(_) if run.processes.len() > 3 || run.dice.is(40) => break,
                Some(_) => run.resume(),
                None if run.events.len() > 1 && run.dice.roll(200) == 0 => run.resume(),
                None => {
                    let input = run.next_input();
                    run.handle(input);
                }
            }
        }
        run
    }

    /// Kills the process and resumes the run in another one.
    fn resume(&mut self) {
        let history = RunHistory::of(&self.events).expect("the events of a machine fit");
        let changes = random_changes(&mut self.dice);
        self.pass(60_000);
        let patience = GracePeriods::default();
        self.machine = Machine::resume(history.state, changes, "0.1.0", patience, self.now);
        self.due = VecDeque::from([Input::Begin]);
        self.processes.push(self.events.len());
        (self.ending_unit, self.ending_job) = (None, None);
    }

    fn pass(&mut self, most: u64) {
        let time = Duration::from_millis(self.dice.roll(most));
        let Now { awake, wall } = self.now;
        self.now = Now { awake: awake + time, wall: wall.saturating_add(time) };
    }

    fn next_input(&mut self) -> Input {
        self.pass(3_000);
        if let Some(input) = self.disturbance() {
            return input;
        }
        if self.machine.deadline().is_some_and(|deadline| deadline <= self.now.awake) {
            return Input::Tick;
        }
        if let Some(input) = self.due.pop_front() {
            return input;
        }
        if let Some(deadline) = self.machine.deadline() {
            let time = deadline.saturating_sub(self.now.awake);
            let Now { awake, wall } = self.now;
            self.now = Now { awake: awake + time, wall: wall.saturating_add(time) };
            return Input::Tick;
        }
        // Only a pause stops everything.
        Input::ControlRequested { ticket: 0, request: ControlRequest::Continue }
    }

    fn disturbance(&mut self) -> Option<Input> {
        let request = |request| Some(Input::ControlRequested { ticket: 0, request });
        match self.dice.roll(400) {
            0 => Some(Input::Cancel(self.dice.pick(&[
                CancelCause::Interrupt,
                CancelCause::Terminate,
                CancelCause::Hangup,
                CancelCause::OutputClosed,
                CancelCause::GuardLost,
            ]))),
            1 => request(ControlRequest::Stop),
            2 => request(ControlRequest::StopNow),
            3..6 => request(ControlRequest::Pause),
            6..10 => request(ControlRequest::Continue),
            10..16 => request(ControlRequest::Tell("look at\nthe tests".to_owned())),
            16..18 => request(ControlRequest::Skip),
            18..22 => request(ControlRequest::Set(random_changes(&mut self.dice))),
            22 => Some(Input::Pause),
            23 => Some(Input::Slept(Duration::from_secs(90))),
            24 => Some(Input::OperatorNotice("the disk is slow".to_owned())),
            _ => None,
        }
    }

    fn handle(&mut self, input: Input) {
        for effect in self.machine.handle(self.now, input) {
            self.perform(effect);
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Emit(event) => self.events.push(*event),
            Effect::Observe { step } => {
                let sight = self.observation();
                self.due.push_back(Input::Observed { step, sight });
            }
            Effect::ObserveWork { unit } => {
                let sight = self.observation();
                self.due.push_back(Input::WorkObserved { unit, sight });
            }
            Effect::Spawn { unit } => self.spawn(unit),
            Effect::SignalAgent { unit, push } if push >= ProcessSignal::Hangup => {
                self.end_agent(unit, AgentEnd::Signaled(15));
            }
            Effect::Probe { unit } => {
                let silent = Duration::from_secs(self.dice.roll(900));
                let probe = LivenessProbe {
                    silent,
                    cpu: Duration::ZERO,
                    received: 0,
                    work_counts: true,
                    blocked: false,
                };
                let sample = AgentSample { probe, done_file: None };
                self.due.push_back(Input::Probed { unit, sample });
            }
            Effect::PrepareCleanRoom { unit } => {
                let failure = match self.dice.roll(10) {
                    0 => Some(CleanRoomFailure::Work("nothing is committed".to_owned())),
                    1 => Some(CleanRoomFailure::Machine("the disk is full".to_owned())),
                    _ => None,
                };
                self.due.push_back(Input::CleanRoomPrepared { unit, failure });
            }
            Effect::RunAuxJob { errand } => {
                self.due.push_back(Input::AuxJobStarted { errand, pid: 4712 });
                if self.dice.is(90) {
                    let code = self.dice.pick(&[0, 0, 0, 1]);
                    self.end_aux_job(errand, AgentEnd::Exited(code));
                }
            }
            Effect::SignalAuxJob { errand, push } if push >= ProcessSignal::Hangup => {
                self.end_aux_job(errand, AgentEnd::Signaled(15));
            }
            Effect::SurveyWork { step } => {
                let work = self.dice.is(80).then(WorkSummary::default);
                self.due.push_back(Input::WorkSurveyed { step, work });
            }
            Effect::SuspendSelf => self.due.push_front(Input::Continue),
            _ => {}
        }
    }

    fn observation(&mut self) -> Observation {
        let tree = self.dice.pick(&["x", "y", "z"]);
        let protected = self.dice.is(10).then(|| PathList::of(["tests/a.rs".to_owned()]));
        let tree = Some(Fingerprint(tree.to_owned()));
        Observation { tree, protected, ..Observation::default() }
    }

    fn spawn(&mut self, unit: UnitId) {
        if self.dice.is(4) {
            let (reason, transient) = ("it does not exist".to_owned(), self.dice.is(50));
            let end = AgentEnd::NotStarted { reason, transient };
            self.due.push_back(Input::Exited { unit, end });
            return;
        }
        self.due.push_back(Input::Started { unit, pid: 4711, prompt: None });
        for _ in 0..self.dice.roll(4) {
            let fact = match self.dice.roll(12) {
                0..7 => {
                    self.spent += self.dice.roll(50);
                    let unpriced = self.dice.is(5);
                    Input::Spent { unit, spend: Spend { unpriced, ..dollars(self.spent) } }
                }
                7 => Input::Marker { unit, sighting: sighting() },
                8 | 9 => Input::Concluded { unit, sighting: self.dice.is(30).then(sighting) },
                10 => Input::WentOn { unit },
                _ => {
                    let outcome = AgentOutcome::of(self.dice.pick(&OutcomeClass::ALL));
                    Input::Futile { unit, outcome }
                }
            };
            self.due.push_back(fact);
        }
        if self.dice.is(85) {
            let code = self.dice.pick(&[0, 0, 1]);
            self.end_agent(unit, AgentEnd::Exited(code));
        }
    }

    /// Schedules the end of an agent, once.
    fn end_agent(&mut self, unit: UnitId, end: AgentEnd) {
        if self.ending_unit.replace(unit) == Some(unit) {
            return;
        }
        let class = self.dice.pick(&OutcomeClass::ALL);
        let class = if self.dice.is(60) { OutcomeClass::Finished } else { class };
        let resets = self
            .dice
            .is(50)
            .then(|| self.now.wall.saturating_add(Duration::from_secs(self.dice.roll(9_000))));
        let heard = self.dice.is(60).then(|| StreamSummary {
            outcome: AgentOutcome { resets, ..AgentOutcome::of(class) },
            activity: AgentActivity { turns: 2, tool_calls: 1, ..AgentActivity::default() },
        });
        let (output, sight) = (OutputSummary { stdout: 12, stderr: 0 }, self.observation());
        let sighting = self.dice.is(20).then(sighting);
        let is_more = self.dice.is(40);
        self.due.push_back(Input::Exited { unit, end });
        self.due.push_back(Input::Gone { unit });
        self.due.push_back(Input::Settled { unit, output, sighting, sight, is_more, heard });
        self.spent = 0;
    }

    /// Schedules the end of an aux job, once.
    fn end_aux_job(&mut self, errand: AuxJob, end: AgentEnd) {
        if self.ending_job.replace(errand) == Some(errand) {
            return;
        }
        let passed = self.dice.is(20).then(|| self.dice.is(50));
        let answer = AuxJobResult { passed, message: None, tail: Some("one\ntwo".to_owned()) };
        self.due.push_back(Input::AuxJobExited { errand, end });
        self.due.push_back(Input::AuxJobGone { errand });
        self.due.push_back(Input::AuxJobSettled { errand, answer });
    }
}

fn plan(dice: &mut Dice) -> Plan {
    let mut script =
        EventScript::of(dice.pick(&["a", "a:3", "a:2 -> b", "a -> b:3", "a:2 -> b -> c:2"]));
    for step in 1..=script.plan.steps.len() {
        if dice.is(50) {
            script = script.of_backend(step, dice.pick(&[Backend::Claude, Backend::Codex]));
        }
        if dice.is(40) {
            script = script.checked_by(step, "cargo test");
        }
        if dice.is(20) {
            script = script.in_a_room(step, "make setup");
        }
        if dice.is(20) {
            script = script.protecting(step, "tests/**");
        }
        let limits = &mut script.plan.steps[step - 1].limits;
        limits.idle_timeout.value = dice.pick(&[Limit::Off, minutes(5)]);
        limits.max_wait.value = dice.pick(&[Limit::Off, minutes(60)]);
        limits.time.value = dice.pick(&[Limit::Off, Limit::Off, minutes(4)]);
    }
    for _ in 0..dice.roll(3) {
        script = script.with_hook(dice.pick(&HookPoint::ALL), "make hook");
        if let Some(hook) = script.plan.hooks.last_mut().filter(|_| dice.is(40)) {
            hook.value.on_error = OnHookError::Abort;
        }
    }
    script.plan
}

fn minutes(minutes: u64) -> Limit<HumanDuration> {
    Limit::At(HumanDuration::from_secs(60 * minutes))
}

fn random_changes(dice: &mut Dice) -> LimitChanges {
    let count = dice.is(40).then(|| 1 + dice.roll(5));
    LimitChanges {
        iterations: count.and_then(|count| Count::parse(&count.to_string()).ok()),
        step_time: dice.is(20).then(|| minutes(30)),
        max_wait: dice.is(20).then(|| minutes(90)),
        ..LimitChanges::default()
    }
}

fn dollars(cents: u64) -> Spend {
    let tokens = TokenCounts { input: 100 * cents, ..TokenCounts::default() };
    Spend { tokens, dollars: Dollars::from_nanos(cents * 10_000_000), unpriced: false }
}

fn sighting() -> MarkerMatch {
    MarkerMatch { marker: "FORKHESTRA_COMPLETE".to_owned(), offset: 0, line: 1, message: None }
}
