//! The model for pricing tokens, where neither the config nor the agent names one.

use std::collections::BTreeMap;

use crate::config::Backend;
use crate::cost::{ModelPrice, PriceTable, TokenCounts};
use crate::plan::host_environment::HostEnvironment;
use crate::plan::types::AgentKind;
use crate::plan::value_origin::Sourced;

/// The model that Codex uses if the config names none: that of the step's arguments, else that of
/// its own settings. If several of its settings files name one, the most expensive counts: Codex
/// reads those of a project only if the user trusts it, which is unknown here. The other programs
/// report their model or their cost.
pub(crate) fn priced_model(
    kind: &AgentKind,
    args: &[Sourced<String>],
    world: &dyn HostEnvironment,
    own_prices: &BTreeMap<String, ModelPrice>,
) -> Option<String> {
    let AgentKind::Direct(direct) = kind else { return None };
    if direct.backend != Backend::Codex || direct.model.is_some() {
        return None;
    }
    let args: Vec<&str> = args.iter().map(|arg| arg.value.as_str()).collect();
    let model = option(&args, &["-m", "--model"]).or_else(|| setting(&args, "model"));
    model.or_else(|| {
        let profile = option(&args, &["-p", "--profile"]).or_else(|| setting(&args, "profile"));
        let models = world.settings_models(direct.backend, &direct.env, profile.as_deref());
        dearest(models, &PriceTable::shipped().with(own_prices))
    })
}

/// The most expensive of these models. One without a price counts as the most expensive, so that a
/// cost limit refuses it.
fn dearest(models: Vec<String>, prices: &PriceTable) -> Option<String> {
    let sample = TokenCounts { input: 1_000_000, output: 1_000_000, ..TokenCounts::default() };
    let price =
        |model: &String| prices.of(model).map_or(u64::MAX, |price| price.of_sum(sample).nanos());
    models.into_iter().rev().max_by_key(price)
}

/// The last value of an option, as a separate argument or behind `=`.
fn option(args: &[&str], names: &[&str]) -> Option<String> {
    let mut values = args.iter().enumerate().filter_map(|(at, arg)| {
        if names.contains(arg) {
            return args.get(at + 1).copied();
        }
        let (name, value) = arg.split_once('=')?;
        names.contains(&name).then_some(value)
    });
    values.next_back().map(str::to_owned)
}

/// The last value of a setting that is given as `-c key=value`.
fn setting(args: &[&str], key: &str) -> Option<String> {
    let pairs = args.windows(2).filter(|pair| matches!(pair[0], "-c" | "--config"));
    let mut values = pairs.filter_map(|pair| {
        let (name, value) = pair[1].split_once('=')?;
        (name.trim() == key).then(|| value.trim().trim_matches(['"', '\'']).to_owned())
    });
    values.next_back()
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
            assert_eq!(dearest(models, &prices).as_deref(), expected);
        }
    }
}
