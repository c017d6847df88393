//! `result` events of Claude Code.

use std::borrow::Cow;

use forkhestra_core::cost::{Dollars, ReportedUsage, UnusableFigure};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::json::{
    BoundedList, BoundedMap, Lenient, LenientString, ReportedFigure, ReportedFigures, read,
};

use super::usage::{OF_ANSWER, OF_MODEL, token_counts};

/// A `result` event.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct ClaudeResult<'a> {
    pub(super) subtype: LenientString<'a>,
    pub(super) is_error: Lenient<bool>,
    pub(super) api_error_status: Lenient<u16>,
    pub(super) api_error: LenientString<'a>,
    pub(super) terminal_reason: LenientString<'a>,
    pub(super) stop_reason: LenientString<'a>,
    pub(super) result: LenientString<'a>,
    pub(super) errors: Lenient<BoundedList<Cow<'a, str>>>,
    total_cost_usd: ReportedFigure<Dollars>,
    usage: Lenient<ReportedFigures>,
    #[serde(rename = "modelUsage")]
    model_usage: Lenient<BoundedMap<&'a RawValue>>,
    pub(super) permission_denials: Lenient<BoundedList<Lenient<DeniedTool<'a>>>>,
}

/// The cost of a model.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ClaudeModelCost {
    #[serde(rename = "costUSD")]
    cost: ReportedFigure<Dollars>,
    /// The source of the price: a model without a known price gets that of another one.
    #[serde(rename = "costBasis")]
    cost_basis: Lenient<String>,
}

/// A tool that was denied.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct DeniedTool<'a> {
    pub(super) tool_name: LenientString<'a>,
    pub(super) tool_use_id: LenientString<'a>,
    pub(super) tool_input: Option<&'a RawValue>,
}

impl ClaudeResult<'_> {
    /// The text of the result, or its first error.
    pub(super) fn text(&self) -> Option<&str> {
        let errors = self.errors.0.as_ref().and_then(|errors| errors.0.first());
        self.result.get().or(errors.map(|error| &**error))
    }

    /// The first unusable figure.
    pub(super) fn unusable(&self) -> Option<UnusableFigure> {
        let of_model = |raw: &&RawValue| {
            let cost: ClaudeModelCost = read(raw)?;
            let usage = || read::<ReportedFigures>(raw)?.unusable(&OF_MODEL);
            cost.cost.unusable("costUSD").or_else(usage)
        };
        let of_models = || self.model_usage.0.as_ref()?.0.values().find_map(of_model);
        let of_all = || self.usage.0.as_ref()?.unusable(&OF_ANSWER);
        self.total_cost_usd.unusable("total_cost_usd").or_else(of_models).or_else(of_all)
    }

    /// The total usage by model. Only these figures include subagents.
    pub(super) fn totals(&self) -> Vec<ReportedUsage<'_>> {
        let models = self.model_usage.0.iter().flat_map(|models| &models.0);
        let mut totals: Vec<ReportedUsage<'_>> = models
            .filter_map(|(model, raw)| {
                let (cost, usage): (ClaudeModelCost, ReportedFigures) = (read(raw)?, read(raw)?);
                let is_known = cost.cost_basis.0.as_deref() != Some("unknown");
                Some(ReportedUsage {
                    model: Some(model),
                    tokens: token_counts(&usage, OF_MODEL),
                    dollars: cost.cost.get().filter(|_| is_known),
                })
            })
            .collect();
        if totals.is_empty() {
            // Old versions report one total for all models.
            let usage = self.usage.0.as_ref();
            let tokens = usage.map(|usage| token_counts(usage, OF_ANSWER)).unwrap_or_default();
            totals.push(ReportedUsage { model: None, tokens, dollars: self.total_cost_usd.get() });
        }
        totals
    }
}
