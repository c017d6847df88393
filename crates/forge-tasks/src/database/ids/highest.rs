//! The highest number that any task has.

use super::highest_id;
use crate::database::files::directory_handle::{DirectoryHandle, Kind};
use crate::database::files::file_name::{id_of, is_usual, number_of};
use crate::database::files::list_files::{TaskFileName, TaskFileNames};
use crate::database::read::FrontReader;
use crate::database::{DatabaseError, TaskDirectory};
use crate::{IdPrefix, TaskId};

/// Up to this number of files all are read, whatever their names are.
pub(crate) const FEW: usize = 200;

/// The id with the highest number there is, archived or not.
///
/// If there are many tasks, their names are enough, so that the time hardly grows with their
/// number.
pub(crate) fn highest_id(
    folder: &DirectoryHandle,
    prefix: &IdPrefix,
) -> Result<Option<TaskId>, DatabaseError> {
    if let Some(id) = highest_id::highest(folder, prefix)? {
        return Ok(Some(id));
    }
    let look = TaskFileNames::at_all(folder)?;
    Ok(if look.names.len() <= FEW { of_all(&look, prefix) } else { by_names(&look, prefix) })
}

/// The same by the front matter and the name of every file, for a database without a counter.
pub(crate) fn highest_of_all(
    folder: &DirectoryHandle,
    prefix: &IdPrefix,
) -> Result<Option<TaskId>, DatabaseError> {
    Ok(of_all(&TaskFileNames::at_all(folder)?, prefix))
}

/// Opens only the files whose names are not reliable: those with an unusual name that could be
/// higher, and those that share a number, such as a file and its copy.
pub(crate) fn by_names(look: &TaskFileNames<'_>, prefix: &IdPrefix) -> Option<TaskId> {
    let mut opener = IdFileOpener::new(look);
    let mut ours: Vec<(u64, &TaskFileName)> = Vec::with_capacity(look.names.len());
    let mut foreign = Vec::new();
    for name in &look.names {
        match number_of(&name.file, prefix) {
            Some(number) => ours.push((number, name)),
            None => foreign.push(name),
        }
    }
    ours.sort_unstable_by_key(|(number, _)| *number);
    let mut highest = ours.last().and_then(|(_, name)| id_of(&name.file));
    for same in ours.chunk_by(|(one, _), (other, _)| one == other) {
        if same.len() > 1 || !is_usual(&same[0].1.file) {
            let ids = same.iter().filter_map(|(_, name)| opener.id_in(name));
            highest = ids.fold(highest, higher);
        }
    }
    for name in foreign {
        let is_above = |id: TaskId| highest.as_ref().is_none_or(|top| id.number() > top.number());
        if id_of(&name.file).is_none_or(is_above)
            && let Some(id) = opener.id_in(name)
        {
            highest = higher(highest, id);
        }
    }
    let is_ours = |id: &TaskId| id.prefix().eq_ignore_ascii_case(prefix.as_str());
    let strange = strange_names(look).filter(is_ours).chain(opener.ids_in_strange_files());
    strange.fold(highest, higher)
}

/// Opens all files. A name counts too, since the file may be broken, if it starts with a prefix
/// that is in use: `report-2026.md` is not a task because of its name alone.
pub(crate) fn of_all(look: &TaskFileNames<'_>, prefix: &IdPrefix) -> Option<TaskId> {
    let mut opener = IdFileOpener::new(look);
    let mut ids: Vec<TaskId> = look.names.iter().filter_map(|name| opener.id_in(name)).collect();
    ids.extend(opener.ids_in_strange_files());
    let mut prefixes: Vec<&str> = vec![prefix.as_str()];
    for id in &ids {
        if !prefixes.iter().any(|known| known.eq_ignore_ascii_case(id.prefix())) {
            prefixes.push(id.prefix());
        }
    }
    let is_ours =
        |id: &TaskId| prefixes.iter().any(|known| known.eq_ignore_ascii_case(id.prefix()));
    let names = look.names.iter().filter_map(|name| id_of(&name.file)).chain(strange_names(look));
    let highest_name = names.filter(is_ours).max_by_key(TaskId::number);
    ids.into_iter().fold(highest_name, higher)
}

fn higher(highest: Option<TaskId>, id: TaskId) -> Option<TaskId> {
    match highest {
        Some(top) if top.number() > id.number() => Some(top),
        _ => Some(id),
    }
}

/// The ids that names begin with which are not text.
fn strange_names<'a>(look: &'a TaskFileNames<'_>) -> impl Iterator<Item = TaskId> + 'a {
    look.strange.iter().filter_map(|(_, name)| id_of(&name.to_string_lossy()))
}

/// Opens files to see their ids.
struct IdFileOpener<'a> {
    look: &'a TaskFileNames<'a>,
    reader: FrontReader,
}

impl<'a> IdFileOpener<'a> {
    fn new(look: &'a TaskFileNames<'a>) -> Self {
        Self { look, reader: FrontReader::new() }
    }

    fn folder(&self, shelf: TaskDirectory) -> &'a DirectoryHandle {
        self.look.folder(shelf).expect("it is where the name was found")
    }

    fn id_in(&mut self, name: &TaskFileName) -> Option<TaskId> {
        let folder = self.folder(name.shelf);
        self.reader.read(folder, name).ok().map(|front| front.id)
    }

    fn ids_in_strange_files(&mut self) -> Vec<TaskId> {
        let files = self.look.strange.iter();
        let fronts = files.filter_map(|(shelf, name)| {
            let folder = self.look.folder(*shelf)?;
            self.reader.read_file(folder, name.as_c_str(), Kind::Unknown).ok()
        });
        fronts.map(|front| front.id).collect()
    }
}
