//! Money and time that an earlier end would have saved.

use std::ops::AddAssign;
use std::time::Duration;

use crate::cost::Dollars;
use crate::machine::RunState;

/// Money and time that would not have been spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LimitSavings {
    pub money: Dollars,
    /// Whether more money may have been saved: a part has no known price, or the spend of a running
    /// agent was not reported at that moment.
    pub at_least: bool,
    /// Time that the run was awake and not paused.
    pub time: Duration,
}

impl LimitSavings {
    /// Whether the money is known, at least in part.
    pub fn is_money_known(&self) -> bool {
        !self.at_least || !self.money.is_zero()
    }

    /// What a run used between two of its states.
    pub(super) fn between(elapsed: Duration, spent: Dollars, later: &RunState) -> Self {
        Self {
            money: later.spend().dollars - spent,
            at_least: later.spend().unpriced,
            time: later.elapsed.saturating_sub(elapsed),
        }
    }
}

impl AddAssign for LimitSavings {
    fn add_assign(&mut self, other: Self) {
        self.money += other.money;
        self.at_least |= other.at_least;
        self.time = self.time.saturating_add(other.time);
    }
}
