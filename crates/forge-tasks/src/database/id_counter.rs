//! Assigns the numbers of new tasks. No number is assigned twice.

use std::collections::HashMap;

use crate::database::config::{
    CONFIG, HIGHEST_NUMBER, LAST_ID_NUMBER, read_config, render_config, with_value,
};
use crate::database::files::directory_handle::{DirectoryHandle, Kind};
use crate::database::files::file_name::{id_of, is_usual};
use crate::database::files::list_files::{TaskFileName, TaskFileNames};
use crate::database::read::FrontReader;
use crate::database::{ConfigState, DatabaseError, DatabaseWriter, TasksConfig};
use crate::{IdPrefix, TaskId};

/// How often a number is written to a `config.json` that changes without the lock.
const MAX_TRIES: usize = 5;

impl DatabaseWriter {
    /// The id that the next task should have. It is not taken yet.
    pub fn next_id(&self) -> Result<TaskId, DatabaseError> {
        let folder = self.folder();
        self.database().config.refuse_damaged(folder)?;
        let (config, highest) = self.counted()?;
        let own = highest.map_or(0, |id| id.number()).max(config.last_id_number);
        // A number on another branch that leaves none for us does not count.
        let elsewhere = self.highest_elsewhere;
        let last = if elsewhere < HIGHEST_NUMBER { own.max(elsewhere) } else { own };
        if last >= HIGHEST_NUMBER {
            return Err(DatabaseError::no_numbers_left(folder.path(), last));
        }
        Ok(TaskId::new(&config.prefix, last + 1, config.zero_padding))
    }

    /// New tasks get numbers above this one, which a task has on another branch.
    pub fn number_after(&mut self, highest: u64) {
        self.highest_elsewhere = highest;
    }

    /// Takes all numbers up to that of an id. A crash before the id is used leaves a gap.
    pub fn take_id(&mut self, id: &TaskId) -> Result<(), DatabaseError> {
        let known = self.database().config().last_id_number;
        let mut tries = 1;
        loop {
            match self.try_to_take(id, known) {
                Err(DatabaseError::Changed { .. }) if tries < MAX_TRIES => tries += 1,
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
        let state = self.database().config_state().clone();
        let (text, highest) = match state {
            ConfigState::Missing => {
                let (config, highest) = self.counted()?;
                (render_config(&config), highest)
            }
            ConfigState::WithoutCounter => (self.config_text().into_owned(), self.counted()?.1),
            _ => (self.config_text().into_owned(), None),
        };
        let number = last.max(id.number()).max(highest.as_ref().map_or(0, TaskId::number));
        let text = with_value(&text, LAST_ID_NUMBER, &number.to_string())
            .map_err(|why| DatabaseError::Config { path, why })?;
        self.write_config(&text)?;
        let note = state.counter_note(highest.as_ref());
        self.counter_note = note.or(self.counter_note.take());
        Ok(())
    }

    /// The config for new tasks, and the highest id. Without a counter every file is read.
    fn counted(&self) -> Result<(TasksConfig, Option<TaskId>), DatabaseError> {
        let (folder, config) = (self.folder(), self.database().config());
        Ok(match self.database().config_state() {
            ConfigState::Missing => {
                let highest = highest_of_all(folder, &config.prefix)?;
                (self.new_config_after(highest.as_ref()), highest)
            }
            ConfigState::WithoutCounter => {
                (config.clone(), highest_of_all(folder, &config.prefix)?)
            }
            _ => (config.clone(), highest_id(folder, &config.prefix)?),
        })
    }
}

/// The highest assigned number in the bytes of a `config.json`.
pub(crate) fn last_number_of(config: &[u8]) -> Option<u64> {
    let text = str::from_utf8(config).ok()?;
    Some(read_config(text).ok()?.config.last_id_number)
}

/// Up to this number of files all are read, whatever their names are.
const READ_ALL_LIMIT: usize = 200;

/// The id with the highest number there is, archived or not.
///
/// If there are many tasks, their names are enough, so that the time hardly grows with their
/// number.
fn highest_id(
    folder: &DirectoryHandle,
    prefix: &IdPrefix,
) -> Result<Option<TaskId>, DatabaseError> {
    let listing = TaskFileNames::at_all(folder)?;
    let opened = if listing.names.len() <= READ_ALL_LIMIT {
        OpenedFiles::All
    } else {
        OpenedFiles::Unreliable
    };
    Ok(highest(&listing, prefix, opened))
}

/// The same by the front matter and the name of every file, for a database without a counter.
pub(crate) fn highest_of_all(
    folder: &DirectoryHandle,
    prefix: &IdPrefix,
) -> Result<Option<TaskId>, DatabaseError> {
    Ok(highest(&TaskFileNames::at_all(folder)?, prefix, OpenedFiles::All))
}

/// The files that are opened to read their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenedFiles {
    All,
    /// Those with an unusual name or another prefix, and those that share a number, such as a file
    /// and its copy.
    Unreliable,
}

/// The highest id in names and opened files. A name counts, since the file may be broken, if it
/// starts with a prefix that is in use: `report-2026.md` is not a task because of its name alone.
pub(crate) fn highest(
    listing: &TaskFileNames<'_>,
    prefix: &IdPrefix,
    opened: OpenedFiles,
) -> Option<TaskId> {
    let has_prefix = |id: &TaskId, prefix: &str| id.prefix().eq_ignore_ascii_case(prefix);
    let mut named: Vec<TaskId> = Vec::with_capacity(listing.names.len());
    let mut times: HashMap<u64, usize> = HashMap::with_capacity(listing.names.len());
    for id in listing.names.iter().filter_map(|name| id_of(&name.file)) {
        *times.entry(id.number()).or_default() += 1;
        named.push(id);
    }
    let is_reliable = |name: &TaskFileName| {
        let id = id_of(&name.file).filter(|id| has_prefix(id, prefix.as_str()));
        is_usual(&name.file) && id.is_some_and(|id| times[&id.number()] == 1)
    };
    let mut reader = FrontReader::new();
    let mut read: Vec<TaskId> = Vec::new();
    for name in &listing.names {
        if opened == OpenedFiles::All || !is_reliable(name) {
            let folder = listing.folder(name.directory).expect("it is where the name was found");
            read.extend(reader.read(folder, name).ok().map(|front| front.id));
        }
    }
    for (directory, name) in &listing.non_utf8 {
        named.extend(id_of(&name.to_string_lossy()));
        let folder = listing.folder(*directory).expect("it is where the name was found");
        let front = reader.read_file(folder, name.as_c_str(), Kind::Unknown);
        read.extend(front.ok().map(|front| front.id));
    }
    let mut prefixes: Vec<&str> = vec![prefix.as_str()];
    for id in &read {
        if !prefixes.iter().any(|known| has_prefix(id, known)) {
            prefixes.push(id.prefix());
        }
    }
    named.retain(|id| prefixes.iter().any(|known| has_prefix(id, known)));
    named.into_iter().chain(read.clone()).max_by_key(TaskId::number)
}
