//! The process of a simulated agent.

use std::time::Duration;

use super::run_simulation::RunSimulation;
use super::samples::{marker_match, there};
use super::simulated_agent::SimulatedAgent;
use crate::event::{Observation, OutputSummary, ProcessEnd, TaskChanges};
use crate::id::UnitId;
use crate::machine::{AgentSample, Input, ProcessSignal};
use crate::policy::LivenessProbe;

/// The process of a simulated agent.
pub(super) struct SimulatedProcess {
    unit: UnitId,
    agent: SimulatedAgent,
    started: Duration,
    exited: bool,
    gone: bool,
}

impl RunSimulation {
    pub(super) fn spawn(&mut self, unit: UnitId) {
        let is_free = self.running.is_none() && self.aux_jobs.doing.is_none();
        assert!(is_free || self.lenient, "two processes at once");
        assert!(self.lenient || self.may_start_agent(unit), "{unit} is paid for unasked");
        self.spawned.push(unit);
        let agent = self.agent(unit);
        let milliseconds = Duration::from_millis;
        if let ProcessEnd::NotStarted { .. } = agent.end {
            self.later(Duration::ZERO, Input::Exited { unit, end: agent.end.clone() });
        } else {
            self.later(Duration::ZERO, Input::Started { unit, pid: 1, prompt: None });
            if let Some(at) = agent.says_done_at {
                self.later(milliseconds(at), Input::Marker { unit, marker_match: marker_match() });
            }
            let (is_done, now) = (agent.says_done_at_end, self.clock().wall);
            for (at, fact) in agent.stream.iter().flat_map(|s| s.facts(unit, is_done, now)) {
                self.later(milliseconds(at), fact);
            }
            if let Some(at) = agent.exits_at {
                self.later(milliseconds(at), Input::Exited { unit, end: agent.end.clone() });
            }
        }
        self.running =
            Some(SimulatedProcess { unit, agent, started: self.now, exited: false, gone: false });
    }

    pub(super) fn signal_agent(&mut self, unit: UnitId, signal: ProcessSignal) {
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

    pub(super) fn note_exit(&mut self, unit: UnitId) {
        let Some(work) = self.running.as_mut().filter(|work| work.unit == unit) else { return };
        let first = !std::mem::replace(&mut work.exited, true);
        if first && work.agent.stragglers_obey == Some(ProcessSignal::Continue) {
            self.later(Duration::ZERO, Input::Gone { unit });
        }
    }

    pub(super) fn note_gone(&mut self, unit: UnitId) {
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
        let (observation, needs_observation) = match agent.looked_at {
            None => (observation, false),
            Some(_) => {
                (Observation { done_file: observation.done_file, ..Observation::default() }, true)
            }
        };
        let decides = self.machine.state().plan.steps[unit.step - 1].decides_round;
        let closing_text = decides.then(|| format!("text of {unit}"));
        let output = OutputSummary { stdout: 10, stderr: 0 };
        self.running = None;
        let wait = read_at.saturating_sub(self.now);
        let stream_summary = stream.map(|stream| stream.summary(self.clock().wall));
        self.later(
            wait,
            Input::Settled {
                closing_text,
                unit,
                output,
                marker_match: found_match,
                observation,
                needs_observation,
                stream_summary,
            },
        );
    }

    /// Observes an agent's work, with its delay.
    pub(super) fn observe_work(&mut self, unit: UnitId) {
        let agent = self.agent(unit);
        let observation = self.aux_jobs.seen(unit.step, &agent, self.machine.state());
        let takes = Duration::from_millis(agent.looked_at.unwrap_or_default());
        self.later(takes, Input::TasksChanged { unit, changes: TaskChanges::default() });
        self.later(takes, Input::WorkObserved { unit, observation });
    }

    pub(super) fn probe(&mut self, unit: UnitId) {
        self.probes += 1;
        let Some(work) = self.running.as_ref().filter(|work| work.unit == unit) else { return };
        let age = self.now - work.started;
        let cpu = age / 1000 * work.agent.load;
        let probe = LivenessProbe {
            silent: age,
            cpu,
            waited: Duration::ZERO,
            received: 0,
            work_counts: true,
            blocked: false,
        };
        let done_file = work.agent.done_file.then(there);
        self.later(
            Duration::ZERO,
            Input::Probed { unit, sample: AgentSample { probe, done_file } },
        );
    }
}
