//! Editing a task, and the outcome of an action.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::actions::reference_links::{ReferenceLinks, all_tasks_if};
use crate::actions::{ActionError, TaskIndex};
use crate::database::{DatabaseError, DatabaseWriter, StoredFile, TaskDirectory};
use crate::document::{
    BodyEdit, BodySection, Criterion, FrontEdit, FrontKey, FrontMatter, FrontMatterWarning,
    FrontValue, Task, TaskDocument,
};
use crate::{DueDate, IdQuery, Priority, RunLane, TaskStatus};

/// How often a change is tried on a file that another process changes without the lock.
const MAX_TRIES: usize = 5;

/// Changes a task.
pub fn edit(
    writer: &mut DatabaseWriter,
    id: &IdQuery,
    change: &TaskEdit,
    now: Timestamp,
) -> Result<ActionOutcome, ActionError> {
    if change.title.as_ref().is_some_and(|title| title.trim().is_empty()) {
        return Err(ActionError::Refused("a task needs a title".to_owned()));
    }
    if change.status == Some(TaskStatus::Landing) {
        let why = "a task becomes Landing when it is set to Done in a lane of a run";
        return Err(ActionError::Refused(why.to_owned()));
    }
    refuse_contradictions(change)?;
    refuse_to_reopen(writer, id, change)?;
    changed(
        writer,
        id,
        now,
        |writer, task| front_edits(writer, &task.front, change),
        || body_edits(change),
    )
}

/// Refuses to reopen an archived task, which no list would show.
fn refuse_to_reopen(
    writer: &DatabaseWriter,
    id: &IdQuery,
    change: &TaskEdit,
) -> Result<(), ActionError> {
    if change.status.is_none_or(|status| status == TaskStatus::Done) {
        return Ok(());
    }
    let stored = writer.database().find(id)?;
    if stored.directory != TaskDirectory::Archive {
        return Ok(());
    }
    let id = read_task(&stored)?.content.front.id;
    let why = format!("{id} is archived; bring it back first: forge-tasks unarchive {id}");
    Err(ActionError::Refused(why))
}

/// Refuses contradictory changes.
fn refuse_contradictions(change: &TaskEdit) -> Result<(), ActionError> {
    let label = change.add_labels.iter().find(|label| {
        change.remove_labels.iter().any(|removed| removed.eq_ignore_ascii_case(label))
    });
    let dependency = change.add_dependencies.iter().find(|query| {
        change.remove_dependencies.iter().any(|removed| query.means_written(removed.as_str()))
    });
    let criterion = change.check.iter().find(|number| change.uncheck.contains(number));
    let removed = change.remove_criteria.iter();
    let removed = removed.copied().find(|n| change.check.contains(n) || change.uncheck.contains(n));
    let both = label
        .map(|label| format!("the label {label} is both added and removed"))
        .or_else(|| dependency.map(|id| format!("the dependency {id} is both added and removed")))
        .or_else(|| {
            criterion.map(|number| format!("criterion {number} is both checked and unchecked"))
        })
        .or_else(|| {
            removed.map(|number| format!("criterion {number} is both removed and changed"))
        });
    both.map_or(Ok(()), |why| Err(ActionError::Refused(why)))
}

/// Edits of front matter, and warnings.
pub(crate) type FrontEdits = (Vec<FrontEdit>, Vec<String>);

/// Reads a task, computes its edits and writes it; again if the file changed meanwhile.
pub(crate) fn changed(
    writer: &mut DatabaseWriter,
    id: &IdQuery,
    now: Timestamp,
    front: impl Fn(&DatabaseWriter, &Task) -> Result<FrontEdits, ActionError>,
    body: impl Fn() -> Vec<BodyEdit>,
) -> Result<ActionOutcome, ActionError> {
    let mut tries = 1;
    loop {
        let stored = writer.database().find(id)?;
        let old = read_task(&stored)?;
        let (front, warnings) = front(writer, &old.content)?;
        match write(writer, &stored, &old, &front, &body(), now) {
            Err(ActionError::Database(DatabaseError::Changed { .. })) if tries < MAX_TRIES => {
                tries += 1;
            }
            written => {
                return written.map(|(task, changed)| ActionOutcome { task, changed, warnings });
            }
        }
    }
}

