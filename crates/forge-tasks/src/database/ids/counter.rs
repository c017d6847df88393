//! Assigns the numbers of new tasks. No number is assigned twice.

use super::highest::{highest_id, highest_of_all};
use crate::TaskId;
use crate::database::config::{CONFIG, HIGHEST_NUMBER, LAST_ID_NUMBER, render, with_value};
use crate::database::{ConfigState, DatabaseError, DatabaseWriter, TasksConfig};

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
            return Err(DatabaseError::NoNumbersLeft { path: folder.path().to_owned(), last });
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
            let path = self.folder().path().to_owned();
            return Err(DatabaseError::NoNumbersLeft { path, last });
        }
        let lacks = self.counter_lacks();
        let (text, highest) = match lacks {
            None => (self.config_text().into_owned(), None),
            Some(CounterProblem::Counter) => (self.config_text().into_owned(), self.counted()?.1),
            Some(CounterProblem::Config) => {
                let (config, highest) = self.counted()?;
                (render(&config), highest)
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
