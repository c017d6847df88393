//! New ids for tasks that share one, and the references that follow them.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::duplicates::{self, DuplicateGroup, ReferenceResolver};
use super::file_stages::{FileChange, FileStages, MovedReference, refers_to};
use crate::actions::ActionError;
use crate::actions::check::DatabaseProblem;
use crate::actions::check::fix::file_stages;
use crate::actions::edit::read_task;
use crate::database::{DatabaseError, DatabaseWriter, StoredFile};
use crate::document::{FrontKey, FrontMatter, TaskDocument};
use crate::{IdPrefix, TaskId};

/// Everything that renumbering writes. It is complete before the first write.
pub(super) struct Renumbering {
    /// The highest new id.
    last: Option<TaskId>,
    /// The files that change, by position.
    files: BTreeMap<usize, FileStep>,
    /// References that may mean several tasks: position, key, id and these tasks.
    unclear: Vec<(usize, FrontKey, TaskId, Vec<usize>)>,
    /// Groups that are not changed.
    pub(super) problems: Vec<DatabaseProblem>,
}

struct FileStep {
    path: String,
    old: TaskId,
    change: FileChange,
    stages: FileStages,
}

impl Renumbering {
    /// Chooses the ids and makes every text. A group that cannot be changed does not affect the
    /// others.
    pub(super) fn plan(
        writer: &DatabaseWriter,
        files: &[StoredFile<TaskDocument>],
        now: Timestamp,
    ) -> Result<Self, ActionError> {
        let fronts = fronts(files)?;
        let groups = duplicates::find(files, &fronts);
        let pending: Vec<TaskId> =
            files.iter().filter_map(|file| file_stages::pending_id(&file.content)).collect();
        // The name of a file may differ from its id, so the ids inside the files count too.
        let used = fronts.iter().map(|task| &task.content.id).chain(&pending);
        let highest = used.map(TaskId::number).max().unwrap_or_default();
        let planner =
            RenumberingPlanner { writer, files, fronts: &fronts, groups: &groups, highest, now };
        planner.plan()
    }

    /// Writes all changes in rounds, and reports each as soon as it is on disk.
    pub(super) fn apply(
        &self,
        writer: &mut DatabaseWriter,
        files: &mut [StoredFile<TaskDocument>],
        report: &mut Vec<String>,
    ) -> Result<(), ActionError> {
        if let Some(last) = &self.last {
            writer.take_id(last)?;
        }
        let mut write = |at: usize, text: &Option<TaskDocument>| -> Result<bool, ActionError> {
            let Some(text) = text else { return Ok(false) };
            files[at] = writer.replace(&files[at], text)?;
            Ok(true)
        };
        for (at, step) in &self.files {
            write(*at, &step.stages.noted)?;
        }
        for (at, step) in &self.files {
            if write(*at, &step.stages.referring)? {
                report.extend(step.change.references.iter().map(|reference| {
                    let MovedReference { key, old, new } = reference;
                    format!("{} {} {new}, which was {old}", step.path, relation(*key))
                }));
            }
        }
        for (at, step) in &self.files {
            let Some(id) = &step.change.id else { continue };
            if write(*at, &step.stages.moved)? {
                report.push(format!("{}: {} is now {id}", step.path, step.old));
            }
        }
        for (at, step) in &self.files {
            let is_first_change = step.stages.moved.is_none();
            if write(*at, &step.stages.finished)? && is_first_change {
                report.push(format!("{}: renumbering to {} is complete", step.path, step.old));
            }
        }
        Ok(())
    }

    /// The tasks that moved: their old paths, their old ids and their positions.
    pub(super) fn moves(&self) -> impl Iterator<Item = (&str, &TaskId, usize)> {
        let moved = self.files.iter().filter(|(_, step)| step.change.id.is_some());
        moved.map(|(at, step)| (step.path.as_str(), &step.old, *at))
    }

    /// A line for each reference that may mean several tasks. The files are those after
    /// [`Self::apply`].
    pub(super) fn unclear(&self, files: &[StoredFile<TaskDocument>]) -> Vec<String> {
        let lines = self.unclear.iter().map(|(at, key, id, members)| {
            let members: Vec<String> = members.iter().map(|at| files[*at].path()).collect();
            let (path, members) = (files[*at].path(), crate::words::join_with_or(&members));
            format!("{path} {} {id}; it may mean {members}", relation(*key))
        });
        lines.collect()
    }
}

