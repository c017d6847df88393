//! Changing front matter without touching anything else in it.
//!
//! One key after the other is changed in the text, by replacing the bytes that its value is written
//! with. Where these are, the parser tells. Comments, blank lines and the way a value is written
//! are nothing that it tells, so the result is read again: unless the key now says what was wanted
//! and everything else says what it said before, the edit is refused.

mod block_list;
mod change;
mod check;
mod entry;
mod flow_list;
mod items;
mod lines;
mod place;
mod splice;

use std::borrow::Cow;

use self::check::Expected;
use self::entry::Entries;
use self::splice::Splices;
use super::given::Given;
use super::reading::Reading;
use super::yaml::{self, Mapping};
use super::{CannotEdit, FrontEdit, Key, Value, meaning};
use crate::document::Newline;

/// Changes front matter. Whatever is not named stays, byte for byte.
pub fn edit(yaml: &str, newline: Newline, edits: &[FrontEdit]) -> Result<String, CannotEdit> {
    let mut text = Cow::Borrowed(yaml);
    for FrontEdit { key, value } in edits {
        let step = Step { yaml: &text, newline, key: *key };
        let outcome = match value {
            Some(value) => step.set(value),
            None => step.remove(),
        };
        match outcome.ok_or(CannotEdit { key: *key })? {
            Outcome::Same => {}
            Outcome::Changed(changed) => text = Cow::Owned(changed),
        }
    }
    Ok(text.into_owned())
}

enum Outcome {
    Same,
    Changed(String),
}

/// The change of one key. None is a refusal.
struct Step<'a> {
    yaml: &'a str,
    newline: Newline,
    key: Key,
}

impl Step<'_> {
    fn set(&self, value: &Value) -> Option<Outcome> {
        let mapping = yaml::mapping(self.yaml).ok()?;
        let wanted = self.key.reads(Given::of(value));
        let found = mapping.find(self.key);
        if is_same(self.key, &self.key.reads(mapping.given(self.key)), &wanted) {
            return Some(Outcome::Same);
        }
        let entries = Entries::of(self.yaml, &mapping)?;
        let splices = match found {
            Some(at) => change::change(&entries, at, self.key, value, self.newline)?,
            None => place::insert(&entries, self.key, value, self.newline),
        };
        let name = found.and_then(|at| mapping.entries[at].0.text()).unwrap_or(self.key.name());
        self.checked(&mapping, &splices, &Expected { wanted, touched: &[name] })
    }

    fn remove(&self) -> Option<Outcome> {
        let mapping = yaml::mapping(self.yaml).ok()?;
        let is_name = |name: &&str| Key::named(name).is_some_and(|(key, _)| key == self.key);
        let names: Vec<&str> =
            mapping.entries.iter().filter_map(|(key, _)| key.text()).filter(is_name).collect();
        if names.is_empty() {
            return Some(Outcome::Same);
        }
        let entries = Entries::of(self.yaml, &mapping)?;
        let mut splices = Splices::default();
        for (at, (key, value)) in mapping.entries.iter().enumerate() {
            if key.text().is_some_and(|name| names.contains(&name)) {
                // Whoever wrote something else there should say what becomes of it.
                if self.key.reads(value.given()) == Reading::Odd {
                    return None;
                }
                splices.delete(entries.get(at)?.lines());
            }
        }
        let wanted = self.key.reads(Given::Nothing);
        self.checked(&mapping, &splices, &Expected { wanted, touched: &names })
    }

    fn checked(
        &self,
        before: &Mapping<'_>,
        splices: &Splices,
        expected: &Expected<'_>,
    ) -> Option<Outcome> {
        let changed = splices.apply(self.yaml)?;
        let is_right = check::is_right(before, &changed, self.key, expected);
        is_right.then_some(Outcome::Changed(changed))
    }
}

/// Whether a value already is what is wanted. `done` is Done.
fn is_same(key: Key, now: &Reading<'_>, wanted: &Reading<'_>) -> bool {
    if let (Reading::Text(now), Reading::Text(wanted)) = (now, wanted) {
        let (now, wanted) = (now.as_ref(), wanted.as_ref());
        let same_status = || {
            let status = meaning::status(now);
            status.is_some() && status == meaning::status(wanted)
        };
        let same_priority = || {
            let priority = meaning::priority(now);
            priority.is_some() && priority == meaning::priority(wanted)
        };
        return now == wanted
            || (key == Key::Status && same_status())
            || (key == Key::Priority && same_priority());
    }
    now == wanted && *now != Reading::Odd
}
