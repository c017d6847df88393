//! Where a new key goes.

use super::entry::Entries;
use super::lines;
use super::splice::Splices;
use crate::document::Newline;
use crate::document::front::render::push_entry;
use crate::document::front::{Key, Value};

/// Inserts a key that is not there.
pub(super) fn insert(entries: &Entries<'_>, key: Key, value: &Value, newline: Newline) -> Splices {
    let mut line = entries.indent().to_owned();
    push_entry(&mut line, key, value);
    let at = place(entries, key);
    let mut splices = Splices::default();
    splices.insert(at, lines::new(entries.yaml, at, &line, newline));
    splices
}

/// Behind the nearest key that comes before it in new files, else before the nearest that comes
/// after it, else at the end.
fn place(entries: &Entries<'_>, key: Key) -> usize {
    let known = || {
        let names = entries.mapping.entries.iter().enumerate();
        names.filter_map(|(at, (name, _))| Some((Key::named(name.text()?)?.0, at)))
    };
    if let Some((_, at)) = known().filter(|(other, _)| *other < key).max() {
        return entries.end(at);
    }
    match known().filter(|(other, _)| *other > key).min() {
        Some((_, at)) => above(entries, at),
        None => entries.yaml.len(),
    }
}

/// Before an entry and the comment that stands directly above it.
fn above(entries: &Entries<'_>, at: usize) -> usize {
    let yaml = entries.yaml;
    let limit = if at == 0 { 0 } else { entries.end(at - 1) };
    let mut start = lines::start(yaml, entries.mapping.entries[at].0.range.start);
    while start > limit {
        let line = lines::start(yaml, start - 1);
        if !yaml[line..start].trim_start().starts_with('#') {
            break;
        }
        start = line;
    }
    start
}
