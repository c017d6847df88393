//! The complete view of a run, as `forkhestra show --json` prints it.

use forkhestra_core::event::{EventKind, ForkOrigin};
use forkhestra_core::history::{ExecutionStatus, Liveness, RunHistory};
use forkhestra_core::time::Timestamp;
use serde::Serialize;

use super::ViewFacts;
use super::chain_view::ChainView;
use super::flow_view::QuestionView;
use super::iteration_view::IterationView;
use super::steering_view::SteeringView;
use crate::journal::recorded_run::RecordedRun;
use crate::runs::lock_owner::LockOwner;
use crate::runs::run_dir::RunDir;
use crate::runs::run_overview::RunOverview;

/// The complete view of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WholeView {
    /// The content of `chain-<id>.json`.
    #[serde(flatten)]
    pub chain: ChainView,
    /// The snapshot of another run with which it began, if it was forked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<ForkOrigin>,
    /// The runs that were forked from it, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forks: Vec<ForkView>,
    /// The versions of the program that ran it, in order.
    pub programs: Vec<String>,
    /// The process that works on it, if there is one.
    pub owner: Option<OwnerView>,
    /// All finished attempts of all steps, in order.
    pub iterations: Vec<IterationView>,
    /// What it waits for, if it waits: `usage_limit`, `overloaded` or `quota`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<&'static str>,
    /// Until when it waits for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_until: Option<String>,
    /// Since when it waits for an answer, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asking_since: Option<String>,
    /// The question that has no answer, also of a run that is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionView>,
    #[serde(flatten)]
    pub steering: SteeringView,
    pub warnings: Vec<WarningView>,
    pub files: FilesView,
    /// Why it stopped, if that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<serde_json::Value>,
}

/// A run that was forked from another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ForkView {
    pub run: String,
    /// The step of the other run.
    pub step: usize,
    /// The iteration after which it goes on; 0 before the first one.
    pub iteration: u32,
    pub status: ExecutionStatus,
    pub working_directory: String,
}

impl ForkView {
    /// The view of a run, if it was forked.
    pub fn of(fork: &RunOverview) -> Option<Self> {
        let origin = fork.origin.as_ref()?;
        Some(Self {
            run: fork.id.clone(),
            step: origin.step,
            iteration: origin.iteration,
            status: fork.status,
            working_directory: fork.working_directory.clone(),
        })
    }
}

/// The process that works on a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OwnerView {
    pub pid: u32,
    pub since: String,
}

/// A recorded warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WarningView {
    pub at: String,
    pub message: String,
}

/// The files of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FilesView {
    pub directory: String,
    pub journal: String,
    /// The output directory of the last iteration's agent, if it exists.
    pub output: Option<String>,
    /// The console log, if the run was ever in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub console: Option<String>,
}

impl WholeView {
    /// The view of a run.
    pub fn of(
        run: &RunDir,
        past: &RecordedRun,
        liveness: Liveness,
        owner: Option<&LockOwner>,
        resume: &str,
    ) -> Self {
        let history = &past.history;
        let facts = ViewFacts { journal: run.journal(), resume: Some(resume.to_owned()) };
        let wait = history.wait_in_progress(liveness);
        let warning = |at: &Timestamp, message: &String| WarningView {
            at: at.to_string(),
            message: message.clone(),
        };
        Self {
            chain: ChainView::of(history, liveness, &facts),
            origin: history.state.origin.clone(),
            forks: Vec::new(),
            programs: programs(past),
            owner: owner.map(|owner| OwnerView { pid: owner.pid, since: owner.since.to_string() }),
            iterations: iterations(history),
            waiting_for: wait.map(|(why, _)| why.as_str()),
            waiting_until: wait.map(|(_, until)| until.to_string()),
            asking_since: history.asked_now(liveness).map(|question| question.asked.to_string()),
            question: history.open_question().map(QuestionView::of),
            steering: SteeringView::of(history, liveness),
            warnings: history.warnings.iter().map(|(at, message)| warning(at, message)).collect(),
            files: FilesView::of(run, history),
            why: None,
        }
    }
}

impl FilesView {
    /// The files of a run.
    pub fn of(run: &RunDir, history: &RunHistory) -> Self {
        let unfinished = history.unfinished_agent().map(|(unit, _)| unit);
        let last = unfinished.or_else(|| history.attempts().next_back().map(|record| record.unit));
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

/// The versions of the program that ran it, without duplicates, in order.
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
    let (run, plan) = (&history.state.run, &history.state.plan);
    let views = history
        .attempts()
        .map(|record| IterationView::of(run, plan.agent_name(record.unit.step), record));
    views.collect()
}
