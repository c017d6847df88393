//! The fallback of a step: its agent with another back-end, for the time of a usage limit.

use serde::{Deserialize, Serialize};

use crate::event::FallbackUse;
use crate::plan::agent::plan_agent::PlanAgent;
use crate::plan::types::PlanStep;
use crate::plan::value_origin::{Sourced, ValueOrigin};

/// The agent of a step with another back-end. It runs iterations while a limit of the primary
/// back-end's account holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepFallback {
    pub agent: PlanAgent,
    /// Its arguments. Those of the primary back-end are not passed to another one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Sourced<String>>,
    /// The model for pricing its tokens, as that of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priced_model: Option<String>,
    pub source: ValueOrigin,
    /// Whether the two agents are swapped: the step has the fallback, and this is the primary agent.
    /// A recorded plan is as it was before the first iteration.
    #[serde(skip)]
    is_swapped: bool,
}

/// The back-ends of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendRole {
    /// The back-end that runs the step unless a limit of its account holds.
    Primary,
    /// The back-end that runs it meanwhile.
    Fallback,
}

impl BackendRole {
    /// The role of the back-end that runs an attempt.
    pub const fn of(used: Option<&FallbackUse>) -> Self {
        if used.is_some() { Self::Fallback } else { Self::Primary }
    }
}

impl StepFallback {
    /// The fallback of a step that has not begun.
    pub(crate) const fn new(
        agent: PlanAgent,
        priced_model: Option<String>,
        source: ValueOrigin,
    ) -> Self {
        Self { agent, args: Vec::new(), priced_model, source, is_swapped: false }
    }
}

impl PlanStep {
    /// The agent on its primary back-end.
    pub fn primary_agent(&self) -> &PlanAgent {
        match &self.fallback {
            Some(fallback) if fallback.is_swapped => &fallback.agent,
            _ => &self.agent,
        }
    }

    /// The agent on its fallback, if it has one.
    pub fn fallback_agent(&self) -> Option<&PlanAgent> {
        let fallback = self.fallback.as_ref()?;
        Some(if fallback.is_swapped { &self.agent } else { &fallback.agent })
    }

    /// The agent on each of its back-ends, the primary one first.
    pub fn agents(&self) -> impl Iterator<Item = &PlanAgent> {
        [self.primary_agent()].into_iter().chain(self.fallback_agent())
    }

    /// The agent on each of its back-ends, the current one first, to be changed.
    pub fn agents_mut(&mut self) -> impl Iterator<Item = &mut PlanAgent> {
        let fallback = self.fallback.as_mut().map(|fallback| &mut fallback.agent);
        [&mut self.agent].into_iter().chain(fallback)
    }

    /// Whether its agent is the one on the fallback.
    pub fn runs_fallback(&self) -> bool {
        self.fallback.as_ref().is_some_and(|fallback| fallback.is_swapped)
    }

    /// Makes its agent the one on this back-end, if it has a fallback.
    pub(crate) fn use_backend(&mut self, role: BackendRole) {
        let Some(fallback) = &mut self.fallback else { return };
        let uses_fallback = role == BackendRole::Fallback;
        if fallback.is_swapped != uses_fallback {
            std::mem::swap(&mut self.agent, &mut fallback.agent);
            std::mem::swap(&mut self.args, &mut fallback.args);
            std::mem::swap(&mut self.priced_model, &mut fallback.priced_model);
            fallback.is_swapped = uses_fallback;
        }
    }

    /// The step on each of its back-ends, the primary one first.
    pub fn on_each_backend(&self) -> Vec<Self> {
        let fallback = self.fallback.as_ref().map(|_| self.on_backend(BackendRole::Fallback));
        [self.on_backend(BackendRole::Primary)].into_iter().chain(fallback).collect()
    }

    /// The step as it is on this back-end.
    #[must_use]
    pub fn on_backend(&self, role: BackendRole) -> Self {
        let mut step = self.clone();
        step.use_backend(role);
        step
    }
}
