//! The configuration of a listener.

use std::sync::Arc;

use forkhestra_core::config::{AgentSetting, Billing, SettingSupport};
use forkhestra_core::cost::PriceTable;
use forkhestra_core::marker::{Marker, MarkerParseError};
use forkhestra_core::plan::{DirectSpawn, Plan, PlanStep};
use forkhestra_core::scan::MarkerScanner;
use forkhestra_core::text::count::Count;

use crate::agent::ProgressGauge;

/// The configuration of a listener.
#[derive(Debug, Clone)]
pub struct ListenerConfig {
    pub markers: Vec<Marker>,
    /// Whether markers are searched.
    pub looks_for_markers: bool,
    /// The maximum of the model's answers. `None` if the agent enforces it itself.
    pub max_turns: Option<u32>,
    /// Which means of payment is required.
    pub billing: Billing,
    pub prices: PriceTable,
    /// The model the agent was started with, for streams that do not name it.
    pub model: Option<String>,
    /// Receives the progress of the agent.
    pub progress: Arc<ProgressGauge>,
}

impl ListenerConfig {
    /// The configuration for the agent of a step.
    pub(crate) fn of_agent(
        direct: &DirectSpawn,
        step: &PlanStep,
        plan: &Plan,
        progress: Arc<ProgressGauge>,
    ) -> Self {
        let by_us = AgentSetting::MaxTurns.support(direct.backend) == SettingSupport::Ourselves;
        Self {
            max_turns: direct.max_turns.map(Count::get).filter(|_| by_us),
            billing: direct.billing,
            model: direct.model.clone().or_else(|| step.priced_model.clone()),
            progress,
            ..Self::of_program(step, plan)
        }
    }

    /// The configuration for the program of a step.
    pub(crate) fn of_program(step: &PlanStep, plan: &Plan) -> Self {
        Self {
            markers: step.markers.value.clone(),
            // Only loops need a completion marker.
            looks_for_markers: step.counts_markers(),
            prices: PriceTable::shipped().with(&plan.prices),
            ..Self::default()
        }
    }

    /// A scanner for the markers; `None` if they are not searched.
    pub(super) fn scanner(&self) -> Result<Option<MarkerScanner>, MarkerParseError> {
        self.looks_for_markers.then(|| MarkerScanner::new(&self.markers)).transpose()
    }
}

impl Default for ListenerConfig {
    /// No markers and no limits.
    fn default() -> Self {
        Self {
            markers: Marker::defaults(),
            looks_for_markers: false,
            max_turns: None,
            billing: Billing::default(),
            prices: PriceTable::shipped().clone(),
            model: None,
            progress: Arc::default(),
        }
    }
}
