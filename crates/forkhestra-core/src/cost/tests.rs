//! Tests of prices, ledgers and model names together.

mod captures;
mod ledger;
mod lookups;
mod properties;

use super::{Dollars, PriceTable, SpendLedger, TokenCounts};

/// Tokens in the order of agents' reports: input, output, cache read, cache write.
fn tokens(input: u64, output: u64, cache_read: u64, cache_write: u64) -> TokenCounts {
    TokenCounts { input, output, cache_read, cache_write, cache_write_1h: 0 }
}

fn dollars(dollars: f64) -> Dollars {
    Dollars::from_dollars(dollars).expect("an amount")
}

fn ledger() -> SpendLedger {
    SpendLedger::new(PriceTable::shipped().clone())
}
