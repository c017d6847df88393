//! The table of all known model prices.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::ModelPrice;
use super::model_name::known_names;
use super::shipped_prices::SHIPPED;

/// All known prices: the user's own override the shipped ones.
///
/// It is cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceTable {
    own: Arc<BTreeMap<String, ModelPrice>>,
}

impl PriceTable {
    /// The shipped prices.
    pub fn shipped() -> &'static Self {
        static ONLY_SHIPPED: LazyLock<PriceTable> =
            LazyLock::new(|| PriceTable { own: Arc::default() });
        &ONLY_SHIPPED
    }

    /// The date of the shipped prices, as `2026-11-15`.
    pub fn as_of() -> &'static str {
        &SHIPPED.as_of
    }

    /// The name under which a model has a shipped price.
    pub fn shipped_name(model: &str) -> Option<&str> {
        known_names(model).into_iter().find(|name| SHIPPED.models.contains_key(*name))
    }

    /// This table with the user's own prices on top.
    #[must_use]
    pub fn with(&self, own: &BTreeMap<String, ModelPrice>) -> Self {
        let mut all = BTreeMap::clone(&self.own);
        all.extend(own.iter().map(|(model, price)| (model.clone(), *price)));
        Self { own: Arc::new(all) }
    }

    /// The price of a model, under any of its names.
    ///
    /// The user's own price for a shorter name wins over a shipped one for the exact name: a price
    /// for a model is meant for its dated versions, too.
    pub fn of(&self, model: &str) -> Option<&ModelPrice> {
        let names = known_names(model);
        let among = |prices: &'_ BTreeMap<String, ModelPrice>| {
            names.iter().find(|&&name| prices.contains_key(name))
        };
        match among(&self.own) {
            Some(&name) => self.own.get(name),
            None => SHIPPED.models.get(*among(&SHIPPED.models)?),
        }
    }
}
