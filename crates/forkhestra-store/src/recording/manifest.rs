//! The content of `recording.json`.

use forkhestra_core::id::RunId;
use forkhestra_core::plan::{AgentKind, Plan, PlanStep, RecordedStep};
use forkhestra_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::VERSION;
use crate::format::Version;

/// The run that was recorded: the content of `recording.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordingManifest {
    pub format: Version,
    pub run: RunId,
    /// UTC.
    pub started: String,
    /// The version of the program that recorded it.
    pub program: String,
    pub chain: Option<String>,
    /// The chain in one line.
    pub definition: String,
    pub steps: Vec<RecordedStep>,
}

impl RecordingManifest {
    /// Describes a run.
    pub fn of(run: &RunId, started: Timestamp, plan: &Plan, program: &str) -> Self {
        let step = |step: &PlanStep| RecordedStep {
            number: step.number,
            agent: step.agent.name.clone(),
            backend: match &step.agent.kind {
                AgentKind::Direct(direct) => Some(direct.backend),
                AgentKind::Program(_) | AgentKind::Question(_) => None,
            },
        };
        Self {
            format: VERSION,
            run: run.clone(),
            started: started.to_string(),
            program: program.to_owned(),
            chain: plan.chain.clone(),
            definition: plan.definition.clone(),
            steps: plan.steps.iter().map(step).collect(),
        }
    }

    /// What is wrong with the numbers of the steps, if anything is.
    pub(super) fn problem(&self) -> Option<String> {
        let (number, step) =
            (1..).zip(&self.steps).find(|(number, step)| step.number != *number)?;
        Some(format!("step {number} has number {}", step.number))
    }
}
