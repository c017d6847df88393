//! Assigns the numbers of new tasks. No number is assigned twice.

use crate::database::config::{CONFIG, HIGHEST_NUMBER, LAST_ID_NUMBER, render_config, with_value};
use crate::database::files::directory_handle::{DirectoryHandle, Kind};
use crate::database::files::file_name::{id_of, is_usual, number_of};
use crate::database::files::list_files::{TaskFileName, TaskFileNames};
use crate::database::read::FrontReader;
use crate::database::{ConfigState, DatabaseError, DatabaseWriter, TaskDirectory, TasksConfig};
use crate::{IdPrefix, TaskId};

/// How often a number is written to a `config.json` that changes without the lock.
const TRIES: usize = 5;

/// Why it is not known which numbers were given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CounterProblem {
    Config,
    Counter,
}

impl CounterProblem {
    /// The note for the user; `None` for a new database without tasks.
    pub(crate) fn note(self, highest: Option<&TaskId>) -> Option<String> {
        let highest = highest?;
        Some(match self {
            Self::Config => format!("{CONFIG} was missing; the new one continues after {highest}"),
            Self::Counter => format!("{CONFIG} had no lastIdNumber; it continues after {highest}"),
        })
    }
}

impl DatabaseWriter {
    /// The id that the next task should have. It is not taken yet.
    pub fn next_id(&self) -> Result<TaskId, DatabaseError> {
        let folder = self.folder();
        self.database().config.refuse_damaged(folder)?;
        let (config, highest) = self.counted()?;
        let last = highest.map_or(0, |id| id.number()).max(config.last_id_number);
        if last >= HIGHEST_NUMBER {
            return Err(DatabaseError::no_numbers_left(folder.path(), last));
        }
        Ok(TaskId::new(&config.prefix, last + 1, config.zero_padding))
    }

    /// Takes all numbers up to that of an id. A crash before the id is used leaves a gap.
    pub fn take_id(&mut self, id: &TaskId) -> Result<(), DatabaseError> {
        let known = self.database().config().last_id_number;
        let mut tries = 1;
        loop {
            match self.try_to_take(id, known) {
                Err(DatabaseError::Changed { .. }) if tries < TRIES => tries += 1,
                taken => return taken,
            }
        }
    }

    /// A note about the counter after an id was taken: the counter was missing, and which id it
    /// continues after.
    pub fn counter_note(&self) -> Option<String> {
        self.counter_note.clone()
    }

    fn try_to_take(&mut self, id: &TaskId, known: u64) -> Result<(), DatabaseError> {
        self.reread_config();
        self.database().config.refuse_damaged(self.folder())?;
        let path = self.folder().path_of(CONFIG);
        let last = self.database().config().last_id_number;
        if last >= id.number() && last != known {
            return Err(DatabaseError::Changed { path });
        }
        if id.number() > HIGHEST_NUMBER {
            return Err(DatabaseError::no_numbers_left(self.folder().path(), last));
        }
        let lacks = self.counter_lacks();
        let (text, highest) = match lacks {
            None => (self.config_text().into_owned(), None),
            Some(CounterProblem::Counter) => (self.config_text().into_owned(), self.counted()?.1),
            Some(CounterProblem::Config) => {
                let (config, highest) = self.counted()?;
                (render_config(&config), highest)
            }
        };
        let number = last.max(id.number()).max(highest.as_ref().map_or(0, TaskId::number));
        let text = with_value(&text, LAST_ID_NUMBER, &number.to_string())
            .map_err(|why| DatabaseError::Config { path, why })?;
        self.write_config(&text)?;
        let note = lacks.and_then(|lacks| lacks.note(highest.as_ref()));
        self.counter_note = note.or(self.counter_note.take());
        Ok(())
    }

