//! Money by what became of the work.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::spend_category::SpendCategory;
use crate::cost::Dollars;

/// Money by what became of the work, in billionths of a dollar. The categories add up to the total.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpendByCategory {
    pub landed: Dollars,
    pub refused: Dollars,
    pub unchanged: Dollars,
    pub cut_off: Dollars,
    /// Of agents whose iteration is not over.
    pub running: Dollars,
}

impl SpendByCategory {
    /// All money together.
    pub fn total(self) -> Dollars {
        let Self { landed, refused, unchanged, cut_off, running } = self;
        [landed, refused, unchanged, cut_off, running].into_iter().sum()
    }

    /// Adds an amount to a category.
    pub fn add(&mut self, category: SpendCategory, dollars: Dollars) {
        *match category {
            SpendCategory::Landed => &mut self.landed,
            SpendCategory::Refused => &mut self.refused,
            SpendCategory::Unchanged => &mut self.unchanged,
            SpendCategory::CutOff => &mut self.cut_off,
        } += dollars;
    }
}

impl AddAssign for SpendByCategory {
    fn add_assign(&mut self, more: Self) {
        self.landed += more.landed;
        self.refused += more.refused;
        self.unchanged += more.unchanged;
        self.cut_off += more.cut_off;
        self.running += more.running;
    }
}
