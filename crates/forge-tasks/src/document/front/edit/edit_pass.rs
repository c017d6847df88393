//! One pass over front matter that changes all keys at once.

use super::splices::Splices;
use crate::document::Newline;
use crate::document::front::edit::front_entry::{FrontEntries, insert, replace};
use crate::document::front::file_parts::is_fence;
use crate::document::front::front_mapping::{self, FrontMapping};
use crate::document::front::front_value::RawValue;
use crate::document::front::yaml_node::YamlNode;
use crate::document::front::{FrontEdit, FrontEditError, FrontKey, FrontValue, front_matter};

/// Changes front matter. Every byte that does not belong to a changed value stays. Of several edits
/// of a key the last one counts. The stamp is an edit that is made only if another one changes
/// something.
pub fn edit(
    yaml: &str,
    newline: Newline,
    edits: &[FrontEdit],
    stamp: Option<&FrontEdit>,
) -> Result<String, FrontEditError> {
    let last = edits.iter().enumerate().filter(|(at, edit)| {
        let mut later = edits[at + 1..].iter();
        !later.any(|other| other.key == edit.key)
    });
    let mut edits: Vec<&FrontEdit> = last.map(|(_, edit)| edit).collect();
    let Some(first) = edits.iter().map(|edit| edit.key).min() else { return Ok(yaml.to_owned()) };
    let mapping = front_mapping::mapping(yaml).map_err(|_| FrontEditError { key: first })?;
    // Lines that are inserted in the same place get their order from this: the last items of a
    // list, and then new keys.
    edits.sort_by_key(|edit| (mapping.find(edit.key).is_none(), edit.key));
    let mut pass = EditPass {
        yaml,
        newline,
        mapping: &mapping,
        splices: Splices::default(),
        expected: Vec::new(),
        touched: Vec::new(),
    };
    for edit in &edits {
        pass.plan(edit).ok_or(FrontEditError { key: edit.key })?;
    }
    if pass.expected.is_empty() {
        return Ok(yaml.to_owned());
    }
    if let Some(stamp) = stamp {
        pass.plan(stamp).ok_or(FrontEditError { key: stamp.key })?;
    }
    pass.finish().ok_or_else(|| {
        // The result is checked as a whole. The key is to blame that cannot be changed alone.
        let is_refused = |change: &&&FrontEdit| {
            edits.len() > 1 && edit(yaml, newline, std::slice::from_ref(**change), None).is_err()
        };
        let key = edits.iter().find(is_refused).map_or(pass.expected[0].0, |change| change.key);
        FrontEditError { key }
    })
}

/// All changes of front matter that was parsed once.
struct EditPass<'a> {
    yaml: &'a str,
    newline: Newline,
    mapping: &'a FrontMapping<'a>,
    splices: Splices,
    /// The changed keys and their expected values.
    expected: Vec<(FrontKey, RawValue<'a>)>,
    /// The names of the entries that change.
    touched: Vec<&'a str>,
}

impl<'a> EditPass<'a> {
    /// Adds an edit; `None` if it is impossible.
    fn plan(&mut self, edit: &'a FrontEdit) -> Option<()> {
        match &edit.value {
            Some(value) => self.set(edit.key, value),
            None => self.remove(edit.key),
        }
    }

    fn set(&mut self, key: FrontKey, value: &'a FrontValue) -> Option<()> {
        let wanted = key.reads(RawValue::of(value));
        if is_same(key, &key.reads(self.mapping.raw_value(key)), &wanted) {
            return Some(());
        }
        let entries = FrontEntries::of(self.yaml, self.mapping)?;
        let found = self.mapping.find(key);
        match found {
            Some(at) => replace(&entries, at, key, value, self.newline, &mut self.splices)?,
            None => insert(&entries, key, value, self.newline, &mut self.splices),
        }
        let name = found.and_then(|at| self.mapping.entries[at].0.text());
        self.touched.push(name.unwrap_or(key.name()));
        self.expected.push((key, wanted));
        Some(())
    }

