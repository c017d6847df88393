//! Writing a new `config.json`, or mending one.

use super::config::{CONFIG, LAST_ID_NUMBER, PREFIX, PROJECT_NAME};
use super::config::{last_number_in, render, with_value};
use super::counter::highest_id;
use super::{Config, ConfigError, ConfigState, DatabaseError, Writer, merged};
use crate::{Prefix, TaskId};

/// What `config.json` should say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InitSettings {
    /// The letters before the numbers of new tasks.
    pub prefix: Option<Prefix>,
    /// What the project is called.
    pub project_name: Option<String>,
}

/// What to do with a `config.json` that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Force {
    /// Leave it alone.
    No,
    /// Change it.
    Yes,
}

impl Writer {
    /// Writes `config.json`. The numbers go on after the highest that is known of.
    ///
    /// With force, one that is there gets what is given, and keeps the rest. One that is damaged is
    /// kept under another name, since something else may be in it.
    pub fn init(&mut self, settings: &InitSettings, force: Force) -> Result<(), DatabaseError> {
        self.reread_config();
        let prefix = self.database().config().prefix.clone();
        let highest = highest_id(self.folder(), &prefix)?;
        let text = match (self.database().config_state(), force) {
            (ConfigState::Missing, _) => self.new_text(settings, highest.as_ref()),
            (_, Force::No) => {
                return Err(DatabaseError::ConfigExists { path: self.folder().path_of(CONFIG) });
            }
            (ConfigState::Damaged(_), Force::Yes) => {
                let text = self.new_text(settings, highest.as_ref());
                self.keep_damaged_config()?;
                text
            }
            (ConfigState::Read | ConfigState::WithoutCounter, Force::Yes) => {
                self.changed_text(settings, highest.as_ref()).map_err(|why| {
                    DatabaseError::Config { path: self.folder().path_of(CONFIG), why }
                })?
            }
        };
        self.write_config(&text)
    }

    /// Settles a merge conflict in `config.json` that is only about the highest number, and says so;
    /// none if there is none of this kind.
    pub fn settle_config(&mut self) -> Result<Option<String>, DatabaseError> {
        self.reread_config();
        let Some(text) = merged(&self.config_text()) else { return Ok(None) };
        self.write_config(&text)?;
        let last = self.database().config().last_id_number;
        Ok(Some(format!("{CONFIG}: settled the merge conflict; the last number is {last}")))
    }

    /// A new text. Whatever the old one, if any, still says of numbers is heeded.
    fn new_text(&self, settings: &InitSettings, highest: Option<&TaskId>) -> String {
        let new = self.new_config();
        let in_use = highest.and_then(|id| Prefix::parse(id.prefix()).ok());
        let known = last_number_in(&self.config_text()).unwrap_or_default();
        render(&Config {
            prefix: settings.prefix.clone().or(in_use).unwrap_or(new.prefix),
            project_name: settings.project_name.clone().or(new.project_name),
            last_id_number: known.max(highest.map_or(0, TaskId::number)),
            ..new
        })
    }

    fn changed_text(
        &self,
        settings: &InitSettings,
        highest: Option<&TaskId>,
    ) -> Result<String, ConfigError> {
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
