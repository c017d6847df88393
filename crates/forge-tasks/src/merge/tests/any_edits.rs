//! The merge of any two edits of a task.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::document;
use crate::TaskStatus;
use crate::document::{
    BodyEdit, BodySection, FrontEdit, FrontKey, FrontMatter, FrontValue, Task, TaskDocument,
};
use crate::merge::merge_task;

/// A change as people and agents make it.
#[derive(Debug, Clone)]
enum SampleEdit {
    Status(TaskStatus),
    Claim(u8),
    Text(FrontKey, &'static str),
    Add(FrontKey, &'static str),
    Remove(FrontKey, &'static str),
    Body(BodyEdit),
    /// Checks a criterion with this text, or unchecks it.
    Check(&'static str, bool),
    /// Removes a criterion with this text.
    Drop(&'static str),
}

const BASES: [&str; 3] = [
    "---\nid: TASK-1\ntitle: T\nstatus: To Do\nlabels: [a, b]\ndependencies: []\n\
     x-tool: {a: 1}  # keep\nupdatedAt: \"2026-11-15T00:00:00Z\"\n---\n\n## Description\n\nd\n\n\
     ## Links\n\n* l\n\n## Acceptance Criteria\n\n<!-- AC:BEGIN -->\n- [ ] #1 one\n- [x] #2 two\n\
     - [ ] #3 three\n<!-- AC:END -->\n",
    "---\n# keep\nx-tool: {a: 1}  # keep\nid: TASK-1\ntitle: 'T'\nstatus: in-progress\n\
     leaseUntil: \"2026-11-15T01:00:00Z\"\nlabels:\n  - a\n---\n# T\n\n## Links\n\n* l\n\n\
     ## Implementation Notes\n\nn\n",
    "---\r\ntitle: T\r\nid: TASK-1\r\nx-tool: {a: 1}  # keep\r\n---\r\n* l\r\n",
];

fn sample_edit(side: &'static str) -> impl Strategy<Value = SampleEdit> {
    let text = move |number: u8| format!("{side}{number}");
    let texts: [&'static str; 2] = if side == "ours" { ["p", "q"] } else { ["p", "r"] };
    let section = select(vec![BodySection::Plan, BodySection::Notes]);
    let criterion = || select(vec!["one", "two", "three"]);
    let list = || select(vec![FrontKey::Labels, FrontKey::Dependencies]);
    let single = vec![FrontKey::Title, FrontKey::Assignee, FrontKey::Parent, FrontKey::DueDate];
    prop_oneof![
        select(TaskStatus::WRITTEN.to_vec()).prop_map(SampleEdit::Status),
        (2_u8..9).prop_map(SampleEdit::Claim),
        (select(single), select(texts.to_vec()))
            .prop_map(|(key, text)| SampleEdit::Text(key, text)),
        (list(), select(vec!["a", "b", "c", "d"]))
            .prop_map(|(key, item)| SampleEdit::Add(key, item)),
        (list(), select(vec!["a", "b", "c"])).prop_map(|(key, item)| SampleEdit::Remove(key, item)),
        (section, 0_u8..9)
            .prop_map(move |(section, n)| SampleEdit::Body(BodyEdit::Append(section, text(n)))),
        select(texts.to_vec()).prop_map(|text| {
            SampleEdit::Body(BodyEdit::Set(BodySection::Description, text.to_owned()))
        }),
        (0_u8..9).prop_map(move |n| SampleEdit::Body(BodyEdit::AddCriterion(text(n)))),
        (criterion(), any::<bool>()).prop_map(|(text, check)| SampleEdit::Check(text, check)),
        criterion().prop_map(SampleEdit::Drop),
    ]
}

fn front_edits(front: &FrontMatter, edit: &SampleEdit) -> Vec<FrontEdit> {
    let set = |key, value: &str| FrontEdit { key, value: Some(FrontValue::Text(value.to_owned())) };
    let list = |key, items| FrontEdit { key, value: Some(FrontValue::List(items)) };
    let items = |key: FrontKey| match key {
        FrontKey::Labels => front.labels.clone(),
        _ => front.dependencies.clone(),
    };
    match edit {
        SampleEdit::Status(status) => vec![
            set(FrontKey::Status, status.name()),
            FrontEdit { key: FrontKey::LeaseUntil, value: None },
        ],
        SampleEdit::Claim(hour) => vec![
            set(FrontKey::Status, TaskStatus::InProgress.name()),
            set(FrontKey::LeaseUntil, &format!("2026-11-15T0{hour}:00:00Z")),
        ],
        SampleEdit::Text(key, text) => vec![set(*key, text)],
        SampleEdit::Add(key, item) => {
            let mut items = items(*key);
            if !items.iter().any(|other| other == item) {
                items.push((*item).to_owned());
            }
            vec![list(*key, items)]
        }
        SampleEdit::Remove(key, item) => {
            vec![list(*key, items(*key).into_iter().filter(|other| other != item).collect())]
        }
        SampleEdit::Body(_) | SampleEdit::Check(..) | SampleEdit::Drop(_) => Vec::new(),
    }
}

/// Applies edits. One of a criterion that is gone does nothing.
fn edited(task: &TaskDocument, edits: &[SampleEdit]) -> TaskDocument {
    edits.iter().fold(task.clone(), |task, edit| {
        let Task { front, body, .. } = Task::read(&task).expect("it is a task");
        let number = |text: &str| {
            body.criteria.iter().find(|criterion| criterion.text == text).map(|it| it.index)
        };
        let body = match edit {
            SampleEdit::Body(edit) => Some(edit.clone()),
            SampleEdit::Check(text, check) => number(text).map(|it| BodyEdit::Check(it, *check)),
            SampleEdit::Drop(text) => number(text).map(BodyEdit::RemoveCriterion),
            _ => None,
        };
        let body: Vec<BodyEdit> = body.into_iter().collect();
        task.edited(&front_edits(&front, edit), &body).expect("these edits are possible")
    })
}

/// The fields of a task, as sets of what is in them.
fn fields(task: &TaskDocument) -> BTreeMap<&'static str, BTreeSet<String>> {
    let Task { front, body, .. } = Task::read(task).expect("it is a task");
    let one = |text: Option<String>| text.into_iter().collect::<BTreeSet<String>>();
    let lease = front.lease.and_then(|lease| lease.until).map(|until| until.to_string());
    BTreeMap::from([
        ("title", one(Some(front.title))),
        ("status", one(Some(front.status.to_string()))),
        ("dueDate", one(front.due_date)),
        ("assignee", one(front.assignee)),
        ("parent", one(front.parent)),
        ("labels", front.labels.into_iter().collect()),
        ("dependencies", front.dependencies.into_iter().collect()),
        ("leaseUntil", one(lease)),
        ("description", one(body.description)),
        ("implementation plan", one(body.plan)),
        ("implementation notes", one(body.notes)),
        (
            "criteria",
            body.criteria.iter().map(|it| format!("{} {}", it.checked, it.text)).collect(),
        ),
    ])
}

/// Whether the merge of a field is what one of the orders gives. Each item of a set may follow
/// another order.
fn is_explained(name: &str, merged: &BTreeSet<String>, orders: &[&BTreeSet<String>; 2]) -> bool {
    if !["labels", "dependencies", "criteria"].contains(&name) {
        return orders.contains(&merged);
    }
    let all = merged.iter().chain(orders[0]).chain(orders[1]);
    all.into_iter().all(|item| {
        let is_in = merged.contains(item);
        orders.iter().any(|order| order.contains(item) == is_in)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_merge_is_one_order_of_the_edits_or_a_conflict_in_what_both_changed(
        base in select(BASES.to_vec()),
        our_edits in vec(sample_edit("ours"), 0..6),
        their_edits in vec(sample_edit("theirs"), 0..6),
    ) {
        let base = document(base);
        let (ours, theirs) = (edited(&base, &our_edits), edited(&base, &their_edits));
        let merged = merge_task(Some(&base), &ours, &theirs).expect("these files can be merged");
        let text = merged.document.text().to_owned();
        prop_assert_eq!(&document(&text), &merged.document);
        for kept in ["x-tool: {a: 1}  # keep", "* l"] {
            prop_assert!(text.contains(kept), "{}", text);
        }
        let breaks = (text.matches('\n').count(), text.matches("\r\n").count());
        let is_crlf = base.text().contains('\r');
        prop_assert_eq!(breaks.1, if is_crlf { breaks.0 } else { 0 });
        if their_edits.is_empty() {
            prop_assert_eq!(&text, ours.text());
        }
        let orders = [edited(&ours, &their_edits), edited(&theirs, &our_edits)].map(|it| fields(&it));
        let [before, ours, theirs] = [&base, &ours, &theirs].map(fields);
        for (name, value) in fields(&merged.document) {
            let changed = ours[name] != before[name] && theirs[name] != before[name];
            if merged.conflicts.iter().any(|conflict| conflict == name) {
                prop_assert!(changed, "{} {}", name, text);
            } else if !(ours[name] == theirs[name] && value == ours[name]) {
                let orders = orders.each_ref().map(|order| &order[name]);
                prop_assert!(is_explained(name, &value, &orders), "{} {} {:?}", name, text, orders);
            }
        }
    }
}
