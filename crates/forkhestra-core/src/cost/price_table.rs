//! What all models cost that are known.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::ModelPrice;
use super::model_name::forms;
use super::shipped_prices::SHIPPED;

/// All prices that are known: those that come with the program, under those the user gives.
///
/// It is cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceTable {
    own: Arc<BTreeMap<String, ModelPrice>>,
}

impl PriceTable {
    /// Those that come with the program.
    pub fn shipped() -> &'static Self {
        static ONLY_SHIPPED: LazyLock<PriceTable> =
            LazyLock::new(|| PriceTable { own: Arc::default() });
        &ONLY_SHIPPED
    }

    /// The day of which the shipped prices are, as `2026-11-15`.
    pub fn as_of() -> &'static str {
        &SHIPPED.as_of
    }

    /// The name under which the price of a model comes with the program.
    pub fn shipped_name(model: &str) -> Option<&str> {
        forms(model).into_iter().find(|name| SHIPPED.models.contains_key(*name))
    }

    /// These, under the user's own.
    #[must_use]
    pub fn with(&self, own: &BTreeMap<String, ModelPrice>) -> Self {
        let mut all = BTreeMap::clone(&self.own);
        all.extend(own.iter().map(|(model, price)| (model.clone(), *price)));
        Self { own: Arc::new(all) }
    }

    /// What a model costs, under any of the names it goes by.
    ///
    /// The user's own price for a shorter name wins over a shipped one for the very name: whoever
    /// gives a price for a model means its dated versions, too.
    pub fn of(&self, model: &str) -> Option<&ModelPrice> {
        let names = forms(model);
        let among = |prices: &'_ BTreeMap<String, ModelPrice>| {
            names.iter().find(|&&name| prices.contains_key(name))
        };
        match among(&self.own) {
            Some(&name) => self.own.get(name),
            None => SHIPPED.models.get(*among(&SHIPPED.models)?),
        }
    }
}
