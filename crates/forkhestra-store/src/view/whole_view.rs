//! Everything about a run in one piece, as `forkhestra show --json` prints it.

use forkhestra_core::event::EventKind;
use forkhestra_core::history::{Liveness, RunHistory};
use forkhestra_core::time::Timestamp;
use serde::Serialize;

use super::ViewFacts;
use super::chain_view::ChainView;
use super::iteration_view::IterationView;
use super::steering_view::SteeringView;
use crate::journal::recorded_run::RecordedRun;
use crate::runs::lock_owner::LockOwner;
use crate::runs::run_dir::RunDir;

/// Everything about a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WholeView {
    /// What `chain-<id>.json` has.
    #[serde(flatten)]
    pub chain: ChainView,
    /// The versions of the program that had a part in it, in order.
    pub programs: Vec<String>,
    /// Who is at work on it, if somebody is.
    pub owner: Option<OwnerView>,
    /// All tries of all steps that are over, in order.
    pub iterations: Vec<IterationView>,
    /// What people asked of it while it went on.
    #[serde(flatten)]
    pub steering: SteeringView,
    /// What was warned of.
    pub warnings: Vec<WarningView>,
    /// Where it is kept.
    pub files: FilesView,
    /// Why it stopped, if that is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<serde_json::Value>,
}

/// Who is at work on a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OwnerView {
    /// Its process.
    pub pid: u32,
    /// Since when.
    pub since: String,
}

/// A warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WarningView {
    /// When.
    pub at: String,
    /// What.
    pub message: String,
}

/// Where a run is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FilesView {
    /// Its directory.
    pub directory: String,
    /// Its journal.
    pub journal: String,
    /// What the agent of the last iteration printed; none if nothing of that is kept.
    pub output: Option<String>,
    /// What it said in the background, if it ever was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub console: Option<String>,
}

impl WholeView {
    /// What a run comes to.
    pub fn of(
        run: &RunDir,
        past: &RecordedRun,
        liveness: Liveness,
        owner: Option<&LockOwner>,
        resume: &str,
    ) -> Self {
        let history = &past.history;
        let facts = ViewFacts { journal: run.journal(), resume: Some(resume.to_owned()) };
        let warning = |at: &Timestamp, message: &String| WarningView {
            at: at.to_string(),
            message: message.clone(),
        };
        Self {
            chain: ChainView::of(history, liveness, &facts),
            programs: programs(past),
            owner: owner.map(|owner| OwnerView { pid: owner.pid, since: owner.since.to_string() }),
            iterations: iterations(history),
            steering: SteeringView::of(history, liveness),
            warnings: history.warnings.iter().map(|(at, message)| warning(at, message)).collect(),
            files: FilesView::of(run, history),
            why: None,
        }
    }
}

impl FilesView {
    /// Where a run is kept.
    pub fn of(run: &RunDir, history: &RunHistory) -> Self {
        let last = history.steps.iter().rev().find_map(|step| {
            let work = step.unfinished_agent.as_ref().map(|work| work.unit);
            work.or_else(|| step.iterations.last().map(|record| record.unit))
        });
        let output = last.map(|unit| run.output_of(unit)).filter(|output| output.is_dir());
        let console = Some(run.console()).filter(|console| console.is_file());
        Self {
            directory: run.path().display().to_string(),
            journal: run.journal().display().to_string(),
            output: output.map(|output| output.display().to_string()),
            console: console.map(|console| console.display().to_string()),
        }
    }
}

/// The versions of the program that had a part in a run, each once, in order.
pub fn programs(past: &RecordedRun) -> Vec<String> {
    let mut programs: Vec<String> = Vec::new();
    for event in &past.recorded.events {
        let (EventKind::RunStarted { program, .. } | EventKind::RunResumed { program, .. }) =
            &event.kind
        else {
            continue;
        };
        if !programs.contains(program) {
            programs.push(program.clone());
        }
    }
    programs
}

fn iterations(history: &RunHistory) -> Vec<IterationView> {
    let run = &history.state.run;
    let steps = history.state.plan.steps.iter().zip(&history.steps);
    let of_step = steps.map(|(plan, step)| {
        let records = step.iterations.iter();
        records.map(|record| IterationView::of(run, &plan.agent.name, record))
    });
    of_step.flatten().collect()
}
