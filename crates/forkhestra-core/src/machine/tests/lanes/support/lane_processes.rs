//! Simulated processes by their place: one agent or aux job at each.

use std::time::Duration;

use super::lane_scripts::{AgentStart, JobStart, LaneAgent};
use super::lanes_simulation::LanesSimulation;
use super::simulated_repository::{UnitSet, commit};
use crate::event::{
    AuxJob, Fingerprint, Observation, OutputSummary, PathList, ProcessEnd, TaskChanges,
};
use crate::id::UnitId;
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::support::samples::{marker_match, there};
use crate::machine::{AgentSample, Effect, Input, ProcessSignal, Workplace};
use crate::policy::LivenessProbe;

/// The user's work tree, a lane or the check-out of the merge queue.
pub(super) type Place = Option<Workplace>;

/// A process at its place.
pub(super) struct PlacedProcess {
    pub(super) what: PlacedWork,
    started: Duration,
    exited: bool,
    gone: bool,
}

pub(super) enum PlacedWork {
    Agent(UnitId, Box<LaneAgent>),
    AuxJob(AuxJob, AuxJobScript),
}

impl PlacedProcess {
    fn new(what: PlacedWork, started: Duration) -> Self {
        Self { what, started, exited: false, gone: false }
    }

    fn is_agent(&self, of: UnitId) -> bool {
        matches!(&self.what, PlacedWork::Agent(unit, _) if *unit == of)
    }

    fn is_aux_job(&self, of: AuxJob) -> bool {
        matches!(&self.what, PlacedWork::AuxJob(aux_job, _) if *aux_job == of)
    }
}

impl LanesSimulation {
    /// Performs an effect at a place.
    pub(super) fn perform_at(&mut self, place: Place, effect: Effect) {
        match effect {
            Effect::Observe { step } => {
                let observation = self.observation(place, step);
                let after = self.delay();
                self.send(place, after, Input::Observed { step, observation });
            }
            Effect::PollTasks { step } => {
                let agents = self.running_agents();
                let work = (self.scripts.tasks)(&self.repository, agents);
                let after = self.delay();
                self.send(place, after, Input::TasksPolled { step, work });
            }
            Effect::ObserveWork { unit } => {
                let observation = self.observation(place, unit.step);
                let (after, changes) = (self.delay(), TaskChanges::default());
                self.send(place, after, Input::TasksChanged { unit, changes });
                self.send(place, after, Input::WorkObserved { unit, observation });
            }
            Effect::Spawn { unit } => self.spawn_at(place, unit),
            Effect::SignalAgent { unit, signal } => self.signal_agent_at(place, unit, signal),
            Effect::Probe { unit } => self.probe_at(place, unit),
            Effect::AbandonAgent { unit } => {
                self.processes.retain(|at, process| *at != place || !process.is_agent(unit));
            }
            Effect::PrepareCleanRoom { unit } => {
                self.send(place, 50, Input::CleanRoomPrepared { unit, failure: None });
            }
            Effect::RunAuxJob { aux_job } => self.run_aux_job_at(place, aux_job),
            Effect::SignalAuxJob { aux_job, signal } => {
                self.signal_aux_job_at(place, aux_job, signal);
            }
            Effect::AbandonAuxJob { aux_job } => {
                self.processes.retain(|at, process| *at != place || !process.is_aux_job(aux_job));
            }
            Effect::CompareTasks { unit } => {
                let changes = TaskChanges::default();
                self.send(place, 0, Input::TasksChanged { unit, changes });
            }
            Effect::SurveyWork { step } => {
                self.send(place, 20, Input::WorkSurveyed { step, work: None });
            }
            Effect::ClearCleanRoom { .. } => {}
            general => panic!("{general:?} at {place:?}"),
        }
    }

    /// The number of agents that run.
    pub(in crate::machine::tests) fn running_agents(&self) -> usize {
        let agents = self.processes.values().filter(|process| !process.exited);
        agents.filter(|process| matches!(process.what, PlacedWork::Agent(..))).count()
    }

    fn tree_at(&self, place: Place) -> UnitSet {
        match place {
            None => self.repository.user.clone(),
            Some(Workplace::MergeQueue) => self.repository.checked_out.clone(),
            Some(Workplace::Lane(lane)) => self.repository.lanes[&lane].head.clone(),
        }
    }

    fn observation(&self, place: Place, step: usize) -> Observation {
        let plan = &self.machine.state().plan.steps[step - 1];
        let tree = Fingerprint(commit(&self.tree_at(place)).to_string());
        Observation {
            tree: Some(tree),
            protected: plan.protect.as_ref().map(|_| PathList::default()),
            uncommitted: plan.clean_room.as_ref().map(|_| PathList::default()),
            ..Observation::default()
        }
    }

