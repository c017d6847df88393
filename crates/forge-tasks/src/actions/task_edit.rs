//! The changes of `edit`.

use crate::{DueDate, IdQuery, Priority, TaskStatus};

/// The changes of a task. An inner `None` or an empty text clears a field.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TaskEdit {
    pub title: Option<String>,
    pub description: Option<String>,
    pub status: Option<TaskStatus>,
    pub priority: Option<Option<Priority>>,
    pub assignee: Option<String>,
    pub due_date: Option<Option<DueDate>>,
    pub plan: Option<String>,
    pub append_plan: Vec<String>,
    pub notes: Option<String>,
    pub append_notes: Vec<String>,
    pub add_labels: Vec<String>,
    pub remove_labels: Vec<String>,
    pub add_dependencies: Vec<IdQuery>,
    pub remove_dependencies: Vec<IdQuery>,
    pub add_criteria: Vec<String>,
    pub remove_criteria: Vec<u32>,
    pub check: Vec<u32>,
    pub uncheck: Vec<u32>,
    pub parent: Option<Option<IdQuery>>,
}
