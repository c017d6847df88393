//! Properties of any front matter.

mod any_edit;
mod any_text;
mod edits;
mod readers;
mod readings;
mod samples;
mod written;

use super::{FrontEdit, FrontKey, FrontMatter, FrontValue};

fn set(key: FrontKey, text: &str) -> FrontEdit {
    FrontEdit { key, value: Some(FrontValue::Text(text.to_owned())) }
}

fn set_list(key: FrontKey, items: &[&str]) -> FrontEdit {
    let items = items.iter().map(ToString::to_string).collect();
    FrontEdit { key, value: Some(FrontValue::List(items)) }
}

fn remove(key: FrontKey) -> FrontEdit {
    FrontEdit { key, value: None }
}

fn front(yaml: &str) -> FrontMatter {
    FrontMatter::read(yaml).expect("it is front matter")
}
