//! Bounded and lenient JSON for streams that an agent writes.

mod bounded_json;
mod lenient_json;
mod non_finite;
mod reported_figure;
mod surrogates;

pub(crate) use bounded_json::{BoundedList, BoundedMap};
pub(crate) use lenient_json::{Lenient, LenientString, object, read};
pub(crate) use non_finite::quoted_non_finite;
pub(crate) use reported_figure::{ReportedFigure, ReportedFigures};
pub(crate) use surrogates::replace_lone_surrogates;
