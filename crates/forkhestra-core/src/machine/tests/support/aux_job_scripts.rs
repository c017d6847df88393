//! Simulated checks, hooks, clean rooms and surveys.

use std::collections::BTreeMap;
use std::time::Duration;

use super::run_simulation::RunSimulation;
use super::samples::there;
use super::simulated_agent::SimulatedAgent;
use crate::event::{
    AuxJob, AuxJobResult, CommitSummary, Fingerprint, Observation, PathList, ProcessEnd,
    WorkSummary, WorkTreeFingerprints, WorkTreeSnapshot,
};
use crate::id::UnitId;
use crate::machine::{CleanRoomFailure, Input, ProcessSignal, RunState, StepStatus};
use crate::policy::TaskWork;

/// How a simulated aux job behaves. Times are milliseconds after its start.
#[derive(Debug, Clone)]
pub(crate) struct AuxJobScript {
    /// It takes no process, like a built-in check.
    pub(crate) is_known: bool,
    pub(crate) exits_at: Option<u64>,
    pub(crate) end: ProcessEnd,
    /// The weakest signal that ends it, if any does.
    pub(crate) obeys: Option<ProcessSignal>,
    /// The signal that ends its leftover processes.
    pub(crate) stragglers_obey: Option<ProcessSignal>,
    /// When its output has been read.
    pub(crate) read_at: u64,
    pub(crate) answer: AuxJobResult,
}

impl AuxJobScript {
    pub(crate) fn exiting(code: i32) -> Self {
        Self {
            is_known: false,
            exits_at: Some(100),
            end: ProcessEnd::Exited(code),
            obeys: Some(ProcessSignal::Hangup),
            stragglers_obey: Some(ProcessSignal::Continue),
            read_at: 0,
            answer: AuxJobResult::default(),
        }
    }

    pub(crate) fn hanging() -> Self {
        Self { exits_at: None, ..Self::exiting(0) }
    }

    /// An aux job that ignores SIGTERM.
    pub(crate) fn deaf() -> Self {
        Self { obeys: Some(ProcessSignal::Kill), ..Self::hanging() }
    }

    pub(crate) fn impossible() -> Self {
        let reason = "no".to_owned();
        Self { end: ProcessEnd::NotStarted { reason, transient: false }, ..Self::exiting(0) }
    }

    pub(crate) fn known(passed: bool) -> Self {
        let answer = AuxJobResult { passed: Some(passed), ..AuxJobResult::default() };
        Self { is_known: true, answer, ..Self::exiting(0) }
    }

    /// An aux job with a verdict in its last line.
    pub(crate) fn saying(passed: bool, message: &str, code: i32) -> Self {
        let message = Some(message.to_owned());
        let answer = AuxJobResult { passed: Some(passed), message, tail: None };
        Self { answer, ..Self::exiting(code) }
    }
}

/// The result of preparing a clean room.
#[derive(Debug, Clone)]
pub(crate) enum SimulatedRoom {
    /// Ready after this many milliseconds.
    After(u64),
    Failing(CleanRoomFailure),
    /// No answer.
    Never,
}

/// Scripts of aux jobs and their surroundings.
pub(crate) struct AuxJobScripts {
    pub(crate) script: Box<dyn Fn(AuxJob) -> AuxJobScript>,
    pub(crate) room: Box<dyn Fn(UnitId) -> SimulatedRoom>,
    /// After how many milliseconds a survey is answered, if it is.
    pub(crate) survey_after: Option<u64>,
    /// The state of the tasks by step and its finished iterations, and after how many milliseconds
    /// it is reported.
    pub(crate) tasks: Box<dyn Fn(usize, u32) -> (TaskWork, u64)>,
    /// The last reported state, and before which unit.
    pub(crate) last_task_work: Option<(usize, u32, TaskWork)>,
    /// The tasks that are open when a step begins.
    pub(crate) open_tasks: Option<Vec<String>>,
    /// Whether there is a repository, and so fingerprints, surveys and snapshots.
    pub(crate) repository: bool,
    /// The aux jobs that ran, in order.
    pub(crate) ran: Vec<AuxJob>,
    pub(crate) signals: Vec<(Duration, ProcessSignal)>,
    pub(crate) given_up: Vec<AuxJob>,
    pub(crate) doing: Option<SimulatedAuxJob>,
    /// The current clean room, and the number of all.
    pub(crate) open_room: Option<UnitId>,
    pub(crate) rooms: usize,
    pub(crate) surveys: usize,
}

