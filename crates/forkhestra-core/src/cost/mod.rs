//! What agents spend, in tokens and in dollars.
//!
//! Agents report usage in three ways: message by message, step by step, or as a total so far. A
//! [`SpendLedger`] takes all three and returns at any time what one iteration has spent. If an
//! agent reports no cost, its tokens are priced with a [`PriceTable`]: the user's prices on top of a
//! dated table that is shipped with the program.
//!
//! Money is counted in whole billionths of a dollar, so that sums do not depend on their order. An
//! unknown price never counts as zero: a [`Spend`] notes that a part is unpriced, and its [`Cost`]
//! reports it.
//!
//! ```
//! use forkhestra_core::cost::{PriceTable, SpendLedger, TokenCounts};
//!
//! let mut ledger = SpendLedger::new(PriceTable::shipped().clone());
//! let tokens = TokenCounts { input: 1000, output: 50, ..TokenCounts::default() };
//! ledger.message("msg_1", "claude-sonnet-5-5", tokens);
//! assert_eq!(ledger.spend().cost().to_string(), "$0.0025");
//!
//! ledger.message("msg_2", "an-unknown-model", tokens);
//! assert_eq!(ledger.spend().cost().to_string(), "at least $0.0025");
//! ```

mod dollars;
mod model_name;
mod model_price;
mod price_json;
mod price_table;
mod recent_responses;
mod shipped_prices;
mod spend;
mod spend_ledger;
#[cfg(test)]
mod tests;
mod token_counts;
mod token_rate;
mod unusable_figure;

pub use dollars::Dollars;
pub use model_price::{LongPromptPrice, ModelPrice};
pub use price_table::PriceTable;
pub use spend::{Cost, Spend};
pub use spend_ledger::{ReportedUsage, SpendLedger};
pub use token_counts::TokenCounts;
pub use token_rate::TokenRate;
pub use unusable_figure::UnusableFigure;
