//! `result` events of Claude Code.

use std::borrow::Cow;

use forkhestra_core::cost::{Dollars, ReportedUsage, UnusableFigure};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::json::bounded_json::{BoundedList, BoundedMap};
use crate::agent::json::lenient_json::{Lenient, LenientString};
use crate::agent::json::reported_figure::ReportedFigure;

use super::usage::ClaudeModelUsage;

/// A `result` event.
#[derive(Default, Deserialize)]
pub(super) struct ClaudeResult<'a> {
    #[serde(borrow, default)]
    pub(super) subtype: LenientString<'a>,
    #[serde(default)]
    pub(super) is_error: Lenient<bool>,
    #[serde(default)]
    pub(super) api_error_status: Lenient<u16>,
    #[serde(borrow, default)]
    pub(super) api_error: LenientString<'a>,
    #[serde(borrow, default)]
    pub(super) terminal_reason: LenientString<'a>,
    #[serde(borrow, default)]
    pub(super) stop_reason: LenientString<'a>,
    #[serde(borrow, default)]
    pub(super) result: LenientString<'a>,
    #[serde(borrow, default)]
    pub(super) errors: Lenient<BoundedList<Cow<'a, str>>>,
    #[serde(default)]
    total_cost_usd: ReportedFigure<Dollars>,
    #[serde(default)]
    usage: Lenient<super::usage::ClaudeUsage>,
    #[serde(default, rename = "modelUsage")]
    model_usage: Lenient<BoundedMap<Lenient<ClaudeModelUsage>>>,
    #[serde(borrow, default)]
    pub(super) permission_denials: Lenient<BoundedList<Lenient<DeniedTool<'a>>>>,
}

/// A tool that was denied.
#[derive(Deserialize)]
pub(super) struct DeniedTool<'a> {
    #[serde(borrow, default)]
    pub(super) tool_name: LenientString<'a>,
    #[serde(borrow, default)]
    pub(super) tool_use_id: LenientString<'a>,
    #[serde(borrow, default)]
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
        let models = self.model_usage.0.iter().flat_map(|models| models.0.values());
        let of_models =
            || models.filter_map(|usage| usage.0.as_ref()).find_map(ClaudeModelUsage::unusable);
        let of_all = || self.usage.0.as_ref().and_then(super::usage::ClaudeUsage::unusable);
        self.total_cost_usd.unusable("total_cost_usd").or_else(of_models).or_else(of_all)
    }

    /// The total usage by model. Only these figures include subagents.
    pub(super) fn totals(&self) -> Vec<ReportedUsage<'_>> {
        let models = self.model_usage.0.iter().flat_map(|models| &models.0);
        let mut totals: Vec<ReportedUsage<'_>> = models
            .filter_map(|(model, usage)| {
                let usage = usage.0.as_ref()?;
                Some(ReportedUsage {
                    model: Some(model),
                    tokens: usage.tokens(),
                    dollars: (usage.cost_basis.0.as_deref() != Some("unknown"))
                        .then(|| usage.cost.get())
                        .flatten(),
                })
            })
            .collect();
        if totals.is_empty() {
            let dollars = self.total_cost_usd.get();
            // Old versions report one total for all models.
            let tokens =
                self.usage.0.as_ref().map(super::usage::ClaudeUsage::tokens).unwrap_or_default();
            totals.push(ReportedUsage { model: None, tokens, dollars });
        }
        totals
    }
}
