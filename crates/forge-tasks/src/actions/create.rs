//! Creating a task.

use jiff::Timestamp;

use super::reference_links::{ReferenceLinks, all_tasks_if};
use crate::actions::edit::read_task;
use crate::actions::{ActionError, ActionOutcome, TaskIndex};
use crate::database::{DatabaseWriter, DirectoryListing, TasksConfig};
use crate::document::{BodyEdit, BodySection, FrontKey, FrontMatter, FrontValue, TaskDocument};
use crate::{DueDate, IdQuery, Priority, TaskId, TaskStatus};

/// The fields of a new task.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewTask {
    pub title: String,
    pub description: Option<String>,
    /// `None` for the default of the config; an inner `None` for no priority.
    pub priority: Option<Option<Priority>>,
    pub assignee: Option<String>,
    pub labels: Vec<String>,
    pub due_date: Option<DueDate>,
    pub depends_on: Vec<IdQuery>,
    pub criteria: Vec<String>,
    pub parent: Option<IdQuery>,
}

/// Creates a task.
pub fn create(
    writer: &mut DatabaseWriter,
    new: &NewTask,
    now: Timestamp,
) -> Result<ActionOutcome, ActionError> {
    if new.title.trim().is_empty() {
        return Err(ActionError::Refused("a task needs a title".to_owned()));
    }
    let id = writer.next_id()?;
    if let Some(itself) = new.depends_on.iter().chain(&new.parent).find(|query| query.means(&id)) {
        let why = format!("the new task itself will be {id}, so it cannot refer to {itself}");
        return Err(ActionError::Refused(why));
    }
    let all = all_tasks_if(!new.depends_on.is_empty() || new.parent.is_some(), writer)?;
    let config = writer.database().config();
    let (front, mut warnings) = front(&id, new, config, &all, now)?;
    let document = TaskDocument::new(&front, &body(new))
        .map_err(|why| ActionError::Edit { id: id.clone(), why })?;
    writer.take_id(&id)?;
    warnings.extend(writer.counter_note());
    let stored = writer.add(&document)?;
    Ok(ActionOutcome { task: read_task(&stored)?, changed: Vec::new(), warnings })
}

/// New front matter, and warnings.
type NewFront = (Vec<(FrontKey, FrontValue)>, Vec<String>);

fn front(
    id: &TaskId,
    new: &NewTask,
    config: &TasksConfig,
    all: &DirectoryListing<FrontMatter>,
    now: Timestamp,
) -> Result<NewFront, ActionError> {
    let mut links = ReferenceLinks::new(TaskIndex::new(all), config);
    let dependencies = links.dependencies(id, &new.depends_on)?;
    let parent = new.parent.as_ref().map(|parent| links.parent(id, parent)).transpose()?;
    let priority = new.priority.unwrap_or(config.default_priority);
    let text = |text: &str| FrontValue::Text(text.to_owned());
    let now = FrontValue::Quoted(format!("{now:.3}"));
    let values = [
        (FrontKey::Id, Some(text(id.as_str()))),
        (FrontKey::Title, Some(text(&new.title))),
        (FrontKey::Status, Some(text(TaskStatus::ToDo.name()))),
        (FrontKey::Priority, priority.map(|priority| text(priority.name()))),
        (FrontKey::Assignee, new.assignee.as_deref().map(text)),
        (FrontKey::Labels, Some(FrontValue::List(labels(&config.default_labels, &new.labels)))),
        (FrontKey::Dependencies, Some(FrontValue::List(dependencies))),
        (FrontKey::Parent, parent.as_deref().map(text)),
        (FrontKey::DueDate, new.due_date.as_ref().map(|date| FrontValue::Quoted(date.to_string()))),
        (FrontKey::CreatedAt, Some(now.clone())),
        (FrontKey::UpdatedAt, Some(now)),
    ];
    let set = values.into_iter().filter_map(|(key, value)| Some((key, value?)));
    Ok((set.collect(), links.warnings))
}

fn labels(default: &[String], own: &[String]) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for label in default.iter().chain(own) {
        if !labels.contains(label) {
            labels.push(label.clone());
        }
    }
    labels
}

fn body(new: &NewTask) -> Vec<BodyEdit> {
    let description = new.description.iter().cloned();
    let description = description.map(|text| BodyEdit::Set(BodySection::Description, text));
    description.chain(new.criteria.iter().cloned().map(BodyEdit::AddCriterion)).collect()
}
