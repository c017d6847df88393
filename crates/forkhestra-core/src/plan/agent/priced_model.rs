//! The model for pricing tokens, where neither the config nor the agent names one.

use std::collections::BTreeMap;

use crate::config::CostReport;
use crate::cost::{ModelPrice, PriceTable, TokenCounts};
use crate::plan::agent::plan_agent::AgentKind;
use crate::plan::host_environment::HostEnvironment;
use crate::plan::value_origin::Sourced;

/// The model of a program that does not report it, if the config names none: that of the step's
/// arguments, else that of the program's own settings. If several settings files name one, the most
/// expensive counts: Codex reads those of a project only if the user trusts it, which is unknown
/// here.
pub(crate) fn priced_model(
    kind: &AgentKind,
    args: &[Sourced<String>],
    host: &dyn HostEnvironment,
    own_prices: &BTreeMap<String, ModelPrice>,
) -> Option<String> {
    let AgentKind::Direct(direct) = kind else { return None };
    let CostReport::TokensOfUnnamedModel(find) = direct.backend.facts().cost else { return None };
    if direct.model.is_some() {
        return None;
    }
    let args: Vec<&str> = args.iter().map(|arg| arg.value.as_str()).collect();
    let found = find(&args);
    found.model.or_else(|| {
        let profile = found.profile.as_deref();
        let models = host.settings_models(direct.backend, &direct.env, profile);
        most_expensive(models, &PriceTable::shipped().with(own_prices))
    })
}

/// The most expensive of these models. One without a price counts as the most expensive, so that a
/// cost limit refuses it.
fn most_expensive(models: Vec<String>, prices: &PriceTable) -> Option<String> {
    let sample = TokenCounts { input: 1_000_000, output: 1_000_000, ..TokenCounts::default() };
    let price =
        |model: &String| prices.of(model).map_or(u64::MAX, |price| price.of_sum(sample).nanos());
    models.into_iter().rev().max_by_key(price)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::TokenRate;

    #[test]
    fn the_dearest_model_of_several_settings_is_the_one_that_counts() {
        let rate = |dollars: f64| TokenRate::from_dollars(dollars).expect("it is a rate");
        let price = |dollars: f64| ModelPrice::new(rate(dollars), rate(dollars));
        let own = BTreeMap::from([
            ("cheap".to_owned(), price(1.0)),
            ("dear".to_owned(), price(9.0)),
            ("as-dear".to_owned(), price(9.0)),
        ]);
        let prices = PriceTable::shipped().with(&own);
        for (models, expected) in [
            (&[][..], None),
            (&["cheap"], Some("cheap")),
            (&["cheap", "dear"], Some("dear")),
            (&["dear", "cheap"], Some("dear")),
            (&["dear", "as-dear"], Some("dear")),
            (&["dear", "without-price"], Some("without-price")),
            (&["without-price", "dear"], Some("without-price")),
        ] {
            let models = models.iter().map(|model| (*model).to_owned()).collect();
            assert_eq!(most_expensive(models, &prices).as_deref(), expected);
        }
    }
}