fn write(
    writer: &mut DatabaseWriter,
    stored: &StoredFile<TaskDocument>,
    old: &StoredFile<Task>,
    front: &[FrontEdit],
    body: &[BodyEdit],
    now: Timestamp,
) -> Result<(StoredFile<Task>, Vec<String>), ActionError> {
    let id = &old.content.front.id;
    let refused = |why| ActionError::Edit { id: id.clone(), why };
    let new = stored.content.stamped(front, body, updated_at(now)).map_err(refused)?;
    if new.text() == stored.content.text() {
        return Ok((old.clone(), Vec::new()));
    }
    let stored = writer.replace(stored, &new)?;
    let task = read_task(&stored)?;
    let mut differences = differences(&old.content, &task.content);
    if differences.is_empty() {
        // Only the numbers of criteria were written, which their parsed form does not show.
        differences.push("ac".to_owned());
    }
    Ok((task, differences))
}

/// The edit that sets `updatedAt`.
pub(crate) fn updated_at(now: Timestamp) -> FrontEdit {
    FrontEdit { key: FrontKey::UpdatedAt, value: Some(FrontValue::Quoted(format!("{now:.3}"))) }
}

/// Sets a key to a text, or removes it.
pub(crate) fn text(key: FrontKey, text: Option<&str>) -> FrontEdit {
    let text = text.filter(|text| !text.is_empty());
    FrontEdit { key, value: text.map(|text| FrontValue::Text(text.to_owned())) }
}

/// Ends the lease, which covers one stretch of work.
pub(crate) fn lease_ends() -> [FrontEdit; 3] {
    [FrontKey::LeaseUntil, FrontKey::LeaseRun, FrontKey::LeaseLane]
        .map(|key| FrontEdit { key, value: None })
}

fn front_edits(
    writer: &DatabaseWriter,
    task: &FrontMatter,
    change: &TaskEdit,
) -> Result<FrontEdits, ActionError> {
    let mut edits = Vec::new();
    let mut warnings = Vec::new();
    edits.extend(change.title.as_deref().map(|title| text(FrontKey::Title, Some(title))));
    if let Some(status) = change.status {
        edits.push(text(FrontKey::Status, Some(status.name())));
        if status != task.status {
            edits.extend(lease_ends());
            // What becomes Done in a lane has to land. Outside of one, it simply is Done.
            let lane = change.lane.as_ref().filter(|_| status == TaskStatus::Done);
            let landing = lane.map(|lane| task.landing.as_ref().unwrap_or(lane).to_string());
            edits.push(text(FrontKey::Landing, landing.as_deref()));
        }
    }
    let priority = change.priority.map(|priority| priority.map(Priority::name));
    edits.extend(priority.map(|priority| text(FrontKey::Priority, priority)));
    edits.extend(change.assignee.as_deref().map(|name| text(FrontKey::Assignee, Some(name))));
    edits.extend(change.due_date.as_ref().map(|date| FrontEdit {
        key: FrontKey::DueDate,
        value: date.as_ref().map(|date| FrontValue::Quoted(date.to_string())),
    }));
    edits.extend(labels(task, change, &mut warnings));
    edits.extend(references(writer, task, change, &mut warnings)?);
    Ok((edits, warnings))
}

