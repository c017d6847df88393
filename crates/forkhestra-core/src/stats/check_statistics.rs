//! The statistics of one check in one run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::{CheckReport, Observation};
use crate::history::IterationRecord;
use crate::plan::PlanStep;

/// The statistics of one check in one run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckStatistics {
    /// Its name, or else its text.
    pub name: String,
    /// How often it ran after an iteration.
    pub runs: u32,
    /// How often it failed.
    pub failed: u32,
    /// The number of work trees on which it both passed and failed.
    pub flaky: u32,
    /// The duration of each run in milliseconds, in ascending order.
    pub durations: Vec<u64>,
}

/// The checks of a run while its iterations are folded.
#[derive(Debug, Default)]
pub(super) struct CheckFold {
    checks: Vec<CheckStatistics>,
    /// Whether a check failed, and whether it passed, by check, what it ran and work tree. Checks of
    /// several steps may have the same name.
    verdicts: BTreeMap<(usize, String, String), [bool; 2]>,
}

impl CheckFold {
    /// Folds the checks of an attempt of a step.
    pub(super) fn add(&mut self, step: &PlanStep, record: &IterationRecord) {
        let tree = tree_key(&record.report.observation);
        for report in &record.report.checks {
            let mut planned = step.checks.iter().map(|check| &check.value);
            let planned = planned.find(|check| check.display_name() == report.name);
            let what = planned.map_or_else(|| report.name.clone(), |check| check.check.to_string());
            self.add_check(report, what, tree.as_deref());
        }
    }

    pub(super) fn into_checks(self) -> Vec<CheckStatistics> {
        let mut checks = self.checks;
        for ((check, ..), verdicts) in self.verdicts {
            checks[check].flaky += u32::from(verdicts == [true, true]);
        }
        checks.iter_mut().for_each(|check| check.durations.sort_unstable());
        checks
    }

    fn add_check(&mut self, report: &CheckReport, what: String, tree: Option<&str>) {
        let known = self.checks.iter().position(|check| check.name == report.name);
        let index = known.unwrap_or_else(|| {
            self.checks.push(CheckStatistics { name: report.name.clone(), ..Default::default() });
            self.checks.len() - 1
        });
        let check = &mut self.checks[index];
        check.runs += 1;
        check.failed += u32::from(!report.passed());
        check.durations.push(report.duration.as_millis().try_into().unwrap_or(u64::MAX));
        if let Some(tree) = tree {
            let verdicts = self.verdicts.entry((index, what, tree.to_owned())).or_default();
            verdicts[usize::from(report.passed())] = true;
        }
    }
}

/// Identifies the work tree that was checked: commit, index, files and tasks. None if it was not
/// observed.
fn tree_key(observation: &Observation) -> Option<String> {
    let Observation { tree, signals, done_file, .. } = observation;
    let is_known = tree.is_some() || signals.is_some();
    is_known.then(|| format!("{tree:?} {signals:?} {done_file:?}"))
}