    fn spawn_at(&mut self, place: Place, unit: UnitId) {
        assert!(!self.processes.contains_key(&place), "two processes at {place:?}");
        assert_ne!(place, Some(Workplace::MergeQueue), "no agent merges");
        self.assert_may_start(place, unit);
        let lane = match place {
            Some(Workplace::Lane(lane)) => Some(lane),
            _ => None,
        };
        let state = self.machine.state();
        let of_lane = lane.and_then(|lane| state.lanes.as_deref()?.lane(lane));
        let steps = of_lane.map_or(&state.steps, |lane| &lane.progress.steps);
        let feedback = steps[unit.step - 1].feedback.text();
        let start = AgentStart { unit, lane, feedback };
        let agent = (self.scripts.agent)(&start);
        self.started.push(start);
        if let ProcessEnd::NotStarted { .. } = agent.process.end {
            self.send(place, 0, Input::Exited { unit, end: agent.process.end.clone() });
        } else {
            self.send(place, 0, Input::Started { unit, pid: 1, prompt: None });
            if let Some(at) = agent.process.says_done_at {
                self.send(place, at, Input::Marker { unit, marker_match: marker_match() });
            }
            let (is_done, now) = (agent.process.says_done_at_end, self.clock().wall);
            let facts = agent.process.stream.iter().flat_map(|s| s.facts(unit, is_done, now));
            for (at, fact) in facts.collect::<Vec<_>>() {
                self.send(place, at, fact);
            }
            if let Some(at) = agent.process.exits_at {
                self.send(place, at, Input::Exited { unit, end: agent.process.end.clone() });
            }
        }
        let what = PlacedWork::Agent(unit, Box::new(agent));
        self.processes.insert(place, PlacedProcess::new(what, self.now));
    }

    fn signal_agent_at(&mut self, place: Place, unit: UnitId, signal: ProcessSignal) {
        self.signals.push((self.now, place, signal));
        let Some(process) = self.processes.get(&place).filter(|p| p.is_agent(unit)) else { return };
        let PlacedWork::Agent(_, agent) = &process.what else { return };
        let ends = |obeys: Option<ProcessSignal>| {
            signal >= ProcessSignal::Hangup && obeys.is_some_and(|o| signal >= o)
        };
        if !process.exited && ends(agent.process.obeys) {
            let is_killed = signal == ProcessSignal::Kill;
            let end = if is_killed { ProcessEnd::Signaled(9) } else { agent.process.end.clone() };
            self.send(place, 1, Input::Exited { unit, end });
        } else if process.exited && !process.gone && ends(agent.process.stragglers_obey) {
            self.send(place, 1, Input::Gone { unit });
        }
    }

    fn probe_at(&mut self, place: Place, unit: UnitId) {
        let Some(process) = self.processes.get(&place).filter(|p| p.is_agent(unit)) else { return };
        let PlacedWork::Agent(_, agent) = &process.what else { return };
        let age = self.now - process.started;
        let probe = LivenessProbe {
            silent: age,
            cpu: age / 1000 * agent.process.load,
            waited: Duration::ZERO,
            received: 0,
            work_counts: true,
            blocked: false,
        };
        let done_file = agent.process.done_file.then(there);
        self.send(place, 0, Input::Probed { unit, sample: AgentSample { probe, done_file } });
    }

    /// Notes an input about a process before the machine handles it.
    pub(super) fn note_process(&mut self, place: Place, input: &Input) {
        match input {
            Input::Exited { unit, .. } => self.agent_exits(place, *unit),
            Input::Gone { unit } => self.agent_is_gone(place, *unit),
            Input::AuxJobExited { aux_job, .. } => self.aux_job_exits(place, *aux_job),
            Input::AuxJobGone { aux_job } => self.aux_job_is_gone(place, *aux_job),
            Input::AuxJobSettled { aux_job, .. } => {
                self.processes.retain(|at, process| *at != place || !process.is_aux_job(*aux_job));
            }
            _ => {}
        }
    }

    fn agent_exits(&mut self, place: Place, unit: UnitId) {
        let Some(process) = self.processes.get_mut(&place).filter(|p| p.is_agent(unit)) else {
            return;
        };
        let is_first = !std::mem::replace(&mut process.exited, true);
        let PlacedWork::Agent(_, agent) = &process.what else { return };
        let has_run = !matches!(agent.process.end, ProcessEnd::NotStarted { .. });
        let (commits, merges) = (agent.commits && has_run, agent.merges && has_run);
        if !is_first {
            return;
        }
        if agent.process.stragglers_obey == Some(ProcessSignal::Continue) {
            self.send(place, 0, Input::Gone { unit });
        }
        self.commit_at(place, unit, commits, merges);
    }

