//! A snapshot of the texts of tasks, to find tasks in which only `updatedAt` changed.

use std::collections::BTreeMap;

use crate::database::{Database, DatabaseError, StoredFile, TaskScope};
use crate::document::{FrontEdit, FrontKey, FrontValue, TaskDocument};

/// The texts of all tasks that are not archived, by their files.
#[derive(Debug, Default)]
pub struct TaskTexts(BTreeMap<String, TaskDocument>);

impl TaskTexts {
    /// Reads them. A file that cannot be read as a task is left out.
    pub fn of(database: &Database) -> Result<Self, DatabaseError> {
        let tasks = database.documents(TaskScope::Active)?.tasks.into_iter();
        Ok(Self(tasks.map(|task| (task.path(), task.content)).collect()))
    }

    /// The tasks that only differ in their time of change now, with their old texts.
    pub(super) fn touched(
        &self,
        database: &Database,
    ) -> Result<Vec<(StoredFile<TaskDocument>, &TaskDocument)>, DatabaseError> {
        if self.0.is_empty() {
            return Ok(Vec::new());
        }
        let tasks = database.documents(TaskScope::Active)?.tasks.into_iter();
        let touched = tasks.filter_map(|task| {
            let old = self.0.get(&task.path())?;
            is_touched(old, &task.content).then_some((task, old))
        });
        Ok(touched.collect())
    }
}

fn is_touched(old: &TaskDocument, new: &TaskDocument) -> bool {
    if old.text() == new.text() {
        return false;
    }
    let Ok(front) = new.front() else { return false };
    // Every change writes the time in quotes.
    let value = front.updated_at.map(FrontValue::Quoted);
    let touched = old.edited(&[FrontEdit { key: FrontKey::UpdatedAt, value }], &[]);
    touched.is_ok_and(|touched| touched.text() == new.text())
}
