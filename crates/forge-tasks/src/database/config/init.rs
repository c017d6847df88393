//! Writing a new `config.json`, or mending one.

use super::{CONFIG, HIGHEST_NUMBER, LAST_ID_NUMBER, PREFIX, PROJECT_NAME};
use crate::database::config::{render_config, with_value};
use crate::database::id_counter::highest_of_all;
use crate::database::{
    ConfigState, DatabaseError, DatabaseWriter, TasksConfig, TasksConfigError, merged,
};
use crate::{IdPrefix, TaskId};

/// The settings for `config.json`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InitSettings {
    /// The letters before the numbers of new tasks.
    pub prefix: Option<IdPrefix>,
    pub project_name: Option<String>,
}

/// What to do with an existing `config.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingConfig {
    /// Leave it alone.
    No,
    /// Change it.
    Yes,
}

impl DatabaseWriter {
    /// Writes `config.json`. Numbers continue after the highest known one. Returns notes for the
    /// user, a line each.
    ///
    /// With force, an existing file gets the given settings and keeps the rest. A damaged one is
    /// kept under another name, since it may hold other data.
    pub fn init(
        &mut self,
        settings: &InitSettings,
        force: ExistingConfig,
    ) -> Result<Vec<String>, DatabaseError> {
        self.reread_config();
        match (self.database().config_state(), force) {
            (ConfigState::Missing, _) => self.begin(settings),
            (_, ExistingConfig::No) => {
                Err(DatabaseError::ConfigExists { path: self.folder().path_of(CONFIG) })
            }
            (ConfigState::Damaged(_), ExistingConfig::Yes) => self.mend(settings),
            (ConfigState::Read | ConfigState::WithoutCounter, ExistingConfig::Yes) => {
                self.change(settings)
            }
        }
    }

    /// Replaces the text of `config.json`, unless it could not be read then.
    pub(crate) fn replace_config(&mut self, text: &str) -> Result<(), DatabaseError> {
        self.reread_config();
        self.write_config(text)
    }

    /// Settles a merge conflict in `config.json` that only concerns the highest number, and returns
    /// a note; `None` if there is no such conflict.
    pub fn resolve_config_conflict(&mut self) -> Result<Option<String>, DatabaseError> {
        self.reread_config();
        let Some(text) = merged(&self.config_text()) else { return Ok(None) };
        self.write_config(&text)?;
        let last = self.database().config().last_id_number;
        Ok(Some(format!("{CONFIG}: settled the merge conflict; the last number is {last}")))
    }

    /// Writes the first one.
    fn begin(&mut self, settings: &InitSettings) -> Result<Vec<String>, DatabaseError> {
        let highest = highest_of_all(self.folder(), &IdPrefix::default())?;
        let note = self.database().config_state().counter_note(highest.as_ref());
        let config = with_settings(self.new_config_after(highest.as_ref()), settings);
        self.write_config(&render_config(&config))?;
        Ok(note.into_iter().collect())
    }

    /// Replaces a damaged file. Numbers continue after the last one that it names.
    fn mend(&mut self, settings: &InitSettings) -> Result<Vec<String>, DatabaseError> {
        let last = last_number_in(&self.config_text());
        let highest = highest_of_all(self.folder(), &IdPrefix::default())?;
        let mut config = self.new_config_after(highest.as_ref());
        config.last_id_number = config.last_id_number.max(last.unwrap_or_default());
        let config = with_settings(config, settings);
        let kept = self.keep_damaged_config()?;
        self.write_config(&render_config(&config))?;
        Ok(vec![
            format!(
                "{CONFIG} was damaged and is kept as {kept}; its settings are not in the new one"
            ),
            number_note(&config, last),
        ])
    }

    fn change(&mut self, settings: &InitSettings) -> Result<Vec<String>, DatabaseError> {
        let highest = highest_of_all(self.folder(), &self.database().config().prefix)?;
        let note = self.database().config_state().counter_note(highest.as_ref());
        let text = self
            .changed_text(settings, highest.as_ref())
            .map_err(|why| DatabaseError::Config { path: self.folder().path_of(CONFIG), why })?;
        self.write_config(&text)?;
        Ok(note.into_iter().collect())
    }

    fn changed_text(
        &self,
        settings: &InitSettings,
        highest: Option<&TaskId>,
    ) -> Result<String, TasksConfigError> {
        let json = |text: &str| serde_json::Value::from(text).to_string();
        let last = self.database().config().last_id_number;
        let last = last.max(highest.map_or(0, TaskId::number)).to_string();
        let mut text = with_value(&self.config_text(), LAST_ID_NUMBER, &last)?;
        if let Some(prefix) = &settings.prefix {
            text = with_value(&text, PREFIX, &json(prefix.as_str()))?;
        }
        if let Some(name) = &settings.project_name {
            text = with_value(&text, PROJECT_NAME, &json(name))?;
        }
        Ok(text)
    }
}

fn with_settings(config: TasksConfig, settings: &InitSettings) -> TasksConfig {
    TasksConfig {
        prefix: settings.prefix.clone().unwrap_or(config.prefix),
        project_name: settings.project_name.clone().or(config.project_name),
        ..config
    }
}

/// The highest number that a damaged config names, so that a new one does not go back.
pub(in crate::database) fn last_number_in(damaged: &str) -> Option<u64> {
    let values = damaged.split(LAST_ID_NUMBER).skip(1);
    let numbers = values.filter_map(|behind| {
        let value = behind.trim_start_matches(|c: char| c.is_whitespace() || "\"':".contains(c));
        let end = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
        value[..end].parse::<u64>().ok()
    });
    numbers.filter(|number| *number <= HIGHEST_NUMBER).max()
}

fn number_note(config: &TasksConfig, found: Option<u64>) -> String {
    let continues = match config.last_id_number {
        0 => "the numbers begin with 1".to_owned(),
        last => {
            let last = TaskId::new(&config.prefix, last, config.zero_padding);
            format!("the new one continues after {last}")
        }
    };
    match found {
        Some(_) => continues,
        None => format!("it had no lastIdNumber that could be read; {continues}"),
    }
}
