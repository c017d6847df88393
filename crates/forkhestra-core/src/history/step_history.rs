//! What happened in one step.

use super::iteration_record::IterationRecord;
use crate::event::{CheckReport, IterationReport, TaskChanges};
use crate::id::UnitId;
use crate::machine::{StepState, StepStatus};
use crate::time::Timestamp;

/// What happened in one step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepHistory {
    /// When it began, if it did.
    pub started: Option<Timestamp>,
    /// When it ended, if it did.
    pub ended: Option<Timestamp>,
    /// All tries that are over, in order. A number is there several times if its first tries were cut
    /// off.
    pub iterations: Vec<IterationRecord>,
    /// The agent that was not seen to end.
    pub unfinished_agent: Option<UnfinishedAgent>,
}

/// An agent that was not seen to end.
#[derive(Debug, Clone, PartialEq)]
pub struct UnfinishedAgent {
    /// Which one.
    pub unit: UnitId,
    /// When it was about to be started.
    pub started: Timestamp,
    /// Its process, once that is known.
    pub pid: Option<u32>,
    /// When it was gone, if it is and only what it made is being checked.
    pub gone: Option<Timestamp>,
    /// What has been checked by now.
    pub checks: Vec<CheckReport>,
    /// What it changed in the task database, once it is gone.
    pub tasks: Option<TaskChanges>,
    /// Whether the run that started it is over, so that nobody saw when it ended.
    cut_off: bool,
}

impl StepHistory {
    pub(super) fn begin(&mut self, at: Timestamp) {
        self.started = self.started.or(Some(at));
        self.ended = None;
    }

    /// The run goes on. What was opened again by that has not ended.
    pub(super) fn resume(&mut self, state: &StepState) {
        if state.status == StepStatus::Open {
            self.ended = None;
        }
        if let Some(work) = &mut self.unfinished_agent {
            work.cut_off = true;
            // Everything is checked again.
            work.checks.clear();
        }
    }

    pub(super) fn begin_iteration(&mut self, unit: UnitId, at: Timestamp) {
        self.unfinished_agent = Some(UnfinishedAgent {
            unit,
            started: at,
            pid: None,
            gone: None,
            checks: Vec::new(),
            tasks: None,
            cut_off: false,
        });
    }

    pub(super) fn agent_finished(&mut self, unit: UnitId, at: Timestamp) {
        if let Some(work) = self.unfinished_agent.as_mut().filter(|work| work.unit == unit) {
            work.gone = Some(at);
        }
    }

    pub(super) fn check_finished(&mut self, unit: UnitId, report: &CheckReport) {
        if let Some(work) = self.unfinished_agent.as_mut().filter(|work| work.unit == unit) {
            work.checks.push(report.clone());
        }
    }

    pub(super) fn tasks_changed(&mut self, unit: UnitId, changes: &TaskChanges) {
        if let Some(work) = self.unfinished_agent.as_mut().filter(|work| work.unit == unit) {
            work.tasks = Some(changes.clone());
        } else if let Some(record) = self.iterations.last_mut().filter(|last| last.unit == unit) {
            record.tasks = Some(changes.clone());
        }
    }

    pub(super) fn agent_started(&mut self, unit: UnitId, pid: u32) {
        if let Some(work) = self.unfinished_agent.as_mut().filter(|work| work.unit == unit) {
            work.pid = Some(pid);
        }
    }

    pub(super) fn finish_iteration(
        &mut self,
        unit: UnitId,
        at: Timestamp,
        report: &IterationReport,
    ) {
        let work = self.unfinished_agent.take().filter(|work| work.unit == unit);
        let started = work.as_ref().map_or(at, |work| work.started);
        // What is told of one that was cut off is told much later.
        let was_cut_off = work.as_ref().is_some_and(|work| work.cut_off);
        let gone = work.as_ref().and_then(|work| work.gone);
        let ended = match gone {
            _ if !was_cut_off => at,
            Some(gone) => gone,
            None => started.saturating_add(report.duration),
        };
        let (pid, tasks) = work.map_or((None, None), |work| (work.pid, work.tasks));
        let report = report.clone();
        self.iterations.push(IterationRecord { unit, started, ended, pid, report, tasks });
    }
}
