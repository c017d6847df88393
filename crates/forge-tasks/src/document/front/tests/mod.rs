//! What must hold of any front matter.

mod any_edit;
mod any_text;
mod edits;
mod readers;
mod readings;
mod samples;
mod written;

use super::{Front, FrontEdit, Key, Value};

fn set(key: Key, text: &str) -> FrontEdit {
    FrontEdit { key, value: Some(Value::Text(text.to_owned())) }
}

fn set_list(key: Key, items: &[&str]) -> FrontEdit {
    let items = items.iter().map(ToString::to_string).collect();
    FrontEdit { key, value: Some(Value::List(items)) }
}

fn remove(key: Key) -> FrontEdit {
    FrontEdit { key, value: None }
}

fn front(yaml: &str) -> Front {
    Front::read(yaml).expect("it is front matter")
}
