//! Waits between attempts: provider limits, retries, postponements.

pub(crate) mod backoff;
pub(crate) mod cost_limits;
mod fallback;
mod fallback_properties;
pub(crate) mod provider_waits;
mod quota_resumes;
mod quota_waits;
pub(crate) mod run_clock;
pub(crate) mod time_limits;
