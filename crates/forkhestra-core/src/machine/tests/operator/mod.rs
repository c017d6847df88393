//! Operator requests: stop, pause, changed limits, messages.

pub(crate) mod cancel;
pub(crate) mod changed_limits;
pub(crate) mod control_requests;
pub(crate) mod messages;
pub(crate) mod pause;
pub(crate) mod properties;
pub(crate) mod skip;
pub(crate) mod stop;
