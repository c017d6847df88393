//! An edit changes only what it names.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::samples::{self, SampleChunk, joined, nasty_text};
use crate::document::Newline;
use crate::document::front::front_mapping::{self, FrontMapping};
use crate::document::front::front_value::RawValue;
use crate::document::front::yaml_node::YamlNode;
use crate::document::front::{FrontEdit, FrontKey, FrontValue, edit};

fn item() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec!["a", "b", "c", "d", "b c", "new"]).prop_map(str::to_owned),
        nasty_text()
    ]
}

fn change() -> impl Strategy<Value = FrontEdit> {
    select(FrontKey::ALL.to_vec()).prop_flat_map(|key| {
        option::weighted(0.8, value(key)).prop_map(move |value| FrontEdit { key, value })
    })
}

fn value(key: FrontKey) -> BoxedStrategy<FrontValue> {
    if let FrontKey::Labels | FrontKey::Dependencies = key {
        return vec(item(), 0..5).prop_map(FrontValue::List).boxed();
    }
    prop_oneof![
        nasty_text().prop_map(FrontValue::Text),
        nasty_text().prop_map(FrontValue::Quoted),
        Just(FrontValue::Text("plain".to_owned())),
    ]
    .boxed()
}

fn others<'a>(
    mapping: &'a FrontMapping<'_>,
    key: FrontKey,
) -> Vec<&'a (YamlNode<'a>, YamlNode<'a>)> {
    let is_other = |entry: &&(YamlNode<'_>, YamlNode<'_>)| entry.0.text() != Some(key.name());
    mapping.entries.iter().filter(is_other).collect()
}

fn newline(chunks: &[SampleChunk]) -> Newline {
    if joined(chunks).contains('\r') { Newline::CrLf } else { Newline::Lf }
}

/// The only change is in the lines of the entry, or in one new line.
fn only_its_lines_change(
    chunks: &[SampleChunk],
    change: &FrontEdit,
    after: &str,
) -> Result<(), TestCaseError> {
    let before = joined(chunks);
    let name = Some(change.key.name());
    if let Some(at) = chunks.iter().position(|chunk| chunk.name == name) {
        let (above, below) = (joined(&chunks[..at]), joined(&chunks[at + 1..]));
        prop_assert!(after.len() >= above.len() + below.len(), "{:?}", after);
        prop_assert!(after.starts_with(&above), "{:?}", after);
        prop_assert!(after.ends_with(&below), "{:?}", after);
        let lines = &after[above.len()..after.len() - below.len()];
        let is_left = chunks[at].text.contains('#') && !lines.is_empty();
        let is_right = change.value.is_some() || lines.is_empty() || is_left || after == before;
        prop_assert!(is_right, "{:?}", lines);
    } else if after != before {
        let lines: Vec<&str> = after.split_inclusive('\n').collect();
        let entry = format!("{}: ", change.key.name());
        let is_rest = |at: &usize| {
            lines[*at].starts_with(&entry)
                && lines[..*at].concat() + &lines[*at + 1..].concat() == before
        };
        prop_assert!((0..lines.len()).any(|at| is_rest(&at)), "{:?}", after);
    }
    if newline(chunks) == Newline::CrLf {
        prop_assert_eq!(after.matches('\n').count(), after.matches("\r\n").count());
    }
    Ok(())
}

/// Without the entry, the lines below it would become part of a block scalar above it.
fn keeps_apart(chunks: &[SampleChunk], key: FrontKey) -> bool {
    let is_between = |around: &[SampleChunk]| {
        around[1].name == Some(key.name())
            && around[0].text.contains(['|', '>'])
            && around[2].name.is_none()
    };
    chunks.windows(3).any(is_between)
}

/// The lines but comments and blank ones. Those that were between the items of a list that becomes
/// empty may be before or behind a new key.
fn without_comments(text: &str) -> Vec<&str> {
    let is_comment = |line: &&str| line.trim().is_empty() || line.trim().starts_with('#');
    text.lines().filter(|line| !is_comment(line)).collect()
}

fn sorted_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// The last edit of each key. Keys are removed last, since others are inserted next to them.
fn in_order(edits: &[FrontEdit]) -> Vec<FrontEdit> {
    let last = edits.iter().enumerate().filter(|(at, edit)| {
        let mut later = edits[at + 1..].iter();
        !later.any(|other| other.key == edit.key)
    });
    let mut last: Vec<FrontEdit> = last.map(|(_, edit)| edit.clone()).collect();
    last.sort_by_key(|edit| (edit.value.is_none(), edit.key));
    last
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn an_edit_changes_what_it_names_and_nothing_else(
        chunks in samples::chunks(),
        change in change(),
    ) {
        let before = joined(&chunks);
        let edits = [change.clone()];
        let after = match edit(&before, newline(&chunks), &edits, None) {
            Ok(after) => after,
            Err(_) if change.value.is_none() && keeps_apart(&chunks, change.key) => return Ok(()),
            Err(error) => return Err(TestCaseError::fail(format!("{error}\n{before}"))),
        };
        let (old, new) = (front_mapping::mapping(&before), front_mapping::mapping(&after));
        let (old, new) = (old.expect("samples can be read"), new.expect("edits leave YAML"));
        for key in FrontKey::ALL.into_iter().filter(|key| *key != change.key) {
            prop_assert_eq!(old.raw_value(key), new.raw_value(key));
        }
        prop_assert_eq!(others(&old, change.key), others(&new, change.key));
        let wanted = change.value.as_ref().map(RawValue::of).unwrap_or_default();
        let now = change.key.reads(new.raw_value(change.key));
        let is_wanted = now == change.key.reads(wanted) || after == before;
        prop_assert!(is_wanted, "{:?}", after);
        only_its_lines_change(&chunks, &change, &after)?;
        prop_assert_eq!(edit(&after, newline(&chunks), &edits, None), Ok(after));
    }

    #[test]
    fn several_edits_are_equal_to_one_after_the_other(
        chunks in samples::chunks(),
        edits in vec(change(), 0..5),
    ) {
        let before = joined(&chunks);
        let at_once = edit(&before, Newline::Lf, &edits, None);
        let mut one_by_one = Ok(before);
        for change in in_order(&edits) {
            one_by_one = one_by_one.and_then(|text| edit(&text, Newline::Lf, &[change], None));
        }
        match (&at_once, &one_by_one) {
            (Ok(at_once), Ok(one_by_one)) => {
                prop_assert_eq!(without_comments(at_once), without_comments(one_by_one));
                prop_assert_eq!(sorted_lines(at_once), sorted_lines(one_by_one));
            }
            _ => prop_assert_eq!(&at_once, &one_by_one),
        }
        if let Ok(text) = at_once {
            prop_assert_eq!(edit(&text, Newline::Lf, &edits, None), Ok(text));
        }
    }
}