fn relation(key: FrontKey) -> &'static str {
    if key == FrontKey::Parent { "is a part of" } else { "depends on" }
}

fn fronts(files: &[StoredFile<TaskDocument>]) -> Result<Vec<StoredFile<FrontMatter>>, ActionError> {
    files.iter().map(|file| Ok(read_task(file)?.front())).collect()
}

struct RenumberingPlanner<'a> {
    writer: &'a DatabaseWriter,
    files: &'a [StoredFile<TaskDocument>],
    fronts: &'a [StoredFile<FrontMatter>],
    groups: &'a [DuplicateGroup],
    /// The highest number that a task has or is about to get.
    highest: u64,
    now: Timestamp,
}

impl RenumberingPlanner<'_> {
    fn plan(&self) -> Result<Renumbering, ActionError> {
        let resolver = ReferenceResolver::new(self.fronts, self.groups);
        let mut plan = Renumbering {
            last: None,
            files: BTreeMap::new(),
            unclear: Vec::new(),
            problems: Vec::new(),
        };
        for group in self.groups {
            let id = &self.fronts[group.members[0]].content.id;
            let mut last = plan.last.clone();
            let mut changes: BTreeMap<usize, FileChange> = BTreeMap::new();
            for (at, pending) in &group.movers {
                let new = match pending {
                    Some(pending) => pending.clone(),
                    None => last.insert(self.next_id(id, last.as_ref())?).clone(),
                };
                changes.insert(*at, FileChange { id: Some(new), references: Vec::new() });
            }
            let mut unclear = Vec::new();
            for (at, key) in self.references(id) {
                match resolver.resolve(at, &group.members) {
                    Some(meant) => {
                        let new = changes.get(&meant).and_then(|change| change.id.clone());
                        if let Some(new) = new.filter(|new| new != id) {
                            let reference = MovedReference { key, old: id.clone(), new };
                            changes.entry(at).or_default().references.push(reference);
                        }
                    }
                    None => unclear.push((at, key, id.clone(), group.members.clone())),
                }
            }
            match self.merged(&plan.files, changes) {
                Ok(steps) => {
                    plan.files.extend(steps);
                    plan.unclear.extend(unclear);
                    plan.last = last;
                }
                Err((path, why)) => {
                    plan.problems.push(DatabaseProblem::of_unmoved(id, &path, &why));
                }
            }
        }
        Ok(plan)
    }

    /// The next free id with the prefix of another one.
    fn next_id(&self, old: &TaskId, last: Option<&TaskId>) -> Result<TaskId, ActionError> {
        let number = match last {
            Some(last) => last.number() + 1,
            None => self.writer.next_id()?.number().max(self.highest + 1),
        };
        let prefix = IdPrefix::parse(old.prefix()).expect("an id begins with one");
        let id = TaskId::new(&prefix, number, self.writer.database().config().zero_padding);
        if TaskId::parse(id.as_str()).is_err() {
            let path = self.writer.database().path();
            return Err(DatabaseError::no_numbers_left(path, number - 1).into());
        }
        Ok(id)
    }

    /// Every task that refers to an id, and by which key.
    fn references<'b>(&'b self, id: &'b TaskId) -> impl Iterator<Item = (usize, FrontKey)> + 'b {
        self.fronts.iter().enumerate().flat_map(move |(at, task)| {
            let keys = [FrontKey::Dependencies, FrontKey::Parent].into_iter();
            keys.filter(|key| refers_to(&task.content, *key, id)).map(move |key| (at, key))
        })
    }

    /// The steps of the changed files, together with the changes of earlier groups; or the file
    /// that cannot be edited.
    fn merged(
        &self,
        before: &BTreeMap<usize, FileStep>,
        changes: BTreeMap<usize, FileChange>,
    ) -> Result<BTreeMap<usize, FileStep>, (String, crate::document::TaskEditError)> {
        let mut steps = BTreeMap::new();
        for (at, new) in changes {
            let (file, front) = (&self.files[at], &self.fronts[at].content);
            let mut change = before.get(&at).map(|step| step.change.clone()).unwrap_or_default();
            change.id = new.id.or(change.id);
            change.references.extend(new.references);
            let stages = FileStages::new(&file.content, front, &change, self.now)
                .map_err(|why| (file.path(), why))?;
            let (path, old) = (file.path(), front.id.clone());
            steps.insert(at, FileStep { path, old, change, stages });
        }
        Ok(steps)
    }
}
