//! What agents spend, in tokens and in dollars.
//!
//! Agents tell what they used in three ways: message by message, step by step, or as a total of
//! everything so far. A [`SpendLedger`] takes all three and says at any time what one iteration has
//! spent. Where an agent gives no amount of its own, its tokens are priced with [`PriceTable`]: a dated
//! table that comes with the program, under what the user gives.
//!
//! Money is counted in whole billionths of a dollar, so that sums do not depend on their order.
//! What has no known price is never zero: a [`Spend`] remembers that a part of it is missing, and
//! its [`Cost`] says so.
//!
//! ```
//! use forkhestra_core::cost::{Ledger, Prices, Tokens};
//!
//! let mut ledger = Ledger::new(Prices::shipped().clone());
//! let tokens = Tokens { input: 1000, output: 50, ..Tokens::default() };
//! ledger.message("msg_1", "claude-sonnet-5-5", tokens);
//! assert_eq!(ledger.spend().cost().to_string(), "$0.0025");
//!
//! ledger.message("msg_2", "a-model-nobody-knows", tokens);
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
