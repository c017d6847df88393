//! The values of front matter: as read, and to be written.

use std::borrow::Cow;
use std::mem;

use crate::document::front::FrontKey;
use crate::document::front::front_key::ValueType;

/// The new value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrontValue {
    /// A text, quoted where it must be.
    Text(String),
    /// A text that is always quoted, so that no other program takes it for a date.
    Quoted(String),
    /// A list of texts. Empty ones are not written.
    List(Vec<String>),
}

/// One change of the front matter: a key is set or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontEdit {
    pub key: FrontKey,
    /// `None` removes the key.
    pub value: Option<FrontValue>,
}

/// Why front matter cannot be edited without changing something else.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` cannot be changed without changing something else in the front matter; edit the file",
    key.name()
)]
pub struct FrontEditError {
    /// The key that was to be changed.
    pub key: FrontKey,
}

/// The raw value of a key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum RawValue<'a> {
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
pub(crate) enum ScalarQuoting {
    Bare,
    Quoted,
}

impl<'a> RawValue<'a> {
    /// The value of a scalar. Numbers, dates and similar are their text.
    pub(crate) fn scalar(text: Cow<'a, str>, quoting: ScalarQuoting) -> Self {
        let is_null = || matches!(&*text, "~" | "null" | "Null" | "NULL");
        if text.is_empty() || (quoting == ScalarQuoting::Bare && is_null()) {
            Self::Nothing
        } else {
            Self::Text(text)
        }
    }

    /// The value that is read after this one was written.
    pub(crate) fn of(value: &'a FrontValue) -> Self {
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
pub(crate) struct RawFront<'a> {
    values: [RawValue<'a>; FrontKey::ALL.len()],
}

impl<'a> RawFront<'a> {
    pub(crate) fn set(&mut self, key: FrontKey, value: RawValue<'a>) {
        self.values[key as usize] = value;
    }

    pub(crate) fn take(&mut self, key: FrontKey) -> RawValue<'a> {
        mem::take(&mut self.values[key as usize])
    }
}

impl FrontKey {
    /// Interprets a raw value for this key. Keys with lists always have a list.
    pub(crate) fn reads(self, value: RawValue<'_>) -> RawValue<'_> {
        match (self.value_type(), value) {
            // Backlog.md has a list of assignees.
            (ValueType::Names, RawValue::List(items)) if items.is_empty() => RawValue::Nothing,
            (ValueType::Names, RawValue::List(items)) => {
                RawValue::Text(Cow::Owned(items.join(", ")))
            }
            (ValueType::List, RawValue::Nothing) => RawValue::List(Vec::new()),
            // People write a single label, or several with commas between them, without making a
            // list of it.
            (ValueType::List, RawValue::Text(text)) => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                RawValue::List(items.map(|item| Cow::Owned(item.to_owned())).collect())
            }
            (ValueType::Text | ValueType::Word, RawValue::List(_)) => RawValue::Odd,
            (ValueType::Word, RawValue::Text(text)) => match text.trim() {
                "" => RawValue::Nothing,
                trimmed if trimmed.len() == text.len() => RawValue::Text(text),
                trimmed => RawValue::Text(Cow::Owned(trimmed.to_owned())),
            },
            (_, value) => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw_value(text: &str) -> RawValue<'_> {
        RawValue::Text(Cow::Borrowed(text))
    }

    fn raw_list<'a>(items: &[&'a str]) -> RawValue<'a> {
        RawValue::List(items.iter().map(|item| Cow::Borrowed(*item)).collect())
    }

    fn text_reading(text: &str) -> RawValue<'_> {
        RawValue::Text(Cow::Borrowed(text))
    }

    #[test]
    fn a_single_text_is_a_list_split_at_its_commas() {
        let list = |items: &[&str]| match raw_list(items) {
            RawValue::List(items) => format!("{items:?}"),
            other => format!("{other:?}"),
        };
        for (text, expected) in
            [("bug", &["bug"][..]), ("a, b c ,,d", &["a", "b c", "d"]), (" , ", &[])]
        {
            let RawValue::List(items) = FrontKey::Labels.reads(raw_value(text)) else {
                panic!("{text} is a list");
            };
            assert_eq!(format!("{items:?}"), list(expected));
        }
        assert_eq!(FrontKey::Dependencies.reads(RawValue::Nothing), RawValue::List(Vec::new()));
    }

    #[test]
    fn a_list_of_assignees_is_joined() {
        assert_eq!(FrontKey::Assignee.reads(raw_list(&["@ann", "bob"])), text_reading("@ann, bob"));
        assert_eq!(FrontKey::Assignee.reads(raw_list(&[])), RawValue::Nothing);
        assert_eq!(FrontKey::Assignee.reads(raw_value("ann")), text_reading("ann"));
    }

    #[test]
    fn single_line_values_are_trimmed_and_titles_are_not() {
        for key in [
            FrontKey::Id,
            FrontKey::Status,
            FrontKey::Priority,
            FrontKey::DueDate,
            FrontKey::UpdatedAt,
        ] {
            assert_eq!(key.reads(raw_value(" x\n")), text_reading("x"));
            assert_eq!(key.reads(raw_value(" \n")), RawValue::Nothing);
        }
        assert_eq!(FrontKey::Title.reads(raw_value(" x\n")), text_reading(" x\n"));
    }

    #[test]
    fn a_value_of_the_wrong_shape_is_odd() {
        for key in FrontKey::ALL {
            assert_eq!(key.reads(RawValue::Odd), RawValue::Odd);
        }
        assert_eq!(FrontKey::Title.reads(raw_list(&["a"])), RawValue::Odd);
        assert_eq!(FrontKey::Status.reads(raw_list(&[])), RawValue::Odd);
    }
}
