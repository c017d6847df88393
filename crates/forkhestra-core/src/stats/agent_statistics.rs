//! The statistics of one agent in one run.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::spend_by_category::SpendByCategory;
use super::spend_category::SpendCategory;
use crate::config::Backend;
use crate::cost::{Dollars, Spend};
use crate::event::wire::Milliseconds;
use crate::history::IterationRecord;
use crate::plan::PlanStep;

/// The statistics of one agent with one model in one run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentStatistics {
    pub agent: String,
    /// The model, if the plan names it.
    pub model: Option<String>,
    /// The back-end, if it ran in place of the primary one of a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Backend>,
    /// Iterations with an outcome.
    pub iterations: u32,
    /// How long its attempts took, with or without an outcome.
    #[serde(rename = "durationMs", with = "Milliseconds")]
    pub duration: Duration,
    /// What it spent in all; none if nothing is known.
    pub spend: Option<Spend>,
    /// That money by what became of the work.
    pub money: SpendByCategory,
    /// The part of that money that belongs to no task.
    pub without_task: Dollars,
}

impl AgentStatistics {
    /// An agent without attempts, on the back-end that the step has.
    pub(super) fn of_step(step: &PlanStep) -> Self {
        let direct = step.agent.kind.direct();
        let model = direct.and_then(|direct| direct.model.clone());
        Self {
            agent: step.agent.name.clone(),
            model: model.or_else(|| step.priced_model.clone()),
            fallback: direct.map(|direct| direct.backend).filter(|_| step.runs_fallback()),
            ..Self::default()
        }
    }

    /// Counts a finished attempt.
    pub(super) fn add(&mut self, record: &IterationRecord, is_on_task: bool) {
        self.iterations += u32::from(record.report.has_outcome());
        self.duration = self.duration.saturating_add(record.report.duration);
        if let Some(spend) = record.spend {
            self.count(spend, is_on_task);
            self.money.add(SpendCategory::of(record), spend.dollars);
        }
    }

    /// Counts an attempt whose end is not recorded: it is running, or it was aborted.
    pub(super) fn add_unfinished(&mut self, spend: Spend, is_aborted: bool, is_on_task: bool) {
        self.count(spend, is_on_task);
        if is_aborted {
            self.money.add(SpendCategory::Aborted, spend.dollars);
        } else {
            self.money.running += spend.dollars;
        }
    }

    fn count(&mut self, spend: Spend, is_on_task: bool) {
        self.spend = Some(self.spend.unwrap_or_default() + spend);
        if !is_on_task {
            self.without_task += spend.dollars;
        }
    }

    /// The agent's name with its model: `builder (sonnet)`. A fallback without a named model has its
    /// back-end.
    pub fn label(&self) -> String {
        let backend = self.fallback.map(Backend::word);
        match self.model.as_deref().or(backend) {
            Some(model) => format!("{} ({model})", self.agent),
            None => self.agent.clone(),
        }
    }
}
