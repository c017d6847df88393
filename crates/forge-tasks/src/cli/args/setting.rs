//! Values that can be cleared, and values that can be several.

use std::error::Error;

use crate::{DueDate, IdQuery, NotADate, NotAPriority, NotAnId, Priority};

/// What something is set to. An empty text clears it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Setting<T> {
    /// To nothing.
    Clear,
    /// To this.
    To(T),
}

impl<T> Setting<T> {
    /// Reads a text that may be empty.
    pub(super) fn read<E>(text: &str, parse: impl Fn(&str) -> Result<T, E>) -> Result<Self, E> {
        if text.trim().is_empty() { Ok(Self::Clear) } else { parse(text).map(Self::To) }
    }

    /// The value, if there is one.
    pub(crate) fn value(self) -> Option<T> {
        match self {
            Self::Clear => None,
            Self::To(value) => Some(value),
        }
    }
}

pub(super) fn priority(text: &str) -> Result<Setting<Priority>, NotAPriority> {
    Setting::read(text, Priority::parse)
}

pub(super) fn due_date(text: &str) -> Result<Setting<DueDate>, NotADate> {
    Setting::read(text, DueDate::parse)
}

pub(super) fn id(text: &str) -> Result<Setting<IdQuery>, NotAnId> {
    Setting::read(text, IdQuery::parse)
}

/// Several values in one argument, with commas between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Several<T>(Vec<T>);

impl<T> Several<T> {
    fn read<E>(text: &str, parse: impl Fn(&str) -> Result<T, E>) -> Result<Self, E> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(parse).collect::<Result<Vec<T>, E>>().map(Self)
    }
}

/// The values of all arguments together.
pub(super) fn all<T: Clone>(arguments: &[Several<T>]) -> Vec<T> {
    arguments.iter().flat_map(|several| several.0.iter().cloned()).collect()
}

pub(super) fn ids(text: &str) -> Result<Several<IdQuery>, NotAnId> {
    Several::read(text, IdQuery::parse)
}

pub(super) fn labels(text: &str) -> Result<Several<String>, std::convert::Infallible> {
    Several::read(text, |label| Ok(super::one_line(label)))
}

pub(super) fn criteria(text: &str) -> Result<Several<u32>, Box<dyn Error + Send + Sync>> {
    Several::read(text, |part| part.trim_start_matches('#').parse().map_err(|_| not_a_number(part)))
}

fn not_a_number(text: &str) -> Box<dyn Error + Send + Sync> {
    format!("`{text}` is not the number of a criterion, such as 1").into()
}
