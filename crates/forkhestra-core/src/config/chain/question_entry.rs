//! The config entry of a question to a person.

use jsonc_parser::ast::Value;
use schemars::{Schema, json_schema};

use super::alternative_entries::AlternativeEntries;
use super::flow_check_validation::validate_condition;
use super::lanes::lane_keys;
use super::refused_keys::refuse_key_of_another_kind;
use crate::config::checks::CheckEntry;
use crate::config::decode::decoder::{Decoder, ObjectKeys};
use crate::config::decode::record::{choice, record};
use crate::config::decode::shorthand::Shorthand;
use crate::diagnostic::source::Spanned;
use crate::limit::{HumanDuration, Limit};

record! {
    /// A question to a person, who approves or denies.
    pub struct QuestionEntry is "a question", validated by validate, constrained by constraints,
        reporting REPORTED_BY_VALIDATION {
        /// The text of the question; an empty one is no text, as in a chain in one line.
        "ask" => ask: Option<Spanned<String>>,
        /// How long to wait for an answer; no limit by default.
        "timeout" => timeout: Option<Spanned<Limit<HumanDuration>>>,
        /// The answer when the timeout expires; `deny` by default.
        "onTimeout" => on_timeout: Option<Spanned<OnQuestionTimeout>>,
        /// A check that decides whether the question is asked; if it does not pass, the chain goes
        /// on.
        "if" => condition: Option<Spanned<Shorthand<CheckEntry>>>,
        /// What runs after a denial: an entry, or an array of entries.
        "else" => alternative: Option<Spanned<AlternativeEntries>>,
    }
}

choice! {
    /// The answer to a question that is not answered in time.
    pub enum OnQuestionTimeout {
        /// It is denied.
        Deny = "deny",
        /// It is approved.
        Approve = "approve",
    }
}

impl QuestionEntry {
    /// A question with the settings that a chain in one line has.
    pub(crate) const fn without_text() -> Self {
        Self { ask: None, timeout: None, on_timeout: None, condition: None, alternative: None }
    }
}

/// Keys that validation reports, so that they are not reported as unknown.
const REPORTED_BY_VALIDATION: [&str; 12] = [
    "agent",
    "group",
    "parallel",
    "iterations",
    "rounds",
    "lanes",
    "best",
    "pick",
    "lane",
    "checks",
    "cleanRoom",
    "limits",
];

/// The keys of steps and groups whose loss would change what an approval means, with a hint.
const KEYS_OF_WORK: [(&str, &str); 3] = [
    ("checks", "give the checks to a group around the question, with `rounds`"),
    ("cleanRoom", "a group around the question has `cleanRoom`, with `rounds` and `checks`"),
    ("limits", "the time for an answer is `timeout`"),
];

fn validate(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    validate_condition(keys, decoder);
    for (key, hint) in KEYS_OF_WORK {
        let Some(span) = keys.key_span(key) else { continue };
        let message = format!("`{}`: a question has no `{key}`", decoder.path_to(key));
        decoder.error(span, message, "not for a question").hints.push(hint.to_owned());
    }
    lane_keys::refuse_for_question(keys, decoder);
    let ask_again = "to ask again after a denial, put it into a group with `rounds`";
    for (key, kind) in [("iterations", "agent"), ("rounds", "group")] {
        refuse_key_of_another_kind(keys, key, kind, ask_again, decoder);
    }
    let is_off = |value: &Value<'_>| matches!(value, Value::StringLit(text) if text.value == "off");
    let is_limited = keys.value("timeout").is_some_and(|timeout| !is_off(timeout));
    if let Some(span) = keys.span("onTimeout").filter(|_| !is_limited) {
        let message = format!("`{}` has no effect", decoder.path_to("onTimeout"));
        let warning = decoder.warning(span, message, "the question waits without a limit");
        warning.hints.push("set `timeout`, as in \"8h\"".to_owned());
    }
}

/// A question of a config file has a text.
fn constraints() -> Schema {
    json_schema!({ "required": ["ask"] })
}
