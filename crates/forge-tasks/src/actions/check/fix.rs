//! Giving tasks another number whose number somebody else has.

use jiff::Timestamp;

use crate::database::{Listing, Scope, Stored, Writer};
use crate::document::{Document, Front, FrontEdit, Key, Value};
use crate::{IdQuery, TaskId};

use super::lineage::{self, Because};
use super::{ActionError, Index, done, duplicates};
use crate::actions::edit::{text, updated_at};

/// Mends what can be mended, and says what was done, a line each.
///
/// Of tasks with the same id the one that was created first keeps it, and each of the others gets a new
/// one. References follow: to the task that their author meant.
pub fn fix(writer: &mut Writer, now: Timestamp) -> Result<Vec<String>, ActionError> {
    let mut said: Vec<String> = writer.settle_config()?.into_iter().collect();
    let mut files = writer.database().documents(Scope::All)?.tasks;
    let moves = moves(writer, &files)?;
    let Some(last) = moves.iter().map(|one| &one.new).max() else { return Ok(said) };
    // Everything is decided. From here on, whatever interrupts us leaves references that a check
    // finds dangling, never ones that silently mean another task.
    writer.take_id(last)?;
    for one in &moves {
        for reference in &one.references {
            let file = &mut files[reference.place];
            *file = write(writer, file, vec![reference.edit(file, one)?], now)?;
            said.push(reference.told(one));
        }
    }
    for one in &moves {
        let file = &mut files[one.place];
        said.push(format!("{}: {} is now {}", file.shelf.path_of(&file.file), one.old, one.new));
        *file = write(writer, file, vec![text(Key::Id, Some(one.new.as_str()))], now)?;
    }
    Ok(said)
}

fn write(
    writer: &mut Writer,
    file: &Stored<Document>,
    mut edits: Vec<FrontEdit>,
    now: Timestamp,
) -> Result<Stored<Document>, ActionError> {
    let id = done::read(file)?.content.front.id;
    edits.push(updated_at(now));
    let new = file.content.edited(&edits, &[]).map_err(|why| ActionError::Edit { id, why })?;
    Ok(writer.replace(file, &new)?)
}

/// A task that gets another id.
struct Move {
    place: usize,
    old: TaskId,
    new: TaskId,
    references: Vec<Reference>,
}

/// A reference that meant it.
struct Reference {
    place: usize,
    /// The file it is in: its id may be one of those that change.
    from: String,
    key: Key,
    because: Because,
}

impl Reference {
    /// Lets the reference mean the same task under its new id.
    fn edit(&self, file: &Stored<Document>, to: &Move) -> Result<FrontEdit, ActionError> {
        let front = done::read(file)?.content.front;
        let new = || to.new.to_string();
        if self.key == Key::Parent {
            return Ok(text(Key::Parent, Some(&new())));
        }
        let written = front.dependencies.into_iter();
        let written = written.map(|one| if means(&one, &to.old) { new() } else { one }).collect();
        Ok(FrontEdit { key: Key::Dependencies, value: Some(Value::List(written)) })
    }

    fn told(&self, to: &Move) -> String {
        let relation = if self.key == Key::Parent { "is a part of" } else { "depends on" };
        let because = match self.because {
            Because::History => "by their commits",
            Because::Time => "by the times of their creation",
        };
        format!("{} {relation} {}, which was {} ({because})", self.from, to.new, to.old)
    }
}

fn means(written: &str, id: &TaskId) -> bool {
    IdQuery::parse(written).is_ok_and(|query| query.means(id))
}

/// Decides who gets which id, and which references follow.
fn moves(writer: &Writer, files: &[Stored<Document>]) -> Result<Vec<Move>, ActionError> {
    let all = fronts(files)?;
    let index = Index::new(&all);
    let directory = writer.database().path();
    let mut next = writer.next_id()?;
    let mut moves = Vec::new();
    for same in duplicates(&index) {
        let eldest = same.iter().min_by_key(|task| seniority(task)).expect("there are several");
        let younger = same.iter().filter(|task| !std::ptr::eq(*task, eldest));
        let references = || referrers(&all, &eldest.content.id);
        let meant: Vec<(usize, Key, &Stored<Front>, Because)> = references()
            .filter_map(|(place, key)| {
                let (task, because) = lineage::meant(directory, &all.tasks[place], same)?;
                Some((place, key, task, because))
            })
            .collect();
        for task in younger {
            let mine = meant.iter().filter(|(_, _, meant, _)| std::ptr::eq(*meant, task));
            let references = mine.map(|(place, key, _, because)| Reference {
                place: *place,
                from: all.tasks[*place].path(),
                key: *key,
                because: *because,
            });
            let place = all.tasks.iter().position(|one| std::ptr::eq(one, task));
            moves.push(Move {
                place: place.expect("it is one of them"),
                old: task.content.id.clone(),
                new: next.clone(),
                references: references.collect(),
            });
            next = next.successor();
        }
    }
    Ok(moves)
}

fn fronts(files: &[Stored<Document>]) -> Result<Listing<Front>, ActionError> {
    let mut all = Listing { tasks: Vec::with_capacity(files.len()), broken: Vec::new() };
    for file in files {
        let Stored { shelf, file, content } = done::read(file)?;
        all.tasks.push(Stored { shelf, file, content: content.front });
    }
    Ok(all)
}

/// The smaller, the older.
fn seniority(task: &Stored<Front>) -> (bool, Option<&String>, &str) {
    let created = task.content.created_at.as_ref();
    (created.is_none(), created, &task.file)
}

/// Every reference to an id: in which task, and whether as a parent or a dependency.
fn referrers<'a>(
    all: &'a Listing<Front>,
    id: &'a TaskId,
) -> impl Iterator<Item = (usize, Key)> + 'a {
    all.tasks.iter().enumerate().flat_map(move |(place, task)| {
        let depends = task.content.dependencies.iter().any(|one| means(one, id));
        let belongs = task.content.parent.as_ref().is_some_and(|one| means(one, id));
        let depends = depends.then_some((place, Key::Dependencies));
        depends.into_iter().chain(belongs.then_some((place, Key::Parent)))
    })
}
