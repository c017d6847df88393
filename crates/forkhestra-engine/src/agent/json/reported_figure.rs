//! Figures of usage reports: numbers of tokens and amounts in dollars.

use std::collections::BTreeMap;

use forkhestra_core::cost::{Dollars, UnusableFigure};
use serde::de::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{BoundedMap, object, read};
use crate::agent::one_line::{one_line, shortened};

/// A larger number of tokens is implausible: at a million tokens per second a process would need
/// eleven days for them.
const MAX_TOKENS: u64 = 1_000_000_000_000;

/// The maximum length of a value in a message, in characters.
const MAX_SHOWN_CHARS: usize = 40;

/// A figure of a usage report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum ReportedFigure<T> {
    /// The field is missing or `null`.
    #[default]
    Absent,
    /// A plausible value.
    Usable(T),
    /// A negative, implausibly large or non-numeric value, as it was printed.
    Unusable(String),
}

impl<T: Copy> ReportedFigure<T> {
    /// The value, if it is plausible.
    pub(crate) const fn get(&self) -> Option<T> {
        match self {
            Self::Usable(value) => Some(*value),
            Self::Absent | Self::Unusable(_) => None,
        }
    }

    /// The error for this field of a report, if the value is unusable.
    pub(crate) fn unusable(&self, field: &str) -> Option<UnusableFigure> {
        match self {
            Self::Unusable(value) => {
                Some(UnusableFigure { field: field.to_owned(), value: value.clone() })
            }
            Self::Absent | Self::Usable(_) => None,
        }
    }
}

/// The type of a figure.
pub(crate) trait FigureValue: Copy {
    /// The value of a JSON number, if it is plausible.
    fn from_number(number: &serde_json::Number) -> Option<Self>;
}

impl FigureValue for u64 {
    fn from_number(number: &serde_json::Number) -> Option<Self> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range was checked"
        )]
        let whole = |value: f64| {
            ((0.0..=1e12).contains(&value) && value.fract() == 0.0).then_some(value as Self)
        };
        let tokens = number.as_u64().or_else(|| number.as_f64().and_then(whole));
        tokens.filter(|tokens| *tokens <= MAX_TOKENS)
    }
}

impl FigureValue for Dollars {
    fn from_number(number: &serde_json::Number) -> Option<Self> {
        number.as_f64().and_then(Self::from_dollars)
    }
}

impl<'de, T: FigureValue> Deserialize<'de> for ReportedFigure<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?.get();
        if raw == "null" {
            return Ok(Self::Absent);
        }
        // The parser also rejects numbers beyond every range.
        let number: Option<serde_json::Number> = serde_json::from_str(raw).ok();
        Ok(match number.and_then(|number| T::from_number(&number)) {
            Some(value) => Self::Usable(value),
            None => Self::Unusable(shortened(one_line(raw), MAX_SHOWN_CHARS)),
        })
    }
}

/// The token figures of an object by name; those of nested objects as `parent.child`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ReportedFigures(BTreeMap<String, ReportedFigure<u64>>);

impl ReportedFigures {
    /// A number of tokens, or zero if it is absent or unusable.
    pub(crate) fn tokens(&self, name: &str) -> u64 {
        self.0.get(name).and_then(ReportedFigure::get).unwrap_or(0)
    }

    /// The first unusable one of these figures.
    pub(crate) fn unusable(&self, names: &[&str]) -> Option<UnusableFigure> {
        names.iter().find_map(|name| self.0.get(*name)?.unusable(name))
    }
}

impl<'de> Deserialize<'de> for ReportedFigures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let BoundedMap(fields) = BoundedMap::<&'de RawValue>::deserialize(deserializer)?;
        let mut figures = BTreeMap::new();
        for (name, raw) in fields {
            let BoundedMap(nested) = object(raw.get()).unwrap_or_default();
            let nested =
                nested.into_iter().map(|(child, value)| (format!("{name}.{child}"), value));
            figures.extend(nested);
            figures.insert(name, read(raw).unwrap_or_default());
        }
        Ok(Self(figures))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_nested_objects_are_named_after_their_parents() {
        let text = r#"{"input":3,"cache":{"read":2,"write":-1},"output":{"text":1},"note":"x"}"#;
        let figures: ReportedFigures = serde_json::from_str(text).expect("it is an object");
        let names = ["input", "cache.read", "cache.write", "output", "missing"];
        assert_eq!(names.map(|name| figures.tokens(name)), [3, 2, 0, 0, 0]);
        let unusable = |names: &[&str]| figures.unusable(names).map(|figure| figure.to_string());
        assert_eq!(unusable(&names).as_deref(), Some("cache.write: -1"));
        assert_eq!(unusable(&["output"]).as_deref(), Some("output: {\"text\":1}"));
        assert_eq!(unusable(&["input", "missing"]), None);
    }

    fn read<T: FigureValue>(raw: &str) -> ReportedFigure<T> {
        serde_json::from_str(raw).expect("any JSON can be read")
    }

    fn unusable<T>(value: &str) -> ReportedFigure<T> {
        ReportedFigure::Unusable(value.to_owned())
    }

    #[test]
    fn token_counts_are_whole_and_plausible_or_unusable() {
        for (raw, expected) in [
            ("null", ReportedFigure::Absent),
            ("0", ReportedFigure::Usable(0)),
            ("1200", ReportedFigure::Usable(1200)),
            ("1200.0", ReportedFigure::Usable(1200)),
            ("1000000000000", ReportedFigure::Usable(MAX_TOKENS)),
            ("1000000000001", unusable("1000000000001")),
            ("18446744073709551615", unusable("18446744073709551615")),
            ("18446744073709551616", unusable("18446744073709551616")),
            ("-3", unusable("-3")),
            ("0.5", unusable("0.5")),
            ("1e308", unusable("1e308")),
            ("1e999", unusable("1e999")),
            ("\"12\"", unusable("\"12\"")),
            ("true", unusable("true")),
            ("[1]", unusable("[1]")),
        ] {
            assert_eq!(read::<u64>(raw), expected, "{raw}");
        }
    }

    #[test]
    fn costs_are_plausible_amounts_or_unusable() {
        for (raw, expected) in [
            ("null", ReportedFigure::Absent),
            ("0", ReportedFigure::Usable(Dollars::ZERO)),
            ("0.25", ReportedFigure::Usable(Dollars::from_nanos(250_000_000))),
            ("-5", unusable("-5")),
            ("1e308", unusable("1e308")),
            ("1e999", unusable("1e999")),
            ("\"NaN\"", unusable("\"NaN\"")),
            ("{ \"usd\":\n 5 }", unusable("{ \"usd\": 5 }")),
        ] {
            assert_eq!(read::<Dollars>(raw), expected, "{raw}");
        }
        let long = format!("\"{}\"", "x".repeat(1000));
        let ReportedFigure::Unusable(shown) = read::<Dollars>(&long) else {
            panic!("a text is no amount")
        };
        assert_eq!(shown.chars().count(), MAX_SHOWN_CHARS);
    }
}
