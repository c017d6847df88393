//! The view of one step with all its iterations in `run-<id>-<step>.json`.

use forkhestra_core::history::{ExecutionStatus, Liveness, RunHistory};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chain_view::StepView;
use super::iteration_view::IterationView;
use super::{FORMAT, ViewFacts};
use crate::format::Version;
use crate::view::cost_fields::CostFields;

/// One step of a run with all its iterations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunView {
    /// The version of this format.
    #[schemars(with = "String")]
    pub format: Version,
    /// The run's id.
    pub id: String,
    /// The step's place in the chain, from one.
    pub step: usize,
    /// The agent's name.
    pub agent: String,
    /// When the step began.
    pub started_at: String,
    /// When it ended, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    /// Its status.
    pub status: ExecutionStatus,
    /// The reason for its end, as one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The maximum number of iterations; null if it runs once.
    pub max_iterations: Option<u32>,
    /// How long it has taken, awake and not paused, in milliseconds.
    pub duration_ms: u64,
    #[serde(flatten)]
    pub figures: CostFields,
    /// The path of the journal, which is authoritative.
    pub journal: String,
    /// All finished attempts, in order.
    pub iterations: Vec<IterationView>,
}

impl RunView {
    /// The view of a step, numbered from one; `None` if it has not begun.
    pub fn of(
        history: &RunHistory,
        number: usize,
        liveness: Liveness,
        facts: &ViewFacts,
    ) -> Option<Self> {
        let step = StepView::of(history, number, liveness);
        let run = &history.state.run;
        let records = &history.steps[number - 1].iterations;
        Some(Self {
            format: FORMAT,
            id: run.to_string(),
            step: number,
            started_at: step.started_at?,
            completed_at: step.completed_at,
            status: step.status,
            reason: step.reason,
            max_iterations: step.max_iterations,
            duration_ms: step.duration_ms,
            figures: step.figures,
            journal: facts.journal.display().to_string(),
            iterations: records
                .iter()
                .map(|record| IterationView::of(run, &step.agent, record))
                .collect(),
            agent: step.agent,
        })
    }
}
