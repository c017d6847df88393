//! A higher cost limit.

use crate::cost::Dollars;
use crate::limit::{Limit, Usd};

const NANOS_OF_CENT: u128 = 10_000_000;

/// Twice the limit, or twice the spend if that is more: to the cent below a dollar, to ten cents
/// below ten, else in whole dollars.
pub(super) fn raised_cost_limit(limit: Limit<Usd>, spent: Dollars) -> Option<Usd> {
    let Limit::At(limit) = limit else { return None };
    let highest = limit.nanos().max(u128::from(spent.nanos()));
    let cents = (2 * highest).div_ceil(NANOS_OF_CENT);
    let step = match cents {
        0..100 => 1,
        100..1_000 => 10,
        _ => 100,
    };
    Usd::from_cents(cents.next_multiple_of(step))
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
            let dearer =
                raised_cost_limit(limit, Dollars::from_nanos(nanos)).expect("there is a limit");
            assert_eq!(Ok(dearer), Usd::parse(expected));
            assert!(dearer.nanos() > u128::from(nanos), "{dearer}");
        }
        assert_eq!(raised_cost_limit(Limit::Off, Dollars::from_nanos(1)), None);
    }
}
