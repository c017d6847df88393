//! The fallback of a step: another back-end for the time of a usage limit.

pub(crate) mod resolve_fallbacks;
pub(crate) mod step_fallback;
