//! Bounded and lenient JSON for streams that an agent writes.

pub(crate) mod bounded_json;
pub(crate) mod lenient_json;
pub(crate) mod non_finite;
pub(crate) mod reported_figure;
pub(crate) mod surrogates;
