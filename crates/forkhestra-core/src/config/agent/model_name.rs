//! Model names, with the rules of each agent program.

use jsonc_parser::ast::Value;
use serde_json::json;

use super::backend::Backend;
use super::backend_facts::ModelFacts;
use crate::config::decode::decoder::{Decode, Decoder, ObjectKeys};
use crate::config::decode::record::inline_schema;
use crate::cost::PriceTable;
use crate::text;

/// The name of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelName(pub String);

/// A model id that is not the name of a family.
const MODEL_ID: &str = "^\\S*[-./:]\\S*$";

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
    let Some(misfit) = model_mismatch(name, backend) else { return };
    let message =
        format!("`{}` must be {}, found {name:?}", decoder.path_to("model"), misfit.expected);
    decoder.error(span, message, "not a model").hints.extend(misfit.hint);
}

/// Why a name is not a model of an agent program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelMismatch {
    /// What the program accepts.
    pub expected: String,
    /// What was probably meant.
    pub hint: Option<String>,
}

/// Compares a model name with its program's rules, if the program is known.
pub fn model_mismatch(name: &str, backend: Option<Backend>) -> Option<ModelMismatch> {
    let is_one_word = !name.is_empty() && !name.contains(char::is_whitespace);
    let families = backend.map_or(&[][..], |backend| backend.facts().models.families);
    // Ids have a version or a vendor, so they have a separator. Names of families have none.
    let is_id = families.is_empty() || name.contains(['-', '.', '/', ':']);
    if is_one_word && (is_id || families.contains(&name)) {
        return None;
    }
    if families.is_empty() {
        let expected = "the name of a model, without white space".to_owned();
        return Some(ModelMismatch { expected, hint: None });
    }
    let mut expected = text::quoted(families);
    expected.push("a full model id".to_owned());
    let other = "if this is a model of another program, name that program with `backend`";
    let hint = text::did_you_mean(name, families.iter().copied());
    let hint = hint.or_else(|| is_one_word.then(|| other.to_owned()));
    Some(ModelMismatch { expected: text::join_with_or(&expected), hint })
}

/// The agent program whose models have this name, if the name is known.
pub fn program_of_model(name: &str) -> Option<Backend> {
    let find = |is_of: &dyn Fn(&ModelFacts) -> bool| {
        Backend::ALL.into_iter().find(|backend| is_of(&backend.facts().models))
    };
    find(&|models| models.families.contains(&name)).or_else(|| {
        let known = PriceTable::shipped_name(name)?;
        find(&|models| models.prefix.is_some_and(|prefix| known.starts_with(prefix)))
    })
}

/// The part of the same rules that the schema can express, for programs with rules of their own.
pub(crate) fn schema_of(backend: Backend) -> Option<serde_json::Value> {
    let families = backend.facts().models.families;
    let id = json!({ "type": "string", "pattern": MODEL_ID });
    (!families.is_empty()).then(|| json!({ "anyOf": [{ "enum": families }, id] }))
}
