//! What a recording says of the run.

use std::path::Path;

use forkhestra_core::config::Backend;
use forkhestra_core::id::RunId;
use forkhestra_core::plan::{AgentKind, Plan, RecordedStep};
use forkhestra_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::VERSION;
use super::error::RecordingError;
use crate::format::Version;

/// What was recorded: the content of `recording.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The version of the format.
    pub format: Version,
    /// The run.
    pub run: String,
    /// When it began, UTC.
    pub started: String,
    /// The version of the program that recorded it.
    pub program: String,
    /// The name of the chain, if it has one.
    pub chain: Option<String>,
    /// The chain in one line.
    pub definition: String,
    /// What ran, in order.
    pub steps: Vec<ManifestStep>,
}

/// A step of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ManifestStep {
    /// Its place in the chain, from one.
    pub number: usize,
    /// The agent's name.
    pub agent: String,
    /// The agent program whose stream was recorded; none for any other program.
    pub backend: Option<String>,
}

impl Manifest {
    /// What there is to say of a run.
    pub fn of(run: &RunId, started: Timestamp, plan: &Plan, program: &str) -> Self {
        let step = |step: &forkhestra_core::plan::Step| ManifestStep {
            number: step.number,
            agent: step.agent.name.clone(),
            backend: match &step.agent.kind {
                AgentKind::Direct(direct) => Some(direct.backend.program().to_owned()),
                AgentKind::Program(_) => None,
            },
        };
        Self {
            format: VERSION,
            run: run.to_string(),
            started: started.to_string(),
            program: program.to_owned(),
            chain: plan.chain.clone(),
            definition: plan.definition.clone(),
            steps: plan.steps.iter().map(step).collect(),
        }
    }

    /// The run that was recorded.
    pub(super) fn run_id(&self, path: &Path) -> Result<RunId, RecordingError> {
        let damaged = |error| damaged(path, format!("`{}` {error}", self.run));
        RunId::parse(&self.run).map_err(damaged)
    }

    /// The steps as plans know them.
    pub(super) fn recorded_steps(&self, path: &Path) -> Result<Vec<RecordedStep>, RecordingError> {
        let step = |(place, step): (usize, &ManifestStep)| {
            if step.number != place + 1 {
                return Err(damaged(
                    path,
                    format!("step {} has number {}", place + 1, step.number),
                ));
            }
            let backend = step.backend.as_deref().map(|word| {
                let known = Backend::ALL.into_iter().find(|backend| backend.program() == word);
                let unknown = || damaged(path, format!("no agent program is called `{word}`"));
                known.ok_or_else(unknown)
            });
            let (number, agent) = (step.number, step.agent.clone());
            Ok(RecordedStep { number, agent, backend: backend.transpose()? })
        };
        self.steps.iter().enumerate().map(step).collect()
    }
}

pub(super) fn damaged(path: &Path, why: String) -> RecordingError {
    RecordingError::Damaged { path: path.to_owned(), why }
}
