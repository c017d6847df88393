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
mod ledger;
mod model_name;
mod price;
mod price_format;
mod prices;
mod rate;
mod recent;
mod shipped;
mod spend;
#[cfg(test)]
mod tests;
mod tokens;
mod unusable_figure;

pub use dollars::Dollars;
pub use ledger::{ReportedUsage, SpendLedger};
pub use price::{LongPromptPrice, ModelPrice};
pub use prices::PriceTable;
pub use rate::TokenRate;
pub use spend::{Cost, Spend};
pub use tokens::TokenCounts;
pub use unusable_figure::UnusableFigure;
