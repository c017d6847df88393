//! The quota of an agent's account: how much of its windows is used, and how much may be.
//!
//! Some agents report the usage of the windows of their account ([`QuotaReading`]). It is a fact about
//! the account, not about a step: [`AccountQuotas`] stores it for each back-end. A reading is valid
//! until the reset of its window; before the first reading and after the reset the usage is unknown,
//! and an unknown usage delays no agent.

mod account_quotas;
mod exceeded_quota;
mod quota_limits;
mod quota_parse_error;
mod quota_reading;
mod quota_threshold;
mod quota_window;
#[cfg(test)]
mod tests;

pub use account_quotas::AccountQuotas;
pub(crate) use account_quotas::{UNREPORTED_QUOTA, unreported_quota};
pub use exceeded_quota::ExceededQuota;
pub use quota_limits::QuotaLimits;
pub use quota_parse_error::QuotaParseError;
pub use quota_reading::QuotaReading;
pub use quota_threshold::{QuotaThreshold, QuotaThresholdError};
pub use quota_window::QuotaWindow;
