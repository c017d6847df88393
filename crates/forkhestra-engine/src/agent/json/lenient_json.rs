//! Reads JSON of other programs, whose format may change.
//!
//! A field of an unexpected type counts as absent, so that the event is not lost. Strings without
//! escapes are borrowed from the line.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A string, or `None` for a value of another type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LenientString<'a>(pub(crate) Option<Cow<'a, str>>);

impl<'a> LenientString<'a> {
    /// The string, if there is one.
    pub(crate) fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The string, or an empty one.
    pub(crate) fn or_empty(self) -> Cow<'a, str> {
        self.0.unwrap_or_default()
    }

    /// Whether it is this string.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.get() == Some(text)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for LenientString<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?.get();
        let quoted = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        Ok(Self(quoted.and_then(|text| match text.contains('\\') {
            false => Some(Cow::Borrowed(text)),
            true => serde_json::from_str(raw).ok().map(Cow::Owned),
        })))
    }
}

/// A value of a type, or `None` for a value of another type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lenient<T>(pub(crate) Option<T>);

impl<T> Default for Lenient<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?;
        Ok(Self(read(raw)))
    }
}

/// Parses a raw value.
pub(crate) fn read<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    serde_json::from_str(raw.get()).ok()
}

/// Parses an object, or `None` if the text is not one.
pub(crate) fn object<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    // Serde would also read a struct from an array.
    text.trim_start().starts_with('{').then(|| serde_json::from_str(text).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, Deserialize)]
    #[serde(default, bound(deserialize = "'de: 'a"))]
    struct JsonSample<'a> {
        name: LenientString<'a>,
        count: Lenient<u32>,
    }

    #[test]
    fn a_field_of_another_type_is_absent_and_the_rest_is_read() {
        for other in ["null", "true", "-1", "7.5", "[[1],{}]", r#"{"a":{"b":[]}}"#] {
            let text = format!(r#"{{"name":{other},"count":3,"more":{other}}}"#);
            let sample: JsonSample<'_> = object(&text).expect("an object");
            assert_eq!((sample.name.get(), sample.count.0), (None, Some(3)), "{other}");
            let text = format!(r#"{{"name":"x","count":{other}}}"#);
            let sample: JsonSample<'_> = object(&text).expect("an object");
            assert_eq!((sample.name.get(), sample.count.0), (Some("x"), None), "{other}");
        }
    }

    #[test]
    fn strings_are_borrowed_unless_they_have_escapes() {
        for (text, is_borrowed) in [(r#"{"name":"plain"}"#, true), (r#"{"name":"a\nb"}"#, false)] {
            let sample: JsonSample<'_> = object(text).expect("an object");
            let name = sample.name.0.expect("a name");
            assert_eq!(matches!(name, Cow::Borrowed(_)), is_borrowed, "{text}");
        }
    }

    #[test]
    fn a_value_that_is_no_object_is_ignored() {
        for text in ["", "7", "[]", r#"["x",3]"#, "{", r#"{"name":"x"} more"#] {
            assert!(object::<JsonSample<'_>>(text).is_none(), "{text}");
        }
    }
}
