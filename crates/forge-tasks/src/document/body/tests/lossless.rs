//! An edit leaves every byte that it does not name.

use std::ops::Range;

use proptest::prelude::*;
use proptest::sample::Index;

use super::hostile::{body, section, text, with_criteria};
use super::*;
use crate::document::body::body_layout::BodyLayout;
use crate::document::body::criterion_list::CriterionList;

/// The range of the old text that was changed: between the longest common prefix and the longest
/// common suffix.
fn changed(before: &str, after: &str) -> Range<usize> {
    let start = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let rest = (before.len() - start).min(after.len() - start);
    let end = before.bytes().rev().zip(after.bytes().rev()).take_while(|(a, b)| a == b).count();
    start..before.len() - end.min(rest)
}

/// The bytes of a section that belong to its text, or to all of it with the blank lines before.
fn bytes_of(text: &str, section: BodySection, is_removed: bool) -> Option<Range<usize>> {
    let layout = BodyLayout::of(text);
    let place = layout.section(section)?;
    let end = layout.lines.start(place.text.end);
    if !is_removed {
        return Some(layout.lines.line(place.heading).end..end);
    }
    let start = layout.lines.start(place.heading);
    let blank = (0..place.heading).rev().take_while(|at| layout.lines.is_blank(*at)).last();
    Some(blank.map_or(start, |at| layout.lines.start(at))..end)
}

/// Whether everything before and after some bytes is unchanged.
fn keeps_all_but(gone: &Range<usize>, before: &str, after: &str) -> bool {
    let (start, end) = (&before[..gone.start], &before[gone.end..]);
    after.len() >= start.len() + end.len() && after.starts_with(start) && after.ends_with(end)
}

proptest! {
    #[test]
    fn setting_a_text_replaces_bytes_of_its_section_only(
        before in body(),
        section in section(),
        text in text(),
    ) {
        let after = edited(&before, &[set(section, &text)]);
        let is_removed = TaskBody::read(&edited("", &[set(section, &text)])) == TaskBody::default();
        match bytes_of(&before, section, is_removed) {
            Some(gone) => prop_assert!(keeps_all_but(&gone, &before, &after), "{after:?}"),
            None => prop_assert!(changed(&before, &after).is_empty(), "{after:?}"),
        }
    }

    #[test]
    fn appending_only_adds(before in body(), section in section(), text in text()) {
        let after = edited(&before, &[append(section, &text)]);
        let changed = changed(&before, &after);
        // A section that has no text may lose the blank lines that it has.
        let blank = before[changed.clone()].trim().is_empty();
        prop_assert!(changed.is_empty() || blank, "{changed:?}");
    }

    #[test]
    fn checking_changes_one_byte_and_back_again(
        before in with_criteria(),
        which in any::<Index>(),
    ) {
        let before = numbered(&before);
        let criteria = TaskBody::read(&before).criteria;
        if criteria.is_empty() {
            return Ok(());
        }
        let criterion = &criteria[which.index(criteria.len())];
        let index = criterion.index;
        let check = |text: &str, checked| edited(text, &[BodyEdit::Check(index, checked)]);
        prop_assert_eq!(&check(&before, criterion.checked), &before);
        let after = check(&before, !criterion.checked);
        prop_assert_eq!(changed(&before, &after).len(), 1);
        prop_assert_eq!(after.len(), before.len());
        let again = check(&after, criterion.checked);
        prop_assert_eq!(again.replace("[X]", "[x]"), before.replace("[X]", "[x]"));
    }

    #[test]
    fn removing_a_criterion_removes_its_lines(
        before in with_criteria(),
        which in any::<Index>(),
    ) {
        let before = numbered(&before);
        let layout = BodyLayout::of(&before);
        let list = CriterionList::of(&layout);
        if list.items.is_empty() {
            return Ok(());
        }
        let at = which.index(list.items.len());
        let lines = &list.items[at].lines;
        let range = layout.lines.start(lines.start)..layout.lines.start(lines.end);
        let after = edited(&before, &[BodyEdit::RemoveCriterion(list.numbers[at])]);
        prop_assert_eq!(after, format!("{}{}", &before[..range.start], &before[range.end..]));
    }

    #[test]
    fn adding_a_criterion_only_adds(before in with_criteria(), text in text()) {
        let before = numbered(&before);
        let changed = changed(&before, &edited(&before, &[add(&text)]));
        prop_assert!(before[changed.clone()].trim().is_empty(), "{changed:?}");
    }

    #[test]
    fn numbering_changes_the_beginnings_of_items_only(before in with_criteria()) {
        let after = numbered(&before);
        let is_marker =
            |line: &&str| ["<!-- AC:BEGIN -->", "<!-- AC:END -->"].contains(&line.trim());
        let content = |line: &str| line.trim_end_matches(['\r', '\n']).to_owned();
        let layout = BodyLayout::of(&before);
        let heads: Vec<usize> = CriterionList::of(&layout).items.iter().map(|it| it.lines.start).collect();
        let mut rest = after.split_inclusive('\n').filter(|line| !is_marker(line));
        for at in 0..layout.lines.len() {
            let line = layout.lines.line(at);
            let old = &before[line.start..line.next];
            if is_marker(&old) {
                continue;
            }
            let new = rest.next().expect("every line is still there");
            if heads.contains(&at) {
                let word = old.trim_end().rsplit(' ').next().expect("there is always one");
                let has_text = !word.ends_with(']') && !word.starts_with('#');
                prop_assert!(!has_text || new.trim_end().ends_with(word), "{new:?}");
            } else {
                prop_assert_eq!(content(new), content(old));
            }
        }
        prop_assert!(rest.next().is_none());
    }
}

/// A body whose criteria are between markers and have their numbers.
fn numbered(text: &str) -> String {
    match TaskBody::read(text).criteria.first() {
        Some(first) => edited(text, &[BodyEdit::Check(first.index, first.checked)]),
        None => text.to_owned(),
    }
}