fn labels(task: &FrontMatter, change: &TaskEdit, warnings: &mut Vec<String>) -> Option<FrontEdit> {
    let mut labels = task.labels.clone();
    for label in &change.remove_labels {
        let before = labels.len();
        labels.retain(|known| !known.eq_ignore_ascii_case(label));
        if labels.len() == before {
            warnings.push(format!("{} has no label {label}", task.id));
        }
    }
    for label in &change.add_labels {
        if !labels.contains(label) {
            labels.push(label.clone());
        }
    }
    let differs = labels != task.labels;
    differs.then_some(FrontEdit { key: FrontKey::Labels, value: Some(FrontValue::List(labels)) })
}

/// Dependencies and the parent.
fn references(
    writer: &DatabaseWriter,
    task: &FrontMatter,
    change: &TaskEdit,
    warnings: &mut Vec<String>,
) -> Result<Vec<FrontEdit>, ActionError> {
    let mut edits = Vec::new();
    let has_new = !change.add_dependencies.is_empty() || change.parent.iter().flatten().count() > 0;
    let all = all_tasks_if(has_new, writer)?;
    let mut links = ReferenceLinks::new(TaskIndex::new(&all), writer.database().config());
    if let Some(parent) = &change.parent {
        let parent = parent.as_ref().map(|query| links.parent(&task.id, query)).transpose()?;
        edits.push(text(FrontKey::Parent, parent.as_deref()));
    }
    let added = links.dependencies(&task.id, &change.add_dependencies)?;
    warnings.append(&mut links.warnings);
    let wanted = dependencies(task, added, &change.remove_dependencies, warnings);
    if wanted != task.dependencies {
        edits
            .push(FrontEdit { key: FrontKey::Dependencies, value: Some(FrontValue::List(wanted)) });
    }
    Ok(edits)
}

fn dependencies(
    task: &FrontMatter,
    added: Vec<String>,
    removed: &[IdQuery],
    warnings: &mut Vec<String>,
) -> Vec<String> {
    let mut wanted = task.dependencies.clone();
    for query in removed {
        let before = wanted.len();
        wanted.retain(|written| !query.means_written(written));
        if wanted.len() == before {
            warnings.push(format!("{} does not depend on {query}", task.id));
        }
    }
    for one in added {
        let query = IdQuery::parse(&one).expect("we have just written it");
        if !wanted.iter().any(|written| query.means_written(written)) {
            wanted.push(one);
        }
    }
    wanted
}

fn body_edits(change: &TaskEdit) -> Vec<BodyEdit> {
    let mut edits = set(BodySection::Description, change.description.as_ref());
    edits.extend(set(BodySection::Plan, change.plan.as_ref()));
    edits.extend(append(BodySection::Plan, &change.append_plan));
    edits.extend(set(BodySection::Notes, change.notes.as_ref()));
    edits.extend(append(BodySection::Notes, &change.append_notes));
    edits.extend(change.check.iter().map(|number| BodyEdit::Check(*number, true)));
    edits.extend(change.uncheck.iter().map(|number| BodyEdit::Check(*number, false)));
    edits.extend(change.remove_criteria.iter().map(|number| BodyEdit::RemoveCriterion(*number)));
    edits.extend(change.add_criteria.iter().cloned().map(BodyEdit::AddCriterion));
    edits
}

fn set(section: BodySection, text: Option<&String>) -> Vec<BodyEdit> {
    text.into_iter().map(|text| BodyEdit::Set(section, text.clone())).collect()
}

fn append(section: BodySection, texts: &[String]) -> Vec<BodyEdit> {
    texts.iter().map(|text| BodyEdit::Append(section, text.clone())).collect()
}

/// The changes of a task. An inner `None` or an empty text clears a field.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TaskEdit {
    pub title: Option<String>,
    pub description: Option<String>,
    pub status: Option<TaskStatus>,
    /// The lane of the agent that makes the change. What becomes Done there is landing.
    pub lane: Option<RunLane>,
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

/// A task after an action.
#[derive(Debug)]
pub struct ActionOutcome {
    /// The task after the action.
    pub task: StoredFile<Task>,
    /// The changed fields, by their names in the plain view and in its order.
    pub changed: Vec<String>,
    /// Warnings, a line each.
    pub warnings: Vec<String>,
}

