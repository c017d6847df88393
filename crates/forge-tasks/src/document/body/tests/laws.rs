//! Whatever is written is read back, and nothing else changes.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::Criterion;
use super::hostile::{body, normal, normal_criterion, section, text, with_criteria};
use super::*;

fn field(body: &mut TaskBody, section: BodySection) -> &mut Option<String> {
    match section {
        BodySection::Description => &mut body.description,
        BodySection::Plan => &mut body.plan,
        BodySection::Notes | BodySection::Criteria => &mut body.notes,
    }
}

proptest! {
    #[test]
    fn every_text_that_is_set_is_read_back(
        before in body(),
        texts in [text(), text(), text()],
        added in vec(text(), 0..3),
    ) {
        let [description, plan, notes] = &texts;
        let mut edits = vec![
            set(BodySection::Description, description),
            set(BodySection::Plan, plan),
            set(BodySection::Notes, notes),
        ];
        edits.extend(added.iter().map(|text| add(text)));
        let after = TaskBody::read(&edited(&before, &edits));
        prop_assert_eq!(after.description, normal(description));
        prop_assert_eq!(after.plan, normal(plan));
        prop_assert_eq!(after.notes, normal(notes));
        let old = TaskBody::read(&before).criteria;
        let texts = old.iter().map(|it| it.text.clone());
        let texts: Vec<_> = texts.chain(added.iter().map(|it| normal_criterion(it))).collect();
        prop_assert_eq!(after.criteria.into_iter().map(|it| it.text).collect::<Vec<_>>(), texts);
    }

    #[test]
    fn setting_one_text_changes_no_other(before in body(), section in section(), text in text()) {
        let mut wanted = TaskBody::read(&before);
        *field(&mut wanted, section) = normal(&text);
        let after = edited(&before, &[set(section, &text)]);
        prop_assert_eq!(TaskBody::read(&after), wanted);
        prop_assert_eq!(edited(&after, &[set(section, &text)]), after);
    }

    #[test]
    fn appending_adds_a_paragraph(before in body(), section in section(), text in text()) {
        let mut wanted = TaskBody::read(&before);
        let said = field(&mut wanted, section);
        *said = match (said.take(), normal(&text)) {
            (Some(said), Some(text)) => Some(format!("{said}\n\n{text}")),
            (said, text) => said.or(text),
        };
        prop_assert_eq!(TaskBody::read(&edited(&before, &[append(section, &text)])), wanted);
    }

    #[test]
    fn criteria_change_as_asked_and_nothing_else_does(
        before in with_criteria(),
        fates in vec(0_u8..4, 30),
        added in vec(text(), 0..3),
    ) {
        let mut wanted = TaskBody::read(&before);
        let mut edits: Vec<_> = added.iter().map(|text| add(text)).collect();
        for (criterion, fate) in wanted.criteria.iter_mut().zip(&fates) {
            match fate {
                0 => edits.push(BodyEdit::RemoveCriterion(criterion.index)),
                1 | 2 => {
                    criterion.checked = *fate == 1;
                    edits.push(BodyEdit::Check(criterion.index, criterion.checked));
                }
                _ => {}
            }
        }
        let old = wanted.criteria.clone();
        let highest = old.iter().map(|it| it.index).max().unwrap_or_default();
        let mut fates = fates.iter();
        wanted.criteria.retain(|_| fates.next() != Some(&0));
        wanted.criteria.extend(added.iter().zip(highest + 1..).map(|(text, index)| {
            Criterion { index, text: normal_criterion(text), checked: false }
        }));
        prop_assert_eq!(TaskBody::read(&edited(&before, &edits)), wanted);
    }

    #[test]
    fn any_text_in_any_body_reads_back(before in any::<String>(), text in any::<String>()) {
        let after = edited(&before, &[set(BodySection::Notes, &text), add(&text)]);
        prop_assert_eq!(TaskBody::read(&after).notes, normal(&text));
    }
}