    /// The config for new tasks, and the highest id. Without a counter every file is read.
    fn counted(&self) -> Result<(TasksConfig, Option<TaskId>), DatabaseError> {
        let (folder, config) = (self.folder(), self.database().config());
        let highest = match self.counter_lacks() {
            None => highest_id(folder, &config.prefix)?,
            Some(_) => highest_of_all(folder, &config.prefix)?,
        };
        let config = match self.counter_lacks() {
            Some(CounterProblem::Config) => self.new_config_after(highest.as_ref()),
            _ => config.clone(),
        };
        Ok((config, highest))
    }

    /// Why it is not known which numbers were given, if it is not.
    pub(crate) fn counter_lacks(&self) -> Option<CounterProblem> {
        match self.database().config_state() {
            ConfigState::Missing => Some(CounterProblem::Config),
            ConfigState::WithoutCounter => Some(CounterProblem::Counter),
            ConfigState::Read | ConfigState::Damaged(_) => None,
        }
    }
}

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
    let listing = TaskFileNames::at_all(folder)?;
    Ok(if listing.names.len() <= FEW {
        of_all(&listing, prefix)
    } else {
        by_names(&listing, prefix)
    })
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
pub(crate) fn by_names(listing: &TaskFileNames<'_>, prefix: &IdPrefix) -> Option<TaskId> {
    let mut opener = IdFileOpener::new(listing);
    let mut ours: Vec<(u64, &TaskFileName)> = Vec::with_capacity(listing.names.len());
    let mut foreign = Vec::new();
    for name in &listing.names {
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
    let non_utf8 = non_utf8_names(listing).filter(is_ours).chain(opener.ids_in_non_utf8_files());
    non_utf8.fold(highest, higher)
}

/// Opens all files. A name counts too, since the file may be broken, if it starts with a prefix
/// that is in use: `report-2026.md` is not a task because of its name alone.
pub(crate) fn of_all(listing: &TaskFileNames<'_>, prefix: &IdPrefix) -> Option<TaskId> {
    let mut opener = IdFileOpener::new(listing);
    let mut ids: Vec<TaskId> = listing.names.iter().filter_map(|name| opener.id_in(name)).collect();
    ids.extend(opener.ids_in_non_utf8_files());
    let mut prefixes: Vec<&str> = vec![prefix.as_str()];
    for id in &ids {
        if !prefixes.iter().any(|known| known.eq_ignore_ascii_case(id.prefix())) {
            prefixes.push(id.prefix());
        }
    }
    let is_ours =
        |id: &TaskId| prefixes.iter().any(|known| known.eq_ignore_ascii_case(id.prefix()));
    let names =
        listing.names.iter().filter_map(|name| id_of(&name.file)).chain(non_utf8_names(listing));
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
fn non_utf8_names<'a>(listing: &'a TaskFileNames<'_>) -> impl Iterator<Item = TaskId> + 'a {
    listing.non_utf8.iter().filter_map(|(_, name)| id_of(&name.to_string_lossy()))
}

/// Opens files to see their ids.
struct IdFileOpener<'a> {
    listing: &'a TaskFileNames<'a>,
    reader: FrontReader,
}

impl<'a> IdFileOpener<'a> {
    fn new(listing: &'a TaskFileNames<'a>) -> Self {
        Self { listing, reader: FrontReader::new() }
    }

    fn folder(&self, directory: TaskDirectory) -> &'a DirectoryHandle {
        self.listing.folder(directory).expect("it is where the name was found")
    }

    fn id_in(&mut self, name: &TaskFileName) -> Option<TaskId> {
        let folder = self.folder(name.directory);
        self.reader.read(folder, name).ok().map(|front| front.id)
    }

    fn ids_in_non_utf8_files(&mut self) -> Vec<TaskId> {
        let files = self.listing.non_utf8.iter();
        let fronts = files.filter_map(|(directory, name)| {
            let folder = self.listing.folder(*directory)?;
            self.reader.read_file(folder, name.as_c_str(), Kind::Unknown).ok()
        });
        fronts.map(|front| front.id).collect()
    }
}
