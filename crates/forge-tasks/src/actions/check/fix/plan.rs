//! Deciding who gets which id, and which references follow.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::groups::{self, Group};
use super::lineage::{Lineage, Mention};
use super::numbers::Numbers;
use super::stages::{Reference, Stages, Wishes};
use super::{ActionError, Problem, note};
use crate::TaskId;
use crate::actions::done;
use crate::database::{Stored, Writer};
use crate::document::{Document, Front, Key};

/// What is to be done, and what cannot be.
pub(super) struct Plan {
    pub(super) steps: Steps,
    pub(super) problems: Vec<Problem>,
}

/// What is to be done.
pub(super) struct Steps {
    /// The highest of the new ids.
    pub(super) last: Option<TaskId>,
    /// What becomes of each file, by its place.
    pub(super) files: BTreeMap<usize, Step>,
}

/// What becomes of a file.
#[derive(Clone)]
pub(super) struct Step {
    /// Where it is now.
    pub(super) path: String,
    /// The id that it has now.
    pub(super) old: TaskId,
    pub(super) wishes: Wishes,
    pub(super) stages: Stages,
}

/// Decides everything, and makes every text. A group that cannot be changed holds up no other.
pub(super) fn make(
    writer: &Writer,
    files: &[Stored<Document>],
    now: Timestamp,
) -> Result<Plan, ActionError> {
    let fronts = fronts(files)?;
    let promised: Vec<TaskId> =
        files.iter().filter_map(|file| note::planned(&file.content)).collect();
    // Files may have other names than their ids; here all of them have been read.
    let given = fronts.iter().map(|task| &task.content.id);
    let mut numbers = Numbers::above(promised.iter().chain(given));
    let lineage = Lineage::new(writer.database().path(), &fronts);
    let planner = Planner { writer, files, fronts: &fronts, lineage, now };
    let mut steps = BTreeMap::new();
    let mut problems = Vec::new();
    for group in groups::find(files, &fronts) {
        let mut mine = numbers.clone();
        match planner.steps(&group, &mut mine, &steps)? {
            Ok(new) => {
                steps.extend(new);
                numbers = mine;
            }
            Err(problem) => problems.push(problem),
        }
    }
    let last = numbers.last().cloned();
    Ok(Plan { steps: Steps { last, files: steps }, problems })
}

fn fronts(files: &[Stored<Document>]) -> Result<Vec<Stored<Front>>, ActionError> {
    let read = files.iter().map(|file| {
        let Stored { shelf, file, content } = done::read(file)?;
        Ok(Stored { shelf, file, content: content.front })
    });
    read.collect()
}

struct Planner<'a> {
    writer: &'a Writer,
    files: &'a [Stored<Document>],
    fronts: &'a [Stored<Front>],
    lineage: Lineage<'a>,
    now: Timestamp,
}

impl Planner<'_> {
    /// What becomes of all files that a group has to do with, after what other groups want of them;
    /// or why nothing can.
    fn steps(
        &self,
        group: &Group,
        numbers: &mut Numbers,
        before: &BTreeMap<usize, Step>,
    ) -> Result<Result<BTreeMap<usize, Step>, Problem>, ActionError> {
        let known = |place: &usize| before.get(place).map(|step| step.wishes.clone());
        let mut wanted: BTreeMap<usize, Wishes> = BTreeMap::new();
        for (place, planned) in &group.movers {
            let new = match planned {
                Some(planned) => planned.clone(),
                None => numbers.give(self.writer, &self.fronts[*place].content.id)?,
            };
            let wishes = Wishes { id: Some(new), ..known(place).unwrap_or_default() };
            wanted.insert(*place, wishes);
        }
        let id = &self.fronts[group.places[0]].content.id;
        for reference in self.references(group, id, &wanted) {
            let place = reference.0;
            let wishes = wanted.entry(place).or_insert_with(|| known(&place).unwrap_or_default());
            wishes.references.push(reference.1);
        }
        Ok(self.texts(id, wanted))
    }

    /// The references that follow the tasks of a group.
    fn references(
        &self,
        group: &Group,
        id: &TaskId,
        movers: &BTreeMap<usize, Wishes>,
    ) -> Vec<(usize, Reference)> {
        let followed = mentions(self.fronts, id).filter_map(|mention| {
            let (meant, because) = self.lineage.meant(mention, &group.places)?;
            let new = movers.get(&meant)?.id.clone().filter(|new| new != id)?;
            let Mention { place, key, .. } = mention;
            Some((place, Reference { key, old: id.clone(), new, because }))
        });
        followed.collect()
    }

    fn texts(
        &self,
        id: &TaskId,
        wanted: BTreeMap<usize, Wishes>,
    ) -> Result<BTreeMap<usize, Step>, Problem> {
        let mut steps = BTreeMap::new();
        for (place, wishes) in wanted {
            let (file, front) = (&self.files[place], &self.fronts[place].content);
            let stages = Stages::new(&file.content, front, &wishes, self.now)
                .map_err(|why| Problem::of_unmoved(id, &file.path(), &why))?;
            let (path, old) = (file.path(), front.id.clone());
            steps.insert(place, Step { path, old, wishes, stages });
        }
        Ok(steps)
    }
}

/// Every reference to an id.
fn mentions<'a>(
    fronts: &'a [Stored<Front>],
    id: &'a TaskId,
) -> impl Iterator<Item = Mention<'a>> + 'a {
    fronts.iter().enumerate().flat_map(move |(place, task)| {
        let all = [Key::Dependencies, Key::Parent].map(|key| Mention { place, key, id });
        all.into_iter().filter(|mention| mention.is_in(&task.content))
    })
}
