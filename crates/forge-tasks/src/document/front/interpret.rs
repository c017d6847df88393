//! Interprets the raw values of front matter.

use std::borrow::Cow;

use super::raw_value::{RawFront, RawValue};
use super::typed_value::TypedValue;
use super::{BrokenTask, FrontKey, FrontMatter, FrontMatterWarning, TaskLease};
use crate::{Priority, TaskId, TaskStatus};

/// Interprets the values of all keys.
pub(super) fn front(draft: RawFront<'_>) -> Result<FrontMatter, BrokenTask> {
    let mut reader = FrontInterpreter { draft, oddities: Vec::new() };
    Ok(FrontMatter {
        id: reader.id()?,
        title: reader.text(FrontKey::Title).ok_or(BrokenTask::NoTitle)?,
        status: reader.status(),
        priority: reader.priority(),
        assignee: reader.text(FrontKey::Assignee),
        labels: reader.list(FrontKey::Labels),
        dependencies: reader.list(FrontKey::Dependencies),
        parent: reader.text(FrontKey::Parent),
        due_date: reader.text(FrontKey::DueDate),
        lease: reader.lease(),
        created_at: reader.text(FrontKey::CreatedAt),
        updated_at: reader.text(FrontKey::UpdatedAt),
        oddities: reader.oddities,
    })
}

struct FrontInterpreter<'a> {
    draft: RawFront<'a>,
    oddities: Vec<FrontMatterWarning>,
}

impl<'a> FrontInterpreter<'a> {
    fn id(&mut self) -> Result<TaskId, BrokenTask> {
        let given = self.draft.take(FrontKey::Id);
        if let RawValue::List(_) | RawValue::Odd = given {
            let shape = if given == RawValue::Odd { "{…}" } else { "[…]" };
            return Err(BrokenTask::BadId(shape.to_owned()));
        }
        match FrontKey::Id.reads(given) {
            TypedValue::Text(text) => {
                TaskId::parse(&text).map_err(|error| BrokenTask::BadId(error.0))
            }
            _ => Err(BrokenTask::NoId),
        }
    }

    fn status(&mut self) -> TaskStatus {
        let text = match FrontKey::Status.reads(self.draft.take(FrontKey::Status)) {
            TypedValue::Text(text) => text,
            TypedValue::Odd => {
                self.oddities.push(FrontMatterWarning::OddValue(FrontKey::Status.name()));
                return TaskStatus::ToDo;
            }
            _ => {
                self.oddities.push(FrontMatterWarning::NoStatus);
                return TaskStatus::ToDo;
            }
        };
        status(&text).unwrap_or_else(|| {
            self.oddities.push(FrontMatterWarning::UnknownStatus(text.into_owned()));
            TaskStatus::ToDo
        })
    }

    fn priority(&mut self) -> Option<Priority> {
        let text = self.found(FrontKey::Priority)?;
        let priority = priority(&text);
        if priority.is_none() {
            self.oddities.push(FrontMatterWarning::UnknownPriority(text.into_owned()));
        }
        priority
    }

    fn lease(&mut self) -> Option<TaskLease> {
        let until = self.found(FrontKey::LeaseUntil);
        let run = self.text(FrontKey::LeaseRun);
        if until.is_none() && run.is_none() {
            return None;
        }
        Some(TaskLease { until: until.and_then(|until| until.parse().ok()), run })
    }

    fn list(&mut self, key: FrontKey) -> Vec<String> {
        match key.reads(self.draft.take(key)) {
            TypedValue::List(items) => items.into_iter().map(Cow::into_owned).collect(),
            TypedValue::Odd => {
                self.oddities.push(FrontMatterWarning::OddValue(key.name()));
                Vec::new()
            }
            TypedValue::Nothing | TypedValue::Text(_) => Vec::new(),
        }
    }

    fn text(&mut self, key: FrontKey) -> Option<String> {
        self.found(key).map(Cow::into_owned)
    }

    fn found(&mut self, key: FrontKey) -> Option<Cow<'a, str>> {
        match key.reads(self.draft.take(key)) {
            TypedValue::Text(text) => Some(text),
            TypedValue::Odd => {
                self.oddities.push(FrontMatterWarning::OddValue(key.name()));
                None
            }
            TypedValue::Nothing | TypedValue::List(_) => None,
        }
    }
}

/// Reads a status, nearly always without an allocation.
pub(super) fn status(text: &str) -> Option<TaskStatus> {
    let usual = TaskStatus::ALL.into_iter().find(|status| status.name() == text);
    usual.or_else(|| TaskStatus::parse(text).ok())
}

/// Reads a priority, nearly always without an allocation.
pub(super) fn priority(text: &str) -> Option<Priority> {
    let all = [Priority::High, Priority::Medium, Priority::Low];
    let usual = all.into_iter().find(|priority| priority.name() == text);
    usual.or_else(|| Priority::parse(text).ok())
}
