//! The hook points at which a run calls the user's own commands.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::text;

/// When a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookPoint {
    /// Before each agent is started.
    PreIteration,
    /// After each agent has ended.
    PostIteration,
    /// Once, when everything is complete.
    OnComplete,
    /// Once, when the run stagnated.
    OnStagnation,
    /// Once, at any other end without completion.
    OnFailure,
    /// Once, when the run was interrupted.
    OnInterrupt,
    /// When a limit ends or delays the run.
    OnLimit,
    /// When a person is asked.
    OnQuestion,
}

/// Why a text is not a valid hook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HookParseError {
    #[error("is not of the form TYPE:COMMAND")]
    NoColon,
    #[error("has an unknown type `{typed}`; valid are {}", text::join_with_and(&HookPoint::names()))]
    UnknownPoint {
        /// The text before the colon.
        typed: String,
    },
    #[error("has no command after the colon")]
    NoCommand,
}

impl HookPoint {
    /// Every hook point.
    pub const ALL: [Self; 8] = [
        Self::PreIteration,
        Self::PostIteration,
        Self::OnComplete,
        Self::OnStagnation,
        Self::OnFailure,
        Self::OnInterrupt,
        Self::OnLimit,
        Self::OnQuestion,
    ];

    /// The name in config files and flags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PreIteration => "pre-iteration",
            Self::PostIteration => "post-iteration",
            Self::OnComplete => "on-complete",
            Self::OnStagnation => "on-stagnation",
            Self::OnFailure => "on-failure",
            Self::OnInterrupt => "on-interrupt",
            Self::OnLimit => "on-limit",
            Self::OnQuestion => "on-question",
        }
    }

    /// Whether something follows that a failing hook can prevent. For `on-limit`, that is the wait
    /// for the limit, for `on-question` the wait for the answer.
    pub const fn can_end_the_run(self) -> bool {
        matches!(self, Self::PreIteration | Self::PostIteration | Self::OnLimit | Self::OnQuestion)
    }

    /// Every name, for messages.
    pub fn names() -> [&'static str; 8] {
        Self::ALL.map(Self::name)
    }

    /// Finds a hook point by its name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|point| point.name() == name)
    }

    /// Parses `TYPE:COMMAND`, the value of a flag.
    pub fn parse_flag(text: &str) -> Result<(Self, String), HookParseError> {
        let (name, command) = text.split_once(':').ok_or(HookParseError::NoColon)?;
        let point = Self::from_name(name.trim())
            .ok_or_else(|| HookParseError::UnknownPoint { typed: name.trim().to_owned() })?;
        match command.trim() {
            "" => Err(HookParseError::NoCommand),
            command => Ok((point, command.to_owned())),
        }
    }
}

impl fmt::Display for HookPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for HookPoint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for HookPoint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Self::from_name(&name)
            .ok_or_else(|| de::Error::custom(format_args!("`{name}` is not a hook type")))
    }
}

impl JsonSchema for HookPoint {
    fn schema_name() -> Cow<'static, str> {
        "HookName".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Self::names() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_and_invalid_hooks() {
        let hook = |point, command: &str| Ok((point, command.to_owned()));
        let unknown = |typed: &str| Err(HookParseError::UnknownPoint { typed: typed.to_owned() });
        let table = [
            ("on-complete:./notify.sh", hook(HookPoint::OnComplete, "./notify.sh")),
            ("pre-iteration: echo a:b", hook(HookPoint::PreIteration, "echo a:b")),
            ("./notify.sh", Err(HookParseError::NoColon)),
            ("on-success:./x", unknown("on-success")),
            ("on-limit:", Err(HookParseError::NoCommand)),
        ];
        for (text, expected) in table {
            assert_eq!(HookPoint::parse_flag(text), expected, "{text:?}");
        }
    }

    #[test]
    fn every_hook_point_is_found_by_its_name() {
        for point in HookPoint::ALL {
            assert_eq!(HookPoint::from_name(point.name()), Some(point));
        }
    }
}
