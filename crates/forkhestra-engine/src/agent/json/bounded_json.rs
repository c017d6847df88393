//! JSON lists and maps with a limit on the kept entries.
//!
//! A line of a stream may be long, and the smallest entry takes a hundred times its length in
//! memory. Real events have far fewer entries than the limit.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The maximum of kept entries.
pub(crate) const MAX_ENTRIES: usize = 4096;

/// The first entries of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BoundedList<T>(pub(crate) Vec<T>);

impl<T> Default for BoundedList<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for BoundedList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(BoundedListVisitor(PhantomData)).map(Self)
    }
}

struct BoundedListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for BoundedListVisitor<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut kept = Vec::new();
        while kept.len() < MAX_ENTRIES {
            match items.next_element()? {
                Some(item) => kept.push(item),
                None => return Ok(kept),
            }
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(kept)
    }
}

/// The first entries of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BoundedMap<T>(pub(crate) BTreeMap<String, T>);

impl<T> Default for BoundedMap<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for BoundedMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(BoundedMapVisitor(PhantomData)).map(Self)
    }
}

struct BoundedMapVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for BoundedMapVisitor<T> {
    type Value = BTreeMap<String, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut kept = BTreeMap::new();
        while kept.len() < MAX_ENTRIES {
            match entries.next_entry()? {
                Some((name, value)) => drop(kept.insert(name, value)),
                None => return Ok(kept),
            }
        }
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(length: usize) -> String {
        let items: Vec<String> = (0..length).map(|number| number.to_string()).collect();
        format!("[{}]", items.join(","))
    }

    fn table(length: usize) -> String {
        let entries: Vec<String> = (0..length).map(|number| format!(r#""{number}":1"#)).collect();
        format!("{{{}}}", entries.join(","))
    }

    #[test]
    fn the_first_entries_are_kept_and_the_rest_must_be_json() {
        for (length, kept) in [
            (0, 0),
            (1, 1),
            (MAX_ENTRIES, MAX_ENTRIES),
            (MAX_ENTRIES + 1, MAX_ENTRIES),
            (2 * MAX_ENTRIES, MAX_ENTRIES),
        ] {
            let few: BoundedList<usize> = serde_json::from_str(&list(length)).expect("a list");
            assert!(few.0.into_iter().eq(0..kept), "{length}");
            let few: BoundedMap<u8> = serde_json::from_str(&table(length)).expect("a table");
            assert_eq!(few.0.len(), kept, "{length}");
        }
        let cut = list(2 * MAX_ENTRIES).replace(']', ",");
        assert!(serde_json::from_str::<BoundedList<usize>>(&cut).is_err());
        let cut = table(2 * MAX_ENTRIES).replace('}', ",");
        assert!(serde_json::from_str::<BoundedMap<u8>>(&cut).is_err());
    }

    #[test]
    fn other_json_types_are_errors() {
        for text in ["null", "7", r#""x""#, "{}"] {
            assert!(serde_json::from_str::<BoundedList<u8>>(text).is_err(), "{text}");
        }
        for text in ["null", "7", r#""x""#, "[]"] {
            assert!(serde_json::from_str::<BoundedMap<u8>>(text).is_err(), "{text}");
        }
    }
}
