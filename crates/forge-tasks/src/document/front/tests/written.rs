//! Any text survives being written and read.

use proptest::collection::vec;
use proptest::prelude::*;

use super::samples::nasty_text;
use crate::document::front::{
    FrontKey, FrontMatter, FrontValue, fast_front_reader, front_mapping, front_matter, render,
};

fn there(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_text_survives_being_written_and_read(
        title in nasty_text().prop_filter("a title is there", |title| !title.is_empty()),
        names in [nasty_text(), nasty_text(), nasty_text()],
        labels in vec(nasty_text(), 0..4),
        dependencies in vec(nasty_text(), 0..4),
    ) {
        let [assignee, parent, run] = &names;
        let text = render(&[
            (FrontKey::Id, FrontValue::Text("TASK-001".to_owned())),
            (FrontKey::Title, FrontValue::Text(title.clone())),
            (FrontKey::Assignee, FrontValue::Quoted(assignee.clone())),
            (FrontKey::Labels, FrontValue::List(labels.clone())),
            (FrontKey::Dependencies, FrontValue::List(dependencies.clone())),
            (FrontKey::Parent, FrontValue::Text(parent.clone())),
            (FrontKey::LeaseRun, FrontValue::Text(run.clone())),
        ]);
        let general = front_mapping::read(&text).and_then(front_matter::interpret).expect("it is front matter");
        prop_assert_eq!(&general.title, &title);
        prop_assert_eq!(&general.assignee, &there(assignee));
        prop_assert_eq!(&general.parent, &there(parent));
        prop_assert_eq!(general.lease.clone().and_then(|lease| lease.run), there(run));
        let filled = |items: &[String]| -> Vec<String> {
            items.iter().filter_map(|item| there(item)).collect()
        };
        prop_assert_eq!(&general.labels, &filled(&labels));
        prop_assert_eq!(&general.dependencies, &filled(&dependencies));
        if let Some(draft) = fast_front_reader::read(&text) {
            prop_assert_eq!(front_matter::interpret(draft), Ok(general.clone()));
        }
        prop_assert_eq!(FrontMatter::read(&text), Ok(general));
        prop_assert_eq!(text.lines().count(), 7);
    }
}
