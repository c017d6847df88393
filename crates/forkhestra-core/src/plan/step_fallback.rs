//! The fallback of a step: its agent with another back-end, for the time of a usage limit.

use serde::{Deserialize, Serialize};

use super::types::{PlanAgent, PlanStep};
use super::value_origin::{Sourced, ValueOrigin};

/// The agent of a step with another back-end. It runs iterations while a limit of the first
/// back-end's account holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepFallback {
    pub agent: PlanAgent,
    /// Its arguments. Those of the first back-end are not passed to another one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Sourced<String>>,
    /// The model for pricing its tokens, as that of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priced_model: Option<String>,
    pub source: ValueOrigin,
    /// Whether the two agents are exchanged: the step has the one with the other back-end, and this
    /// is the first one. A recorded plan is as it was before the first iteration.
    #[serde(skip)]
    is_exchanged: bool,
}

impl StepFallback {
    /// The fallback of a step that has not begun.
    pub(crate) const fn new(
        agent: PlanAgent,
        priced_model: Option<String>,
        source: ValueOrigin,
    ) -> Self {
        Self { agent, args: Vec::new(), priced_model, source, is_exchanged: false }
    }
}

impl PlanStep {
    /// The agent on its first back-end.
    pub fn first_agent(&self) -> &PlanAgent {
        match &self.fallback {
            Some(fallback) if fallback.is_exchanged => &fallback.agent,
            _ => &self.agent,
        }
    }

    /// The agent on the other back-end, if the step has a fallback.
    pub fn fallback_agent(&self) -> Option<&PlanAgent> {
        let fallback = self.fallback.as_ref()?;
        Some(if fallback.is_exchanged { &self.agent } else { &fallback.agent })
    }

    /// The agent on each of its back-ends, the first one first.
    pub fn agents(&self) -> impl Iterator<Item = &PlanAgent> {
        [self.first_agent()].into_iter().chain(self.fallback_agent())
    }

    /// The same, to be changed.
    pub fn agents_mut(&mut self) -> impl Iterator<Item = &mut PlanAgent> {
        let fallback = self.fallback.as_mut().map(|fallback| &mut fallback.agent);
        [&mut self.agent].into_iter().chain(fallback)
    }

    /// Whether its agent is the one on the other back-end.
    pub fn is_on_fallback(&self) -> bool {
        self.fallback.as_ref().is_some_and(|fallback| fallback.is_exchanged)
    }

    /// Makes its agent the one on the other back-end, or the first one again.
    pub fn use_fallback(&mut self, uses_fallback: bool) {
        let Some(fallback) = &mut self.fallback else { return };
        if fallback.is_exchanged != uses_fallback {
            std::mem::swap(&mut self.agent, &mut fallback.agent);
            std::mem::swap(&mut self.args, &mut fallback.args);
            std::mem::swap(&mut self.priced_model, &mut fallback.priced_model);
            fallback.is_exchanged = uses_fallback;
        }
    }

    /// The step on each of its back-ends, the first one first.
    pub fn on_each_backend(&self) -> Vec<Self> {
        let fallback = self.fallback.as_ref().map(|_| self.on_fallback(true));
        [self.on_fallback(false)].into_iter().chain(fallback).collect()
    }

    /// The step as it is on its first or on its other back-end.
    #[must_use]
    pub fn on_fallback(&self, uses_fallback: bool) -> Self {
        let mut step = self.clone();
        step.use_fallback(uses_fallback);
        step
    }
}
