//! The raw values of the keys, before they are interpreted.

use std::borrow::Cow;
use std::mem;

use super::{FrontKey, FrontValue};

/// What is given for a key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum RawValue<'a> {
    /// Nothing, or what YAML and people write for it.
    #[default]
    Nothing,
    /// A text, never an empty one.
    Text(Cow<'a, str>),
    /// A list of texts, none of them empty.
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
    /// What a scalar gives. Numbers, dates and the like are the text they are written as.
    pub(super) fn scalar(text: Cow<'a, str>, bareness: ScalarQuoting) -> Self {
        let is_null = || matches!(&*text, "~" | "null" | "Null" | "NULL");
        if text.is_empty() || (bareness == ScalarQuoting::Bare && is_null()) {
            Self::Nothing
        } else {
            Self::Text(text)
        }
    }

    /// What a value gives when it is written and read.
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

/// What is given for every key.
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