    fn remove(&mut self, key: FrontKey) -> Option<()> {
        let is_key = |name: &&str| FrontKey::named(name).is_some_and(|(named, _)| named == key);
        let named = |node: &'a YamlNode<'a>| node.text().filter(is_key);
        let entries = self.mapping.entries.iter().enumerate();
        let found: Vec<(usize, &str)> =
            entries.filter_map(|(at, (name, _))| Some((at, named(name)?))).collect();
        for (at, name) in &found {
            let value = self.mapping.entries[*at].1.raw_value();
            // An empty key is as good as none, and may have a comment.
            if value == RawValue::Nothing {
                continue;
            }
            // A value of another shape is not deleted silently.
            if key.reads(value) == RawValue::Odd {
                return None;
            }
            let entries = FrontEntries::of(self.yaml, self.mapping)?;
            self.splices.delete(entries.get(*at)?.lines());
            self.touched.push(name);
            if self.expected.last().is_none_or(|(last, _)| *last != key) {
                self.expected.push((key, key.reads(RawValue::Nothing)));
            }
        }
        Some(())
    }

    /// The changed text; `None` if a key does not read as wanted, or anything else reads
    /// differently.
    fn finish(&self) -> Option<String> {
        let changed = self.splices.apply(self.yaml)?;
        is_right(self.mapping, &changed, &self.expected, &self.touched).then_some(changed)
    }
}

/// Whether the changed keys read as expected, and all entries that were not touched as before.
fn is_right(
    before: &FrontMapping<'_>,
    after: &str,
    expected: &[(FrontKey, RawValue<'_>)],
    touched: &[&str],
) -> bool {
    if after.lines().any(|line| is_fence(line.as_bytes())) {
        return false;
    }
    let Ok(after) = front_mapping::mapping(after) else { return false };
    let is_other = |entry: &&(YamlNode<'_>, YamlNode<'_>)| {
        entry.0.text().is_none_or(|name| !touched.contains(&name))
    };
    let others_before = before.entries.iter().filter(is_other);
    let others_after = after.entries.iter().filter(is_other);
    expected.iter().all(|(key, wanted)| key.reads(after.raw_value(*key)) == *wanted)
        && others_before.eq(others_after)
}

/// Whether a value already equals the wanted one. `done` equals Done.
pub(crate) fn is_same(key: FrontKey, now: &RawValue<'_>, wanted: &RawValue<'_>) -> bool {
    let (RawValue::Text(now), RawValue::Text(wanted)) = (now, wanted) else {
        return now == wanted && *now != RawValue::Odd;
    };
    fn same<T: PartialEq + Copy>(one: Option<T>, other: Option<T>) -> bool {
        one.is_some() && one == other
    }
    now == wanted
        || (key == FrontKey::Status
            && same(front_matter::status(now), front_matter::status(wanted)))
        || (key == FrontKey::Priority
            && same(front_matter::priority(now), front_matter::priority(wanted)))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    #[test]
    fn a_result_with_any_other_difference_is_rejected() {
        let before = front_mapping::mapping("status: To Do\nx: [a, no]\n").expect("it is YAML");
        let expected = [(FrontKey::Status, RawValue::Text(Cow::Borrowed("Done")))];
        let is_right = |after: &str| is_right(&before, after, &expected, &["status"]);
        assert!(is_right("status: Done\nx: [a, no]\n"));
        for after in [
            "status: Blocked\nx: [a, no]\n",
            "x: [a, no]\n",
            "status: Done\n",
            "status: Done\nx: [a]\n",
            "status: Done\nx: [a, 'no']\n",
            "status: Done\nx: [a, no]\ny:\n",
            "---\nstatus: Done\nx: [a, no]\n",
            "status: Done\nx: [a, no\n",
        ] {
            assert!(!is_right(after), "{after:?}");
        }
    }
}
