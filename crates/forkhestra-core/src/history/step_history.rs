//! The history of one step.

use super::iteration_record::IterationRecord;
use crate::event::{CheckReport, IterationReport, TaskChanges};
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
}

/// An agent whose end is not recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct UnfinishedAgent {
    pub unit: UnitId,
    /// When it was about to be started.
    pub started: Timestamp,
    pub pid: Option<u32>,
    /// When it ended, while its work is being checked.
    pub gone: Option<Timestamp>,
    /// The checks finished so far.
    pub checks: Vec<CheckReport>,
    /// What it changed in the task database, once it has ended.
    pub tasks: Option<TaskChanges>,
    /// Whether the process that started it is gone, so that its end was not observed.
    cut_off: bool,
}

impl StepHistory {
    pub(super) fn begin(&mut self, at: Timestamp) {
        self.started = self.started.or(Some(at));
        self.ended = None;
    }

    /// Applies a resume. A reopened step has not ended.
    pub(super) fn resume(&mut self, state: &StepState) {
        if state.status == StepStatus::Open {
            self.ended = None;
        }
        if let Some(work) = &mut self.unfinished_agent {
            work.cut_off = true;
            // A resume repeats all checks.
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
        // The report of a cut-off attempt is recorded much later, at the resume.
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
