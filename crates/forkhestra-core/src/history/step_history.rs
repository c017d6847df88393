//! The history of one step.

use super::iteration_record::IterationRecord;
use super::observed_tree::ObservedTree;
use crate::cost::Spend;
use crate::event::{
    CheckReport, Event, EventKind, FallbackUse, IterationReport, StopReason, TaskChanges,
};
use crate::id::{LaneNumber, UnitId};
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
    /// The agents whose end is not recorded: at most one in each lane.
    pub unfinished_agents: Vec<UnfinishedAgent>,
    /// The work trees in which its agents work, at the last observation.
    trees: Vec<ObservedTree>,
}

/// An agent whose end is not recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct UnfinishedAgent {
    pub unit: UnitId,
    /// The lane that it works in; none in the user's work tree.
    pub lane: Option<LaneNumber>,
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
    /// The last agent whose end is not recorded.
    pub fn unfinished_agent(&self) -> Option<&UnfinishedAgent> {
        self.unfinished_agents.last()
    }

    /// Folds an event in the scope of the step.
    pub(super) fn apply(&mut self, event: &Event) {
        match &event.kind {
            EventKind::StepStarted { observation, .. } => {
                self.started = self.started.or(Some(event.at));
                self.ended = None;
                self.trees.retain(|tree| tree.lane != event.lane);
                self.trees.push(ObservedTree::begin(event.lane, observation));
            }
            EventKind::StepFinished { .. } => self.ended = Some(event.at),
            EventKind::IterationStarted { unit, fallback } => {
                let (lane, fallback) = (event.lane, *fallback);
                let agent = UnfinishedAgent::new(*unit, lane, event.at);
                self.unfinished_agents.retain(|agent| agent.lane != lane);
                self.unfinished_agents.push(UnfinishedAgent { fallback, ..agent });
            }
            EventKind::IterationFinished { unit, report } => {
                self.finish_iteration(*unit, event, report);
            }
            EventKind::TasksChanged { unit, changes } => {
                let last = self.iterations.iter_mut().rfind(|last| last.lane == event.lane);
                let last = last.filter(|last| last.unit == *unit);
                let mut agents = self.unfinished_agents.iter_mut();
                let agent = agents.find(|agent| agent.unit == *unit);
                let tasks = agent.map(|agent| &mut agent.tasks);
                if let Some(tasks) = tasks.or(last.map(|last| &mut last.tasks)) {
                    *tasks = Some(changes.clone());
                }
            }
            kind => {
                let of_event = |agent: &&mut UnfinishedAgent| {
                    agent.lane == event.lane && event.scope.unit() == Some(agent.unit)
                };
                if let Some(agent) = self.unfinished_agents.iter_mut().find(of_event) {
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
        self.trees.iter_mut().for_each(|tree| tree.resumed = true);
        for work in &mut self.unfinished_agents {
            work.cut_off = true;
            // A resume repeats all checks.
            work.checks.clear();
        }
    }

    fn finish_iteration(&mut self, unit: UnitId, event: &Event, report: &IterationReport) {
        let (at, lane) = (event.at, event.lane);
        let mut of_lane = self.unfinished_agents.extract_if(.., |agent| agent.lane == lane);
        let agent = of_lane.next().filter(|agent| agent.unit == unit);
        drop(of_lane);
        let agent = agent.unwrap_or_else(|| UnfinishedAgent::new(unit, lane, at));
        let ended = match agent.gone {
            _ if !agent.cut_off => at,
            // The report of a cut-off attempt is recorded much later, at the resume.
            Some(gone) => gone,
            None => agent.started.saturating_add(report.duration),
        };
        let tree = self.tree_mut(lane);
        let before = tree.repository.clone();
        let changed = tree.observe(&report.observation);
        self.iterations.push(IterationRecord {
            unit,
            lane,
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

    fn tree_mut(&mut self, lane: Option<LaneNumber>) -> &mut ObservedTree {
        let index = self.trees.iter().position(|tree| tree.lane == lane).unwrap_or_else(|| {
            self.trees.push(ObservedTree::unknown(lane));
            self.trees.len() - 1
        });
        &mut self.trees[index]
    }
}

impl UnfinishedAgent {
    /// Whether the process that started it is gone.
    pub const fn was_cut_off(&self) -> bool {
        self.cut_off
    }

    const fn new(unit: UnitId, lane: Option<LaneNumber>, started: Timestamp) -> Self {
        Self {
            unit,
            lane,
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
