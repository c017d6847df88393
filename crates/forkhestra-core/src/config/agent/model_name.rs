//! Model names, with the rules of each agent program.

use jsonc_parser::ast::Value;
use serde_json::json;

use super::backend::Backend;
use crate::config::decode::decoder::{Decode, Decoder, ObjectKeys};
use crate::config::decode::record::inline_schema;
use crate::cost::PriceTable;
use crate::text;

/// The name of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelName(pub String);

/// The short names for the newest model of a Claude family.
const MODEL_FAMILIES: [&str; 3] = ["sonnet", "opus", "haiku"];

/// A Claude model id that is not a family name.
const CLAUDE_ID: &str = "^\\S*[-./:]\\S*$";

inline_schema! {
    ModelName => { "type": "string", "pattern": "^\\S+$" },
}

impl Decode for ModelName {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        decoder.string(value, "the name of a model").map(Self)
    }
}

/// Checks the model against its program's rules, if the program is known.
pub(crate) fn check_model(
    keys: &ObjectKeys<'_, '_>,
    backend: Option<Backend>,
    decoder: &mut Decoder,
) {
    let Some((name, span)) = keys.text("model").zip(keys.span("model")) else { return };
    let Some(misfit) = misfit(name, backend) else { return };
    let message =
        format!("`{}` must be {}, found {name:?}", decoder.path_to("model"), misfit.expected);
    decoder.error(span, message, "not a model").hints.extend(misfit.hint);
}

/// Why a name is not a model of an agent program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelMismatch {
    /// What the program accepts.
    pub expected: &'static str,
    /// What was probably meant.
    pub hint: Option<String>,
}

/// Compares a model name with its program's rules, if the program is known.
pub fn misfit(name: &str, backend: Option<Backend>) -> Option<ModelMismatch> {
    let is_one_word = !name.is_empty() && !name.contains(char::is_whitespace);
    if backend != Some(Backend::Claude) {
        let expected = "the name of a model, without white space";
        return (!is_one_word).then_some(ModelMismatch { expected, hint: None });
    }
    // Ids carry a version or a vendor, so they hold a separator; family names never do.
    let fits =
        is_one_word && (name.contains(['-', '.', '/', ':']) || MODEL_FAMILIES.contains(&name));
    (!fits).then(|| ModelMismatch {
        expected: "`sonnet`, `opus`, `haiku` or a full model id",
        hint: text::did_you_mean(name, MODEL_FAMILIES).or_else(|| other_backend(name)),
    })
}

/// Prefixes of model names of each agent program, as in the price table.
const BEGINNINGS: [(&str, Backend); 3] =
    [("claude-", Backend::Claude), ("gpt-", Backend::Codex), ("gemini-", Backend::Gemini)];

/// The agent program whose models have this name, if the name is known.
pub fn program_of_model(name: &str) -> Option<Backend> {
    if MODEL_FAMILIES.contains(&name) {
        return Some(Backend::Claude);
    }
    let known = PriceTable::shipped_name(name)?;
    BEGINNINGS.iter().find_map(|(begins, program)| known.starts_with(begins).then_some(*program))
}

/// The part of the same rules that the schema can express, for programs with rules of their own.
pub(crate) fn schema_of(backend: Backend) -> Option<serde_json::Value> {
    let id = json!({ "type": "string", "pattern": CLAUDE_ID });
    (backend == Backend::Claude).then(|| json!({ "anyOf": [{ "enum": MODEL_FAMILIES }, id] }))
}

/// A hint that the name may be a model of another program.
fn other_backend(name: &str) -> Option<String> {
    let is_one_word = !name.is_empty() && !name.contains(char::is_whitespace);
    is_one_word.then(|| {
        "if this is a model of another program, name that program with `backend`".to_owned()
    })
}
