//! Serialization of event values in JSON lines.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::end::StepEnd;

/// A duration in whole milliseconds. Fractions are dropped.
pub(crate) struct Milliseconds;

impl Milliseconds {
    pub(crate) fn serialize<S: Serializer>(
        duration: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(duration.as_millis().try_into().unwrap_or(u64::MAX))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_millis)
    }
}

impl JsonSchema for Milliseconds {
    fn schema_name() -> Cow<'static, str> {
        u64::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        u64::json_schema(generator)
    }
}

/// Whether a member is left out of the JSON.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Gives newtypes of a string the schema of a string.
macro_rules! text_schema {
    ($($Type:ty),*) => {$(
        impl schemars::JsonSchema for $Type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                <String as schemars::JsonSchema>::schema_name()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <String as schemars::JsonSchema>::json_schema(generator)
            }
        }
    )*};
}

pub(crate) use text_schema;

/// Defines how the single value of a variant is written: as an object with one member.
macro_rules! member {
    ($($(#[doc = $doc:literal])* $Name:ident { $member:ident })*) => {$(
        #[derive(Serialize, Deserialize, JsonSchema)]
        pub(super) struct $Name<T> {
            $(#[doc = $doc])*
            $member: T,
        }

        impl<T> $Name<T> {
            pub(super) fn serialize<S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
            where
                T: Serialize,
            {
                Serialize::serialize(&$Name { $member: value }, serializer)
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error>
            where
                T: Deserialize<'de>,
            {
                <Self as Deserialize<'de>>::deserialize(deserializer).map(|read| read.$member)
            }
        }
    )*};
}

member! {
    /// The completion signal.
    CompletedBy { by }
    /// The cause.
    CancelledBy { by }
    /// The exit code.
    ExitCode { code }
    /// The number of the signal.
    SignalNumber { signal }
    /// How it ended.
    FailedEnd { end }
    /// The number of iterations.
    ForIterations { iterations }
    /// The number of rounds.
    AfterRounds { rounds }
    /// The reason.
    BecauseWhy { why }
    /// The tasks and the reason.
    BlockedTasks { why }
    /// The outcome.
    BlockedBy { outcome }
    /// The command.
    HookCommand { command }
}

/// Defines how the end of a step is written: behind its reason in one word, which is not parsed.
macro_rules! end_with_reason {
    ($($(#[doc = $doc:literal])* $Name:ident)*) => {$(
        #[derive(Serialize, Deserialize, JsonSchema)]
        pub(super) struct $Name<'a> {
            $(#[doc = $doc])*
            reason: Cow<'a, str>,
            /// How it ended.
            end: Cow<'a, StepEnd>,
        }

        impl $Name<'_> {
            pub(super) fn serialize<S: Serializer>(end: &StepEnd, serializer: S) -> Result<S::Ok, S::Error> {
                let written = $Name { reason: Cow::Borrowed(end.as_str()), end: Cow::Borrowed(end) };
                Serialize::serialize(&written, serializer)
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<StepEnd, D::Error> {
                <Self as Deserialize<'de>>::deserialize(deserializer).map(|read| read.end.into_owned())
            }
        }
    )*};
}

end_with_reason! {
    /// The reason in one word, as in summaries. It follows from `end`.
    EndOfStep
    /// The reason of that step's end in one word.
    EndOfIncomplete
}

/// Defines an enum of words, each written in lower case with underscores, and a method that returns
/// the word.
macro_rules! words {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($Derived:ident),*)])?
        $Name:ident($word:ident) { $($(#[$about:meta])* $Variant:ident = $text:literal,)* }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, $($($Derived,)*)? serde::Serialize, serde::Deserialize)]
        pub enum $Name {
            $($(#[$about])* #[serde(rename = $text)] $Variant,)*
        }

        impl $Name {
            /// All values.
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$Variant),*];

            /// The word in events.
            pub const fn $word(self) -> &'static str {
                match self {
                    $(Self::$Variant => $text,)*
                }
            }
        }

        impl schemars::JsonSchema for $Name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($Name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "description": concat!($($doc),*).trim(),
                    "type": "string",
                    "enum": Self::ALL,
                })
            }
        }
    };
}

pub(crate) use words;
