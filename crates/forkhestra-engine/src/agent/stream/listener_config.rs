//! What a listener has to know beside the stream.

use std::sync::Arc;

use forkhestra_core::config::Billing;
use forkhestra_core::cost::PriceTable;
use forkhestra_core::marker::Marker;

use crate::agent::ProgressGauge;

/// What a listener has to know beside the stream.
#[derive(Debug, Clone)]
pub struct ListenerConfig {
    /// The markers that count.
    pub markers: Vec<Marker>,
    /// Whether anybody wants to know about them.
    pub looks_for_markers: bool,
    /// How many answers the model may give. None where the agent sees to it itself.
    pub max_turns: Option<u32>,
    /// Who may pay.
    pub billing: Billing,
    /// What tokens cost.
    pub prices: PriceTable,
    /// The model the agent was started with, for streams that do not name it.
    pub model: Option<String>,
    /// Where the progress of the agent is noted.
    pub progress: Arc<ProgressGauge>,
}

impl Default for ListenerConfig {
    /// Nobody looks for anything, and everything is allowed.
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
