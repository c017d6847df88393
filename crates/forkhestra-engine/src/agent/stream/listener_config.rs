//! The configuration of a listener.

use std::sync::Arc;

use forkhestra_core::config::Billing;
use forkhestra_core::cost::PriceTable;
use forkhestra_core::marker::Marker;

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