    /// Lets the agent at a place merge the integration ref and commit work.
    pub(super) fn commit_at(&mut self, place: Place, unit: UnitId, commits: bool, merges: bool) {
        let own = commits.then(|| unit.to_string());
        self.repository.made.extend(own.clone());
        match place {
            Some(Workplace::Lane(lane)) => {
                let lane = self.repository.lanes.get_mut(&lane).expect("the lane was opened");
                if merges {
                    lane.head
                        .extend(lane.integration.iter().flatten().cloned().collect::<Vec<_>>());
                }
                lane.head.extend(own);
            }
            _ => self.repository.user.extend(own),
        }
    }

    fn agent_is_gone(&mut self, place: Place, unit: UnitId) {
        let Some(process) = self.processes.get_mut(&place).filter(|p| p.is_agent(unit)) else {
            return;
        };
        if std::mem::replace(&mut process.gone, true) {
            return;
        }
        let PlacedWork::Agent(_, agent) = &process.what else { return };
        let process = agent.process.clone();
        self.processes.remove(&place);
        let marker_match = process.says_done_at_end.then(marker_match);
        let known = self.observation(place, unit.step);
        let observation = match process.looked_at {
            None => known,
            Some(_) => Observation::default(),
        };
        let wall = self.clock().wall;
        let settled = Input::Settled {
            closing_text: None,
            unit,
            output: OutputSummary { stdout: 10, stderr: 0 },
            marker_match,
            observation,
            needs_observation: process.looked_at.is_some(),
            stream_summary: process.stream.as_ref().map(|stream| stream.summary(wall)),
        };
        self.send(place, 0, settled);
    }

    fn run_aux_job_at(&mut self, place: Place, aux_job: AuxJob) {
        assert!(!self.processes.contains_key(&place), "two processes at {place:?}");
        let start = JobStart { place, aux_job, tree: self.tree_at(place) };
        let script = (self.scripts.job)(&start);
        self.ran.push(start);
        if script.is_known {
            let answer = script.answer.clone();
            self.send(place, 0, Input::AuxJobSettled { aux_job, answer });
        } else if let ProcessEnd::NotStarted { .. } = script.end {
            self.send(place, 0, Input::AuxJobExited { aux_job, end: script.end.clone() });
        } else {
            self.send(place, 0, Input::AuxJobStarted { aux_job, pid: 2 });
            if let Some(at) = script.exits_at {
                self.send(place, at, Input::AuxJobExited { aux_job, end: script.end.clone() });
            }
        }
        let what = PlacedWork::AuxJob(aux_job, script);
        self.processes.insert(place, PlacedProcess::new(what, self.now));
    }

    fn signal_aux_job_at(&mut self, place: Place, aux_job: AuxJob, signal: ProcessSignal) {
        self.signals.push((self.now, place, signal));
        let Some(process) = self.processes.get(&place).filter(|p| p.is_aux_job(aux_job)) else {
            return;
        };
        let PlacedWork::AuxJob(_, script) = &process.what else { return };
        let ends = |obeys: Option<ProcessSignal>| {
            signal >= ProcessSignal::Hangup && obeys.is_some_and(|o| signal >= o)
        };
        if !script.is_known && !process.exited && ends(script.obeys) {
            let is_killed = signal == ProcessSignal::Kill;
            let end = if is_killed { ProcessEnd::Signaled(9) } else { script.end.clone() };
            self.send(place, 1, Input::AuxJobExited { aux_job, end });
        } else if process.exited && !process.gone && ends(script.stragglers_obey) {
            self.send(place, 1, Input::AuxJobGone { aux_job });
        }
    }

    fn aux_job_exits(&mut self, place: Place, aux_job: AuxJob) {
        let Some(process) = self.processes.get_mut(&place).filter(|p| p.is_aux_job(aux_job)) else {
            return;
        };
        let is_first = !std::mem::replace(&mut process.exited, true);
        let PlacedWork::AuxJob(_, script) = &process.what else { return };
        if is_first && script.stragglers_obey == Some(ProcessSignal::Continue) {
            self.send(place, 0, Input::AuxJobGone { aux_job });
        }
    }

    fn aux_job_is_gone(&mut self, place: Place, aux_job: AuxJob) {
        let Some(process) = self.processes.get_mut(&place).filter(|p| p.is_aux_job(aux_job)) else {
            return;
        };
        if std::mem::replace(&mut process.gone, true) {
            return;
        }
        let PlacedWork::AuxJob(_, script) = &process.what else { return };
        let answer = script.answer.clone();
        self.send(place, 0, Input::AuxJobSettled { aux_job, answer });
    }
}