impl Default for AuxJobScripts {
    fn default() -> Self {
        Self {
            script: Box::new(|_| AuxJobScript::exiting(0)),
            room: Box::new(|_| SimulatedRoom::After(50)),
            survey_after: Some(20),
            tasks: Box::new(|_, _| (TaskWork::NoDatabase, 5)),
            open_tasks: None,
            last_task_work: None,
            repository: false,
            ran: Vec::new(),
            signals: Vec::new(),
            given_up: Vec::new(),
            doing: None,
            open_room: None,
            rooms: 0,
            surveys: 0,
        }
    }
}

/// A running aux job.
pub(crate) struct SimulatedAuxJob {
    aux_job: AuxJob,
    chore: AuxJobScript,
    started: Duration,
    exited: bool,
    gone: bool,
}

impl AuxJobScripts {
    pub(crate) fn is_settled(&mut self, aux_job: AuxJob) {
        self.doing.take_if(|doing| doing.aux_job == aux_job);
    }

    /// The observation after an agent.
    pub(crate) fn seen(
        &self,
        step: usize,
        agent: &SimulatedAgent,
        state: &RunState,
    ) -> Observation {
        let plan = &state.plan.steps[step - 1];
        let files = agent.tree.map(|tree| Fingerprint(tree.to_string()));
        let paths = |is_there: bool| PathList::of(is_there.then(|| "a.txt".to_owned()));
        let signals = files.clone().filter(|_| self.repository).map(signals);
        let snapshots = self.repository && state.plan.snapshots;
        Observation {
            done_file: agent.done_file.then(there),
            tree: files,
            signals,
            protected: plan.protect.as_ref().map(|_| paths(agent.spoils)),
            uncommitted: plan.clean_room.as_ref().map(|_| paths(agent.forgets)),
            snapshot: snapshots
                .then(|| WorkTreeSnapshot { number: state.snapshots, commit: "c".to_owned() }),
            open_tasks: None,
            open_criteria: BTreeMap::new(),
            baselines: None,
        }
    }
}

fn signals(files: Fingerprint) -> WorkTreeFingerprints {
    WorkTreeFingerprints {
        head: None,
        branch: None,
        index: Fingerprint("i".to_owned()),
        files,
        tasks: None,
    }
}

impl RunSimulation {
    /// Sets the scripts of aux jobs.
    pub(crate) fn with_chores(mut self, script: impl Fn(AuxJob) -> AuxJobScript + 'static) -> Self {
        self.aux_jobs.script = Box::new(script);
        self
    }

    /// Sets the results of clean rooms.
    pub(crate) fn with_rooms(mut self, room: impl Fn(UnitId) -> SimulatedRoom + 'static) -> Self {
        self.aux_jobs.room = Box::new(room);
        self
    }

    /// Simulates a repository.
    pub(crate) fn in_repository(mut self, survey_after: Option<u64>) -> Self {
        self.aux_jobs.repository = true;
        self.aux_jobs.survey_after = survey_after;
        self
    }

    /// The observation before a step, or before it goes on.
    pub(crate) fn seen_before(&self, step: usize) -> Observation {
        let state = self.machine.state();
        let of_step = &state.steps[step - 1];
        let unit = of_step.unchecked.as_ref().map(|unchecked| unchecked.0);
        let agent = unit.map(|unit| (self.script)(unit));
        let signals = self.aux_jobs.repository.then(|| signals(Fingerprint("begin".to_owned())));
        match (agent, &of_step.status) {
            (Some(agent), StepStatus::Open) => self.aux_jobs.seen(step, &agent, state),
            _ => Observation {
                signals,
                open_tasks: self.aux_jobs.open_tasks.clone(),
                ..Observation::default()
            },
        }
    }

    pub(crate) fn prepare_room(&mut self, unit: UnitId) {
        assert!(self.aux_jobs.open_room.is_none(), "two rooms at once");
        self.aux_jobs.open_room = Some(unit);
        self.aux_jobs.rooms += 1;
        match (self.aux_jobs.room)(unit) {
            SimulatedRoom::After(at) => {
                let prepared = Input::CleanRoomPrepared { unit, failure: None };
                self.later(Duration::from_millis(at), prepared);
            }
            SimulatedRoom::Failing(why) => {
                self.later(Duration::ZERO, Input::CleanRoomPrepared { unit, failure: Some(why) });
            }
            SimulatedRoom::Never => {}
        }
    }

