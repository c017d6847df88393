//! Checks the views of a complete run in the work tree.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Lists views that do not show the run as complete, and unexpected files.
pub(super) fn complaints(project: &Path, run: &str) -> Vec<String> {
    let entries = fs::read_dir(project.join(".agent-state")).into_iter().flatten().flatten();
    let names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    if !names.contains(&format!("chain-{run}.json")) {
        return vec!["the run has no view".to_owned()];
    }
    names.iter().filter_map(|name| complaint(project, run, name)).collect()
}

fn complaint(project: &Path, run: &str, name: &str) -> Option<String> {
    let has_status =
        name == format!("chain-{run}.json") || name.starts_with(&format!("run-{run}-"));
    let others = [format!("summary-{run}.md"), "iterations.jsonl".into(), ".gitignore".into()];
    if !has_status {
        return (!others.iter().any(|known| known == name))
            .then(|| format!("left in the view: {name}"));
    }
    let text = fs::read(project.join(".agent-state").join(name)).unwrap_or_default();
    let view: Value = serde_json::from_slice(&text).unwrap_or_default();
    (view["status"] != "complete").then(|| format!("{name} says {}", view["status"]))
}
