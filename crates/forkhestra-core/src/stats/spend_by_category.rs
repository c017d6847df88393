//! Money by what became of the work.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::spend_category::SpendCategory;
use crate::cost::Dollars;

/// Money by what became of the work, in billionths of a dollar. The categories add up to the total.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpendByCategory {
    pub productive: Dollars,
    pub refused: Dollars,
    pub no_change: Dollars,
    pub aborted: Dollars,
    /// Of agents whose iteration is not over.
    pub running: Dollars,
}

impl SpendByCategory {
    /// All money together.
    pub fn total(self) -> Dollars {
        let Self { productive, refused, no_change, aborted, running } = self;
        [productive, refused, no_change, aborted, running].into_iter().sum()
    }

    /// Adds an amount to a category.
    pub fn add(&mut self, category: SpendCategory, dollars: Dollars) {
        *match category {
            SpendCategory::Productive => &mut self.productive,
            SpendCategory::Refused => &mut self.refused,
            SpendCategory::NoChange => &mut self.no_change,
            SpendCategory::Aborted => &mut self.aborted,
        } += dollars;
    }
}

impl AddAssign for SpendByCategory {
    fn add_assign(&mut self, more: Self) {
        self.productive += more.productive;
        self.refused += more.refused;
        self.no_change += more.no_change;
        self.aborted += more.aborted;
        self.running += more.running;
    }
}