    pub(crate) fn clear_room(&mut self, unit: UnitId) {
        assert_eq!(self.aux_jobs.open_room.take(), Some(unit), "there is no such room");
    }

    pub(crate) fn survey(&mut self, step: usize) {
        self.aux_jobs.surveys += 1;
        let commit = CommitSummary { id: "1".to_owned(), subject: "Do it".to_owned() };
        let work = WorkSummary { commits: vec![commit], ..WorkSummary::default() };
        if self.machine.state().steps[step - 1].before.signals.is_none() {
            self.later(Duration::ZERO, Input::WorkSurveyed { step, work: None });
        } else if let Some(after) = self.aux_jobs.survey_after {
            self.later(
                Duration::from_millis(after),
                Input::WorkSurveyed { step, work: Some(work) },
            );
        }
    }

    pub(crate) fn run_aux_job(&mut self, aux_job: AuxJob) {
        let is_free = !self.is_at_work() && self.aux_jobs.doing.is_none();
        assert!(is_free || self.lenient, "two processes at once");
        self.aux_jobs.ran.push(aux_job);
        if let AuxJob::Check { unit, .. } | AuxJob::Setup { unit } = aux_job {
            let plan = &self.machine.state().plan.steps[unit.step - 1];
            let room = plan.clean_room.as_ref().map(|_| unit);
            assert!(self.lenient || self.aux_jobs.open_room == room, "checked in a wrong place");
        }
        let chore = (self.aux_jobs.script)(aux_job);
        if chore.is_known {
            let answer = chore.answer.clone();
            self.later(Duration::ZERO, Input::AuxJobSettled { aux_job, answer });
        } else if let ProcessEnd::NotStarted { .. } = chore.end {
            self.later(Duration::ZERO, Input::AuxJobExited { aux_job, end: chore.end.clone() });
        } else {
            self.later(Duration::ZERO, Input::AuxJobStarted { aux_job, pid: 2 });
            if let Some(at) = chore.exits_at {
                let end = chore.end.clone();
                self.later(Duration::from_millis(at), Input::AuxJobExited { aux_job, end });
            }
        }
        let started = self.now;
        self.aux_jobs.doing =
            Some(SimulatedAuxJob { aux_job, chore, started, exited: false, gone: false });
    }

    fn running_aux_job(&mut self, aux_job: AuxJob) -> Option<&mut SimulatedAuxJob> {
        self.aux_jobs.doing.as_mut().filter(|doing| doing.aux_job == aux_job)
    }

    pub(crate) fn signal_aux_job(&mut self, aux_job: AuxJob, signal: ProcessSignal) {
        self.aux_jobs.signals.push((self.now, signal));
        let Some(doing) = self.running_aux_job(aux_job) else { return };
        let ends = |obeys: Option<ProcessSignal>| {
            signal >= ProcessSignal::Hangup && obeys.is_some_and(|o| signal >= o)
        };
        let is_process = !doing.chore.is_known;
        if is_process && !doing.exited && ends(doing.chore.obeys) {
            let end = if signal == ProcessSignal::Kill {
                ProcessEnd::Signaled(9)
            } else {
                doing.chore.end.clone()
            };
            self.later(Duration::from_millis(1), Input::AuxJobExited { aux_job, end });
        } else if doing.exited && !doing.gone && ends(doing.chore.stragglers_obey) {
            self.later(Duration::from_millis(1), Input::AuxJobGone { aux_job });
        }
    }

    pub(crate) fn note_aux_job_exit(&mut self, aux_job: AuxJob) {
        let Some(doing) = self.running_aux_job(aux_job) else { return };
        let first = !std::mem::replace(&mut doing.exited, true);
        if first && doing.chore.stragglers_obey == Some(ProcessSignal::Continue) {
            self.later(Duration::ZERO, Input::AuxJobGone { aux_job });
        }
    }

    pub(crate) fn note_aux_job_gone(&mut self, aux_job: AuxJob) {
        let now = self.now;
        let Some(doing) = self.running_aux_job(aux_job) else { return };
        if std::mem::replace(&mut doing.gone, true) {
            return;
        }
        let read_at = doing.started + Duration::from_millis(doing.chore.read_at);
        let answer = doing.chore.answer.clone();
        self.later(read_at.saturating_sub(now), Input::AuxJobSettled { aux_job, answer });
    }
}
