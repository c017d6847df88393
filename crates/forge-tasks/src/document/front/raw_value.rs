//! The raw values of the keys, before they are interpreted.

use std::borrow::Cow;
use std::mem;

use super::{FrontKey, FrontValue};

/// The raw value of a key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum RawValue<'a> {
    /// No value, or a spelling of null.
    #[default]
    Nothing,
    /// A text, never an empty one.
    Text(Cow<'a, str>),
    /// A list of non-empty texts.
    List(Vec<Cow<'a, str>>),
    /// Something else: a mapping, or a list with something else in it.
    Odd,
}

/// Whether a scalar has no quotes, so that it may be null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScalarQuoting {
    Bare,
    Quoted,
}

impl<'a> RawValue<'a> {
    /// The value of a scalar. Numbers, dates and similar are their text.
    pub(super) fn scalar(text: Cow<'a, str>, bareness: ScalarQuoting) -> Self {
        let is_null = || matches!(&*text, "~" | "null" | "Null" | "NULL");
        if text.is_empty() || (bareness == ScalarQuoting::Bare && is_null()) {
            Self::Nothing
        } else {
            Self::Text(text)
        }
    }

    /// The value that is read after this one was written.
    pub(super) fn of(value: &'a FrontValue) -> Self {
        match value {
            FrontValue::Text(text) | FrontValue::Quoted(text) => {
                Self::scalar(Cow::Borrowed(text), ScalarQuoting::Quoted)
            }
            FrontValue::List(items) => {
                let there = items.iter().filter(|item| !item.is_empty());
                Self::List(there.map(|item| Cow::Borrowed(item.as_str())).collect())
            }
        }
    }
}

/// The raw values of all keys.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RawFront<'a> {
    given: [RawValue<'a>; FrontKey::ALL.len()],
}

impl<'a> RawFront<'a> {
    pub(super) fn set(&mut self, key: FrontKey, given: RawValue<'a>) {
        self.given[key as usize] = given;
    }

    pub(super) fn take(&mut self, key: FrontKey) -> RawValue<'a> {
        mem::take(&mut self.given[key as usize])
    }
}
