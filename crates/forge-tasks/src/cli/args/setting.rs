//! Values that can be cleared, and values that can be several.

use std::error::Error;

use crate::{DueDate, DueDateParseError, IdQuery, Priority, PriorityParseError, TaskIdParseError};

/// A new value. An empty text clears it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SetOrClear<T> {
    /// To nothing.
    Clear,
    /// To this.
    To(T),
}

impl<T> SetOrClear<T> {
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

pub(super) fn priority(text: &str) -> Result<SetOrClear<Priority>, PriorityParseError> {
    SetOrClear::read(text, Priority::parse)
}

pub(super) fn due_date(text: &str) -> Result<SetOrClear<DueDate>, DueDateParseError> {
    SetOrClear::read(text, DueDate::parse)
}

pub(super) fn id(text: &str) -> Result<SetOrClear<IdQuery>, TaskIdParseError> {
    SetOrClear::read(text, IdQuery::parse)
}

/// Several values in one argument, with commas between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommaSeparated<T>(Vec<T>);

impl<T> CommaSeparated<T> {
    fn read<E>(text: &str, parse: impl Fn(&str) -> Result<T, E>) -> Result<Self, E> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(parse).collect::<Result<Vec<T>, E>>().map(Self)
    }
}

/// The values of all arguments together.
pub(super) fn all<T: Clone>(arguments: &[CommaSeparated<T>]) -> Vec<T> {
    arguments.iter().flat_map(|several| several.0.iter().cloned()).collect()
}

pub(super) fn ids(text: &str) -> Result<CommaSeparated<IdQuery>, TaskIdParseError> {
    CommaSeparated::read(text, IdQuery::parse)
}

pub(super) fn labels(text: &str) -> Result<CommaSeparated<String>, std::convert::Infallible> {
    CommaSeparated::read(text, |label| Ok(super::one_line(label)))
}

pub(super) fn criteria(text: &str) -> Result<CommaSeparated<u32>, Box<dyn Error + Send + Sync>> {
    CommaSeparated::read(text, |part| {
        part.trim_start_matches('#').parse().map_err(|_| not_a_number(part))
    })
}

fn not_a_number(text: &str) -> Box<dyn Error + Send + Sync> {
    format!("`{text}` is not the number of a criterion, such as 1").into()
}
