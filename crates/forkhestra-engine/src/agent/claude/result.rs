//! The end of what Claude Code does.

use std::borrow::Cow;

use forkhestra_core::cost::{Dollars, UnusableFigure, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::few::{Few, FewNamed};
use crate::agent::json::{Loose, Word};
use crate::agent::reported_figure::ReportedFigure;

use super::usage::ModelUsage;

/// A `result` event.
#[derive(Default, Deserialize)]
pub(super) struct ResultLine<'a> {
    #[serde(borrow, default)]
    pub(super) subtype: Word<'a>,
    #[serde(default)]
    pub(super) is_error: Loose<bool>,
    #[serde(default)]
    pub(super) api_error_status: Loose<u16>,
    #[serde(borrow, default)]
    pub(super) api_error: Word<'a>,
    #[serde(borrow, default)]
    pub(super) terminal_reason: Word<'a>,
    #[serde(borrow, default)]
    pub(super) stop_reason: Word<'a>,
    #[serde(borrow, default)]
    pub(super) result: Word<'a>,
    #[serde(borrow, default)]
    pub(super) errors: Loose<Few<Cow<'a, str>>>,
    #[serde(default)]
    total_cost_usd: ReportedFigure<Dollars>,
    #[serde(default)]
    usage: Loose<super::usage::Usage>,
    #[serde(default, rename = "modelUsage")]
    model_usage: Loose<FewNamed<Loose<ModelUsage>>>,
    #[serde(borrow, default)]
    pub(super) permission_denials: Loose<Few<Loose<Denied<'a>>>>,
}

/// A tool that was denied.
#[derive(Deserialize)]
pub(super) struct Denied<'a> {
    #[serde(borrow, default)]
    pub(super) tool_name: Word<'a>,
    #[serde(borrow, default)]
    pub(super) tool_use_id: Word<'a>,
    #[serde(borrow, default)]
    pub(super) tool_input: Option<&'a RawValue>,
}

impl ResultLine<'_> {
    /// What it says about how things went.
    pub(super) fn text(&self) -> Option<&str> {
        let errors = self.errors.0.as_ref().and_then(|errors| errors.0.first());
        self.result.get().or(errors.map(|error| &**error))
    }

    /// The first figure that cannot be right.
    pub(super) fn unusable(&self) -> Option<UnusableFigure> {
        let models = self.model_usage.0.iter().flat_map(|models| models.0.values());
        let of_models =
            || models.filter_map(|usage| usage.0.as_ref()).find_map(ModelUsage::unusable);
        let of_all = || self.usage.0.as_ref().and_then(super::usage::Usage::unusable);
        self.total_cost_usd.unusable("total_cost_usd").or_else(of_models).or_else(of_all)
    }

    /// What everything so far used, model by model. Only these figures have the subagents in them.
    pub(super) fn totals(&self) -> Vec<Usage<'_>> {
        let models = self.model_usage.0.iter().flat_map(|models| &models.0);
        let mut totals: Vec<Usage<'_>> = models
            .filter_map(|(model, usage)| {
                let usage = usage.0.as_ref()?;
                Some(Usage {
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
            // Old versions count for all models together.
            let tokens = self.usage.0.as_ref().map(super::usage::Usage::tokens).unwrap_or_default();
            totals.push(Usage { model: None, tokens, dollars });
        }
        totals
    }
}
