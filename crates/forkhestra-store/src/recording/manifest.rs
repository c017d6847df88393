//! The content of `recording.json`.

use forkhestra_core::config::Backend;
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
    pub run: String,
    /// UTC.
    pub started: String,
    /// The version of the program that recorded it.
    pub program: String,
    pub chain: Option<String>,
    /// The chain in one line.
    pub definition: String,
    pub steps: Vec<ManifestStep>,
}

/// A step of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ManifestStep {
    /// From one.
    pub number: usize,
    pub agent: String,
    /// The agent program whose stream was recorded; `None` for any other program.
    pub backend: Option<String>,
}

impl RecordingManifest {
    /// Describes a run.
    pub fn of(run: &RunId, started: Timestamp, plan: &Plan, program: &str) -> Self {
        let step = |step: &PlanStep| ManifestStep {
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

    /// The parsed run id and steps, or an error message.
    pub(super) fn parse(&self) -> Result<(RunId, Vec<RecordedStep>), String> {
        let run = RunId::parse(&self.run).map_err(|error| format!("`{}` {error}", self.run))?;
        let step = |(step, number): (&ManifestStep, usize)| {
            if step.number != number {
                return Err(format!("step {number} has number {}", step.number));
            }
            let backend = step.backend.as_deref().map(|word| {
                let known = Backend::ALL.into_iter().find(|backend| backend.program() == word);
                known.ok_or_else(|| format!("no agent program is called `{word}`"))
            });
            Ok(RecordedStep { number, agent: step.agent.clone(), backend: backend.transpose()? })
        };
        Ok((run, self.steps.iter().zip(1..).map(step).collect::<Result<_, _>>()?))
    }
}
