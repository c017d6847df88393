//! The values of `fallback`.

use jsonc_parser::ast::Value;

use super::backend::Backend;
use crate::config::decode::decoder::{Decode, Decoder};
use crate::config::decode::record::inline_schema;
use crate::limit::OFF;
use crate::text;

/// The agent program to use at a usage limit, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FallbackChoice {
    /// No fallback, also if one is named for a whole chain.
    Off,
    Backend(Backend),
}

impl FallbackChoice {
    /// All words.
    pub fn words() -> Vec<&'static str> {
        Backend::ALL.into_iter().map(Backend::word).chain([OFF]).collect()
    }

    /// The choice with this word.
    pub fn of_word(word: &str) -> Option<Self> {
        let backend = Backend::ALL.into_iter().find(|backend| backend.word() == word);
        backend.map(Self::Backend).or((word == OFF).then_some(Self::Off))
    }

    /// The back-end, unless there is no fallback.
    pub const fn backend(self) -> Option<Backend> {
        match self {
            Self::Off => None,
            Self::Backend(backend) => Some(backend),
        }
    }
}

impl Decode for FallbackChoice {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let words = Self::words();
        let word = decoder.string(value, &text::join_with_or(&text::quoted(&words)))?;
        let choice = Self::of_word(&word);
        if choice.is_none() {
            decoder.unknown_word(value, &word, &words);
        }
        choice
    }
}

inline_schema! {
    FallbackChoice => { "type": "string", "enum": FallbackChoice::words() },
}
