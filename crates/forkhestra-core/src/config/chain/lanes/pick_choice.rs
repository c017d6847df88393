//! The values of `pick`.

use jsonc_parser::ast::Value;

use crate::config::decode::decoder::{Decode, Decoder};
use crate::config::decode::record::inline_schema;
use crate::text;

/// Which lane of best of N lands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PickChoice {
    /// The first one that is complete.
    First,
    /// The one with the lowest cost.
    Cheapest,
    /// The one with the smallest diff.
    Smallest,
    /// The one for which a script prints the largest number.
    Script(String),
}

const WORDS: [&str; 3] = ["first", "cheapest", "smallest"];

impl Decode for PickChoice {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let expected = "`first`, `cheapest`, `smallest` or the path of a script";
        let text = decoder.string(value, expected)?;
        match text.as_str() {
            "first" => Some(Self::First),
            "cheapest" => Some(Self::Cheapest),
            "smallest" => Some(Self::Smallest),
            // A word without a directory and an extension is more likely misspelt than a script.
            path if path.contains(['/', '.']) => Some(Self::Script(text)),
            word => {
                let hint = text::did_you_mean(word, WORDS);
                decoder.mismatch(value, expected).hints.extend(hint);
                None
            }
        }
    }
}

inline_schema! {
    PickChoice => { "anyOf": [{ "enum": WORDS }, { "type": "string", "pattern": "[/.]" }] },
}
