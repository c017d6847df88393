//! A higher cost limit, as the value of an option.

use std::fmt;

use crate::cost::Dollars;
use crate::limit::{Limit, Usd};

const NANOS_OF_CENT: u128 = 10_000_000;

/// An amount in cents, as a word of a command: `0.10`, `1.50`, `12`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cents(u128);

impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 100, self.0 % 100) {
            (dollars, 0) => write!(f, "{dollars}"),
            (dollars, cents) => write!(f, "{dollars}.{cents:02}"),
        }
    }
}

/// A limit, rounded up to whole cents.
pub(super) fn of_limit(limit: Limit<Usd>) -> Option<Cents> {
    nanos(limit).map(|nanos| Cents(nanos.div_ceil(NANOS_OF_CENT)))
}

/// Twice the limit, or twice the spend if that is more: to the cent below a dollar, to ten cents
/// below ten, else in whole dollars.
pub(super) fn dearer(limit: Limit<Usd>, spent: Dollars) -> Option<Cents> {
    let most = nanos(limit)?.max(u128::from(spent.nanos()));
    let cents = (2 * most).div_ceil(NANOS_OF_CENT);
    let step = match cents {
        0..100 => 1,
        100..1_000 => 10,
        _ => 100,
    };
    Some(Cents(cents.next_multiple_of(step)))
}

fn nanos(limit: Limit<Usd>) -> Option<u128> {
    match limit {
        Limit::At(limit) => Some(limit.nanos()),
        Limit::Off => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::LimitQuantity;

    #[test]
    fn a_new_cost_is_more_than_was_spent_and_not_much_more() {
        for (limit, nanos, expected) in [
            ("0.05", 50_000_000, "0.10"),
            ("0.05", 62_000_001, "0.13"),
            ("0.0001", 100_000, "0.01"),
            ("0.5", 510_000_000, "1.10"),
            ("2.50", 2_500_000_000, "5"),
            ("5", 5_100_000_000, "11"),
            ("1", 9_000_000_000, "18"),
        ] {
            let limit = Limit::At(Usd::parse(limit).expect("an amount"));
            let dearer = dearer(limit, Dollars::from_nanos(nanos)).expect("there is a limit");
            assert_eq!(dearer.to_string(), expected);
            let typed = Usd::parse(&dearer.to_string()).expect("it can be typed");
            assert!(typed.nanos() > u128::from(nanos), "{typed}");
        }
        assert_eq!(dearer(Limit::Off, Dollars::from_nanos(1)), None);
    }
}
