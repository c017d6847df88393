//! The numbers of new tasks, of which none is ever given twice.

use super::config::{CONFIG, HIGHEST_NUMBER, LAST_ID_NUMBER, render, with_value};
use super::file_name::{id_of, number_of};
use super::folder::Folder;
use super::look::Look;
use super::read::FrontReader;
use super::{ConfigState, DatabaseError, Writer};
use crate::{Prefix, TaskId};

impl Writer {
    /// The id that the next task should have. It is not taken yet.
    ///
    /// Without a `config.json` that counts, only an empty directory can be trusted to be new:
    /// elsewhere the task with the highest number may have been deleted.
    pub fn next_id(&self) -> Result<TaskId, DatabaseError> {
        let (folder, config) = (self.folder(), self.database().config());
        self.database().config.refuse_damaged(folder)?;
        let highest = highest_id(folder, &config.prefix)?;
        if let (Some((lacks, remedy)), Some(after)) = (self.lacks(), &highest) {
            let path = folder.path_of(CONFIG);
            return Err(DatabaseError::NoCounter { path, lacks, remedy, after: after.clone() });
        }
        let last = highest.map_or(0, |id| id.number()).max(config.last_id_number);
        if last >= HIGHEST_NUMBER {
            return Err(DatabaseError::NoNumbersLeft { path: folder.path().to_owned(), last });
        }
        Ok(TaskId::new(&config.prefix, last + 1, config.zero_padding))
    }

    /// Takes all numbers up to that of an id, for good. Whoever crashes before using it leaves a gap.
    pub fn take_id(&mut self, id: &TaskId) -> Result<(), DatabaseError> {
        let known = self.database().config().last_id_number;
        self.reread_config();
        self.database().config.refuse_damaged(self.folder())?;
        let path = self.folder().path_of(CONFIG);
        let last = self.database().config().last_id_number;
        if last >= id.number() && last != known {
            return Err(DatabaseError::Changed { path });
        }
        let text = match self.database().config_state() {
            ConfigState::Missing => render(&self.new_config()),
            _ => self.config_text().into_owned(),
        };
        let text = with_value(&text, LAST_ID_NUMBER, &last.max(id.number()).to_string())
            .map_err(|why| DatabaseError::Config { path, why })?;
        self.write_config(&text)
    }

    /// What there should be to count with, and the command that helps.
    fn lacks(&self) -> Option<(&'static str, &'static str)> {
        match self.database().config_state() {
            ConfigState::Missing => Some(("is missing", "forge-tasks init")),
            ConfigState::WithoutCounter => {
                Some(("has no lastIdNumber", "forge-tasks init --force"))
            }
            ConfigState::Read | ConfigState::Damaged(_) => None,
        }
    }
}

/// The id with the highest number there is, archived or not.
///
/// Names say it, so that the time for this hardly grows with the tasks. A file that is not called as
/// we would call it is opened only if it could be higher.
pub(super) fn highest_id(
    folder: &Folder,
    prefix: &Prefix,
) -> Result<Option<TaskId>, DatabaseError> {
    let look = Look::at_all(folder)?;
    let (ours, foreign): (Vec<_>, Vec<_>) = look
        .names
        .iter()
        .map(|name| (number_of(&name.file, prefix), name))
        .partition(|(number, _)| number.is_some());
    let highest = ours.iter().max_by_key(|(number, _)| *number);
    let mut highest = highest.and_then(|(_, name)| id_of(&name.file));
    let mut reader = FrontReader::new();
    for (_, name) in foreign {
        let is_higher = |id: &TaskId| highest.as_ref().is_none_or(|top| id.number() > top.number());
        let folder = look.folder(name.shelf);
        if id_of(&name.file).as_ref().is_none_or(is_higher)
            && let Some(Ok(front)) = folder.map(|folder| reader.read(folder, name))
        {
            highest = Some(front.id).filter(is_higher).or(highest);
        }
    }
    Ok(highest)
}
