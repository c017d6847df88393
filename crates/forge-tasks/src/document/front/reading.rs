//! What the value of a single key reads as.

use std::borrow::Cow;

use super::Key;
use super::given::Given;
use super::key::ValueType;

/// What the value of a key reads as. Keys with lists always read as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reading<'a> {
    /// Not there.
    Nothing,
    /// A text, never an empty one.
    Text(Cow<'a, str>),
    /// A list of texts, none of them empty.
    List(Vec<Cow<'a, str>>),
    /// Nothing that this key could have.
    Odd,
}

impl Key {
    /// Interprets a raw value for this key.
    pub(super) fn reads(self, given: Given<'_>) -> Reading<'_> {
        match self.value_type() {
            ValueType::Text => text(given),
            ValueType::Word => trimmed(text(given)),
            ValueType::List => list(given),
            ValueType::Names => names(given),
        }
    }
}

fn text(given: Given<'_>) -> Reading<'_> {
    match given {
        Given::Nothing => Reading::Nothing,
        Given::Text(text) => Reading::Text(text),
        Given::List(_) | Given::Odd => Reading::Odd,
    }
}

fn trimmed(reading: Reading<'_>) -> Reading<'_> {
    let Reading::Text(text) = reading else {
        return reading;
    };
    match text.trim() {
        "" => Reading::Nothing,
        trimmed if trimmed.len() == text.len() => Reading::Text(text),
        trimmed => Reading::Text(Cow::Owned(trimmed.to_owned())),
    }
}

/// People write a single label, or several with commas between them, without making a list of it.
fn list(given: Given<'_>) -> Reading<'_> {
    match given {
        Given::Nothing => Reading::List(Vec::new()),
        Given::Text(text) => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            Reading::List(items.map(|item| Cow::Owned(item.to_owned())).collect())
        }
        Given::List(items) => Reading::List(items),
        Given::Odd => Reading::Odd,
    }
}

/// Backlog.md has a list of assignees.
fn names(given: Given<'_>) -> Reading<'_> {
    match given {
        Given::List(items) if items.is_empty() => Reading::Nothing,
        Given::List(items) => Reading::Text(Cow::Owned(items.join(", "))),
        other => text(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str) -> Given<'_> {
        Given::Text(Cow::Borrowed(text))
    }

    fn given_list<'a>(items: &[&'a str]) -> Given<'a> {
        Given::List(items.iter().map(|item| Cow::Borrowed(*item)).collect())
    }

    fn text_reading(text: &str) -> Reading<'_> {
        Reading::Text(Cow::Borrowed(text))
    }

    #[test]
    fn a_single_text_is_a_list_split_at_its_commas() {
        let list = |items: &[&str]| match given_list(items) {
            Given::List(items) => format!("{items:?}"),
            other => format!("{other:?}"),
        };
        for (text, expected) in
            [("bug", &["bug"][..]), ("a, b c ,,d", &["a", "b c", "d"]), (" , ", &[])]
        {
            let Reading::List(items) = Key::Labels.reads(given(text)) else {
                panic!("{text} is a list");
            };
            assert_eq!(format!("{items:?}"), list(expected));
        }
        assert_eq!(Key::Dependencies.reads(Given::Nothing), Reading::List(Vec::new()));
    }

    #[test]
    fn a_list_of_assignees_is_joined() {
        assert_eq!(Key::Assignee.reads(given_list(&["@ann", "bob"])), text_reading("@ann, bob"));
        assert_eq!(Key::Assignee.reads(given_list(&[])), Reading::Nothing);
        assert_eq!(Key::Assignee.reads(given("ann")), text_reading("ann"));
    }

    #[test]
    fn words_are_trimmed_and_texts_are_not() {
        for key in [Key::Id, Key::Status, Key::Priority, Key::DueDate, Key::UpdatedAt] {
            assert_eq!(key.reads(given(" x\n")), text_reading("x"));
            assert_eq!(key.reads(given(" \n")), Reading::Nothing);
        }
        assert_eq!(Key::Title.reads(given(" x\n")), text_reading(" x\n"));
    }

    #[test]
    fn anything_else_is_odd() {
        for key in Key::ALL {
            assert_eq!(key.reads(Given::Odd), Reading::Odd);
        }
        assert_eq!(Key::Title.reads(given_list(&["a"])), Reading::Odd);
        assert_eq!(Key::Status.reads(given_list(&[])), Reading::Odd);
    }
}
