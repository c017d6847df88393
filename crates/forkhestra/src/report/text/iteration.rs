//! Text about an iteration for people. Events and JSON use other words.

use forkhestra_core::history::IterationRecord;

/// The tasks that an iteration worked on: `TASK-003 finished`.
pub(crate) fn tasks(record: &IterationRecord) -> Option<String> {
    let changes = record.tasks.as_ref()?;
    let parts: Vec<String> = changes
        .worked_on()
        .map(|id| {
            let last = changes.changes.iter().rfind(|change| change.id == id);
            format!("{id} {}", last.map_or("", |change| change.kind.label()))
        })
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