/// Reads a document that is known to be a task.
pub(crate) fn read_task(
    document: &StoredFile<TaskDocument>,
) -> Result<StoredFile<Task>, ActionError> {
    let broken = |why| ActionError::Broken { file: document.file.clone(), why };
    Ok(document.with(Task::read(&document.content).map_err(broken)?))
}

/// The fields that differ between two versions of a task, by their names in the plain view and in
/// its order. The time of the change is excluded, and so is the lease, which depends on the status.
pub(crate) fn differences(old: &Task, new: &Task) -> Vec<String> {
    let (before, after) = (&old.front, &new.front);
    let had_warning = |is_it: fn(&FrontMatterWarning) -> bool| {
        before.warnings.iter().any(is_it) && !after.warnings.iter().any(is_it)
    };
    let had_odd_status = had_warning(|warning| {
        matches!(warning, FrontMatterWarning::UnknownStatus(_) | FrontMatterWarning::NoStatus)
    });
    let had_odd_priority =
        had_warning(|warning| matches!(warning, FrontMatterWarning::UnknownPriority(_)));
    let fronts = [
        ("id", before.id.as_str() != after.id.as_str()),
        ("title", before.title != after.title),
        ("status", before.status != after.status || had_odd_status),
        ("priority", before.priority != after.priority || had_odd_priority),
        ("assignee", before.assignee != after.assignee),
        ("labels", before.labels != after.labels),
        ("dependencies", before.dependencies != after.dependencies),
        ("parent", before.parent != after.parent),
        ("dueDate", before.due_date != after.due_date),
        ("description", old.body.description != new.body.description),
        ("plan", old.body.plan != new.body.plan),
    ];
    let differs = fronts.into_iter().filter(|(_, differs)| *differs);
    let mut names: Vec<String> = differs.map(|(name, _)| name.to_owned()).collect();
    names.extend(changed_criteria(&old.body.criteria, &new.body.criteria));
    names.extend((old.body.notes != new.body.notes).then(|| "notes".to_owned()));
    names
}

/// The criteria that are new, gone or different.
fn changed_criteria(old: &[Criterion], new: &[Criterion]) -> Vec<String> {
    let by_number = |criteria: &[Criterion]| -> BTreeMap<u32, Criterion> {
        criteria.iter().map(|criterion| (criterion.index, criterion.clone())).collect()
    };
    let (old, new) = (by_number(old), by_number(new));
    let numbers: BTreeSet<&u32> = old.keys().chain(new.keys()).collect();
    let changed = numbers.into_iter().filter(|number| old.get(number) != new.get(number));
    changed.map(|number| format!("ac.{number}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(front: &str, body: &str) -> Task {
        let text = format!("---\nid: TASK-1\ntitle: T\n{front}---\n{body}");
        let document = TaskDocument::from_bytes(text.into_bytes()).expect("it is a task");
        Task::read(&document).expect("it is a task")
    }

    #[test]
    fn the_names_of_changed_fields_are_listed() {
        let list = "## Acceptance Criteria\n- [ ] a\n- [ ] b\n- [ ] c\n";
        let old = task("status: odd\npriority: odd\n", list);
        assert_eq!(differences(&old, &old), [""; 0]);
        let new = task(
            "status: todo\nassignee: ada\nlabels: [x]\ndependencies: [TASK-2]\nparent: TASK-3\n\
             dueDate: 2026-12-31\n",
            "## Description\nd\n## Implementation Plan\np\n## Acceptance Criteria\n- [ ] a\n- [x] b\n\
             ## Implementation Notes\nn\n",
        );
        assert_eq!(
            differences(&old, &new).join(" "),
            "status priority assignee labels dependencies parent dueDate description plan ac.2 ac.3 notes"
        );
    }
}
