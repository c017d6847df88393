//! Creating a task.

use jiff::Timestamp;

use crate::database::{Config, Listing, Writer};
use crate::document::{BodyEdit, Front, Key, Section, TaskDocument, Value};
use crate::{DueDate, IdQuery, Priority, Status, TaskId};

use super::links::Links;
use super::{ActionError, Done, Index, cycle, done};

/// The fields of a new task.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(missing_docs, reason = "they are called like the options of `create`")]
pub struct NewTask {
    pub title: String,
    pub description: Option<String>,
    /// None if the config decides; an inner none for no priority.
    pub priority: Option<Option<Priority>>,
    pub assignee: Option<String>,
    pub labels: Vec<String>,
    pub due_date: Option<DueDate>,
    pub depends_on: Vec<IdQuery>,
    pub criteria: Vec<String>,
    pub parent: Option<IdQuery>,
}

/// Creates a task.
pub fn create(writer: &mut Writer, new: &NewTask, now: Timestamp) -> Result<Done, ActionError> {
    if new.title.trim().is_empty() {
        return Err(ActionError::Refused("a task needs a title".to_owned()));
    }
    let id = writer.next_id()?;
    if let Some(itself) = new.depends_on.iter().chain(&new.parent).find(|query| query.means(&id)) {
        let why = format!("the new task itself will be {id}, so it cannot refer to {itself}");
        return Err(ActionError::Refused(why));
    }
    let others: Vec<IdQuery> = new.depends_on.iter().chain(&new.parent).cloned().collect();
    let all = writer.reachable(&others, cycle::all)?;
    let config = writer.database().config();
    let (front, mut warnings) = front(&id, new, config, &all, now)?;
    let document = TaskDocument::new(&front, &body(new))
        .map_err(|why| ActionError::Edit { id: id.clone(), why })?;
    writer.take_id(&id)?;
    warnings.extend(writer.counter_note());
    let stored = writer.add(&document)?;
    Ok(Done { task: done::read(&stored)?, changed: Vec::new(), warnings })
}

/// New front matter, and warnings.
type NewFront = (Vec<(Key, Value)>, Vec<String>);

fn front(
    id: &TaskId,
    new: &NewTask,
    config: &Config,
    all: &Listing<Front>,
    now: Timestamp,
) -> Result<NewFront, ActionError> {
    let mut links = Links::new(Index::new(all), config);
    let dependencies = links.dependencies(id, &new.depends_on)?;
    let parent = new.parent.as_ref().map(|parent| links.parent(id, parent)).transpose()?;
    let priority = new.priority.unwrap_or(config.default_priority);
    let text = |text: &str| Value::Text(text.to_owned());
    let now = Value::Quoted(format!("{now:.3}"));
    let values = [
        (Key::Id, Some(text(id.as_str()))),
        (Key::Title, Some(text(&new.title))),
        (Key::Status, Some(text(Status::ToDo.name()))),
        (Key::Priority, priority.map(|priority| text(priority.name()))),
        (Key::Assignee, new.assignee.as_deref().map(text)),
        (Key::Labels, Some(Value::List(labels(&config.default_labels, &new.labels)))),
        (Key::Dependencies, Some(Value::List(dependencies))),
        (Key::Parent, parent.as_deref().map(text)),
        (Key::DueDate, new.due_date.as_ref().map(|date| Value::Quoted(date.to_string()))),
        (Key::CreatedAt, Some(now.clone())),
        (Key::UpdatedAt, Some(now)),
    ];
    let given = values.into_iter().filter_map(|(key, value)| Some((key, value?)));
    Ok((given.collect(), links.warnings))
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
    let description = description.map(|text| BodyEdit::Set(Section::Description, text));
    description.chain(new.criteria.iter().cloned().map(BodyEdit::AddCriterion)).collect()
}
