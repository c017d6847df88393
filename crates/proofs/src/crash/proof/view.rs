//! Checks the views of a complete run in the work tree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

/// The files of a view, without the id of their run, each with the status that it shows; no status
/// for files that show none.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct ViewStatuses(BTreeMap<String, Option<String>>);

impl ViewStatuses {
    /// The view of a run, and everything else in its directory.
    pub(super) fn of(project: &Path, run: &str) -> Self {
        let directory = project.join(".agent-state");
        let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let shown = |name: String| {
            let is_json = name.ends_with(".json");
            let text = fs::read(directory.join(&name)).unwrap_or_default();
            let view: Value = serde_json::from_slice(&text).unwrap_or_default();
            (name.replace(run, "RUN"), is_json.then(|| view["status"].to_string()))
        };
        Self(names.map(shown).collect())
    }

    /// The differences from the view of the undisturbed run.
    pub(super) fn differences(&self, expected: &Self) -> Vec<String> {
        let names: BTreeSet<&String> = self.0.keys().chain(expected.0.keys()).collect();
        let different = names.into_iter().filter(|name| self.0.get(*name) != expected.0.get(*name));
        let complaint = |name: &String| match (self.0.get(name), expected.0.get(name)) {
            (None, _) => format!("not in the view: {name}"),
            (Some(_), None) => format!("left in the view: {name}"),
            (Some(was), Some(should)) => {
                let word = |status: &Option<String>| status.clone().unwrap_or_default();
                format!("{name} says {} instead of {}", word(was), word(should))
            }
        };
        different.map(complaint).collect()
    }
}
