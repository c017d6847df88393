//! The typed value of a single key.

use std::borrow::Cow;

use super::FrontKey;
use super::key::ValueType;
use super::raw_value::RawValue;

/// The typed value of a key. Keys with lists always have a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypedValue<'a> {
    /// Not there.
    Nothing,
    /// A text, never an empty one.
    Text(Cow<'a, str>),
    /// A list of non-empty texts.
    List(Vec<Cow<'a, str>>),
    /// Nothing that this key could have.
    Odd,
}

impl FrontKey {
    /// Interprets a raw value for this key.
    pub(super) fn reads(self, given: RawValue<'_>) -> TypedValue<'_> {
        match self.value_type() {
            ValueType::Text => text(given),
            ValueType::Word => trimmed(text(given)),
            ValueType::List => list(given),
            ValueType::Names => names(given),
        }
    }
}

fn text(given: RawValue<'_>) -> TypedValue<'_> {
    match given {
        RawValue::Nothing => TypedValue::Nothing,
        RawValue::Text(text) => TypedValue::Text(text),
        RawValue::List(_) | RawValue::Odd => TypedValue::Odd,
    }
}

fn trimmed(reading: TypedValue<'_>) -> TypedValue<'_> {
    let TypedValue::Text(text) = reading else {
        return reading;
    };
    match text.trim() {
        "" => TypedValue::Nothing,
        trimmed if trimmed.len() == text.len() => TypedValue::Text(text),
        trimmed => TypedValue::Text(Cow::Owned(trimmed.to_owned())),
    }
}

/// People write a single label, or several with commas between them, without making a list of it.
fn list(given: RawValue<'_>) -> TypedValue<'_> {
    match given {
        RawValue::Nothing => TypedValue::List(Vec::new()),
        RawValue::Text(text) => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            TypedValue::List(items.map(|item| Cow::Owned(item.to_owned())).collect())
        }
        RawValue::List(items) => TypedValue::List(items),
        RawValue::Odd => TypedValue::Odd,
    }
}

/// Backlog.md has a list of assignees.
fn names(given: RawValue<'_>) -> TypedValue<'_> {
    match given {
        RawValue::List(items) if items.is_empty() => TypedValue::Nothing,
        RawValue::List(items) => TypedValue::Text(Cow::Owned(items.join(", "))),
        other => text(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str) -> RawValue<'_> {
        RawValue::Text(Cow::Borrowed(text))
    }

    fn given_list<'a>(items: &[&'a str]) -> RawValue<'a> {
        RawValue::List(items.iter().map(|item| Cow::Borrowed(*item)).collect())
    }

    fn text_reading(text: &str) -> TypedValue<'_> {
        TypedValue::Text(Cow::Borrowed(text))
    }

    #[test]
    fn a_single_text_is_a_list_split_at_its_commas() {
        let list = |items: &[&str]| match given_list(items) {
            RawValue::List(items) => format!("{items:?}"),
            other => format!("{other:?}"),
        };
        for (text, expected) in
            [("bug", &["bug"][..]), ("a, b c ,,d", &["a", "b c", "d"]), (" , ", &[])]
        {
            let TypedValue::List(items) = FrontKey::Labels.reads(given(text)) else {
                panic!("{text} is a list");
            };
            assert_eq!(format!("{items:?}"), list(expected));
        }
        assert_eq!(FrontKey::Dependencies.reads(RawValue::Nothing), TypedValue::List(Vec::new()));
    }

    #[test]
    fn a_list_of_assignees_is_joined() {
        assert_eq!(
            FrontKey::Assignee.reads(given_list(&["@ann", "bob"])),
            text_reading("@ann, bob")
        );
        assert_eq!(FrontKey::Assignee.reads(given_list(&[])), TypedValue::Nothing);
        assert_eq!(FrontKey::Assignee.reads(given("ann")), text_reading("ann"));
    }

    #[test]
    fn words_are_trimmed_and_texts_are_not() {
        for key in [
            FrontKey::Id,
            FrontKey::Status,
            FrontKey::Priority,
            FrontKey::DueDate,
            FrontKey::UpdatedAt,
        ] {
            assert_eq!(key.reads(given(" x\n")), text_reading("x"));
            assert_eq!(key.reads(given(" \n")), TypedValue::Nothing);
        }
        assert_eq!(FrontKey::Title.reads(given(" x\n")), text_reading(" x\n"));
    }

    #[test]
    fn anything_else_is_odd() {
        for key in FrontKey::ALL {
            assert_eq!(key.reads(RawValue::Odd), TypedValue::Odd);
        }
        assert_eq!(FrontKey::Title.reads(given_list(&["a"])), TypedValue::Odd);
        assert_eq!(FrontKey::Status.reads(given_list(&[])), TypedValue::Odd);
    }
}
