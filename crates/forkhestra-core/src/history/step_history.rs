//! The history of one step.

use super::iteration_record::IterationRecord;
use crate::cost::Spend;
use crate::event::{
    CheckReport, Event, EventKind, FallbackUse, Fingerprint, IterationReport, Observation,
    StopReason, TaskChanges,
};
use crate::id::UnitId;
use crate::machine::{StepState, StepStatus};
use crate::time::Timestamp;

/// The history of one step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepHistory {
    pub started: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    /// All finished attempts, in order. An iteration has several records if its first attempts were
    /// cut off.
    pub iterations: Vec<IterationRecord>,
    /// The agent whose end is not recorded.
    pub unfinished_agent: Option<UnfinishedAgent>,
    /// The repository at the last observation.
    repository: Observation,
    /// The whole work tree at the last observation.
    tree: Option<Fingerprint>,
    /// Whether the run was resumed since then, so that a person may have changed something.
    resumed: bool,
}

/// An agent whose end is not recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct UnfinishedAgent {
    pub unit: UnitId,
    /// When it was about to be started.
    pub started: Timestamp,
    /// The back-end that runs it in place of the primary one of the step.
    pub fallback: Option<FallbackUse>,
    pub pid: Option<u32>,
    /// Why forkhestra is ending it.
    pub ending: Option<StopReason>,
    /// When it ended, while its work is being checked.
    pub gone: Option<Timestamp>,
    /// The checks finished so far.
    pub checks: Vec<CheckReport>,
    /// What it changed in the task database, once it has ended.
    pub tasks: Option<TaskChanges>,
    /// What it has spent so far; none if it has reported nothing.
    pub spend: Option<Spend>,
    /// Whether the process that started it is gone, so that its end was not observed.
    cut_off: bool,
}

impl StepHistory {
    /// Folds an event in the scope of the step.
    pub(super) fn apply(&mut self, event: &Event) {
        match &event.kind {
            EventKind::StepStarted { observation, .. } => {
                self.started = self.started.or(Some(event.at));
                self.ended = None;
                self.repository = observation.repository();
                self.tree.clone_from(&observation.tree);
                self.resumed = false;
            }
            EventKind::StepFinished { .. } => self.ended = Some(event.at),
            EventKind::IterationStarted { unit, fallback } => {
                let fallback = *fallback;
                let agent = UnfinishedAgent { fallback, ..UnfinishedAgent::new(*unit, event.at) };
                self.unfinished_agent = Some(agent);
            }
            EventKind::IterationFinished { unit, report } => {
                self.finish_iteration(*unit, event.at, report);
            }
            EventKind::TasksChanged { unit, changes } => {
                let last = self.iterations.last_mut().filter(|last| last.unit == *unit);
                let agent = self.unfinished_agent.as_mut().filter(|agent| agent.unit == *unit);
                let tasks = agent.map(|agent| &mut agent.tasks);
                if let Some(tasks) = tasks.or(last.map(|last| &mut last.tasks)) {
                    *tasks = Some(changes.clone());
                }
            }
            kind => {
                let agent = self.unfinished_agent.as_mut();
                if let Some(agent) = agent.filter(|agent| event.scope.unit() == Some(agent.unit)) {
                    agent.apply(event.at, kind);
                }
            }
        }
    }

    /// Applies a resume. A reopened step has not ended.
    pub(super) fn resume(&mut self, state: &StepState) {
        if state.status == StepStatus::Open {
            self.ended = None;
        }
        self.resumed = true;
        if let Some(work) = &mut self.unfinished_agent {
            work.cut_off = true;
            // A resume repeats all checks.
            work.checks.clear();
        }
    }

    fn finish_iteration(&mut self, unit: UnitId, at: Timestamp, report: &IterationReport) {
        let agent = self.unfinished_agent.take().filter(|agent| agent.unit == unit);
        let agent = agent.unwrap_or_else(|| UnfinishedAgent::new(unit, at));
        let ended = match agent.gone {
            _ if !agent.cut_off => at,
            // The report of a cut-off attempt is recorded much later, at the resume.
            Some(gone) => gone,
            None => agent.started.saturating_add(report.duration),
        };
        let before = self.repository.clone();
        // A difference since before a resume may be the work of a person.
        let changed =
            self.is_change(&report.observation).filter(|changed| !(*changed && self.resumed));
        if report.observation.signals.is_some() || report.observation.tree.is_some() {
            self.resumed = false;
        }
        self.tree = report.observation.tree.clone().or_else(|| self.tree.take());
        if report.observation.signals.is_some() {
            self.repository = report.observation.repository();
        }
        self.iterations.push(IterationRecord {
            unit,
            started: agent.started,
            fallback: agent.fallback,
            ended,
            pid: agent.pid,
            ending: agent.ending,
            agent_end_recorded: agent.gone.is_some(),
            before,
            report: report.clone(),
            spend: report.spend.or(agent.spend),
            changed,
            tasks: agent.tasks,
        });
    }

    /// Whether an observation differs from the last one; none if either is unknown.
    fn is_change(&self, observation: &Observation) -> Option<bool> {
        match (&self.repository.signals, &observation.signals) {
            (Some(before), Some(after)) => Some(before != after),
            _ => Some(self.tree.as_ref()? != observation.tree.as_ref()?),
        }
    }
}

impl UnfinishedAgent {
    /// Whether the process that started it is gone.
    pub const fn was_cut_off(&self) -> bool {
        self.cut_off
    }

    const fn new(unit: UnitId, started: Timestamp) -> Self {
        Self {
            unit,
            started,
            fallback: None,
            pid: None,
            ending: None,
            gone: None,
            checks: Vec::new(),
            tasks: None,
            spend: None,
            cut_off: false,
        }
    }

    fn apply(&mut self, at: Timestamp, kind: &EventKind) {
        match kind {
            EventKind::AgentStarted { pid, .. } => self.pid = Some(*pid),
            EventKind::AgentEnding { why, .. } => self.ending = Some(*why),
            EventKind::Spent { spend, .. } => self.spend = Some(*spend),
            EventKind::AgentFinished { report, .. } => {
                self.gone = Some(at);
                self.spend = report.spend.or(self.spend);
            }
            EventKind::CheckFinished { report, .. } => self.checks.push(report.clone()),
            _ => {}
        }
    }
}
