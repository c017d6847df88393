//! The config entry of a group.

use schemars::{Schema, json_schema};
use serde_json::json;

use super::alternative_entries::AlternativeEntries;
use super::flow_check_validation::{validate_condition, validate_round_checks};
use super::lanes::lane_entry::LaneEntry;
use super::lanes::lane_keys;
use super::refused_keys::refuse_key_of_another_kind;
use super::stage_entries::StageEntries;
use crate::config::checks::CheckEntry;
use crate::config::clean_room::CleanRoomEntry;
use crate::config::decode::decoder::{Decoder, ObjectKeys};
use crate::config::decode::record::record;
use crate::config::decode::shorthand::Shorthand;
use crate::config::limits::Limits;
use crate::diagnostic::source::{Span, Spanned};
use crate::text::count::Count;
use crate::text::lane_count::LaneCount;

record! {
    /// Stages that are one stage of a chain, and may be repeated.
    pub struct GroupEntry is "a group", validated by validate, constrained by constraints,
        reporting REPORTED_BY_VALIDATION {
        /// What runs, in this order: an array of entries, or a chain in one line.
        "group" => group: Spanned<StageEntries>,
        /// Repeat the group up to this many times, until its last entry accepts and its checks
        /// pass; without it the group runs once.
        "rounds" => rounds: Option<Spanned<Count>>,
        /// How many rounds run at once, each in a lane: a clone of the repository.
        "lanes" => lanes: Option<Spanned<LaneCount>>,
        /// What the lanes of the group, or those in it, are made with.
        "lane" => lane: Option<Spanned<LaneEntry>>,
        /// What must hold before a round is accepted.
        "checks" => checks: Option<Spanned<Vec<Spanned<Shorthand<CheckEntry>>>>>,
        /// Whether the checks of the group run on the committed files, in a separate checkout (clean room).
        "cleanRoom" => clean_room: Option<Spanned<CleanRoomEntry>>,
        /// Limits for all rounds together.
        "limits" => limits: Option<Spanned<Limits>>,
        /// A check that decides whether the group runs; if it does not pass, the chain continues.
        "if" => condition: Option<Spanned<Shorthand<CheckEntry>>>,
        /// What runs instead if the group is not complete: an entry, or an array of entries.
        "else" => alternative: Option<Spanned<AlternativeEntries>>,
    }
}

impl GroupEntry {
    /// The count of a group with one round, if nothing depends on the acceptance of that round.
    pub(crate) fn only_round(&self) -> Option<Span> {
        let is_in_use =
            self.checks.is_some() || self.clean_room.is_some() || self.alternative.is_some();
        let rounds = self.rounds.as_ref().filter(|rounds| rounds.value.get() == 1 && !is_in_use)?;
        Some(rounds.span)
    }

    /// A group with the settings that a chain in one line has.
    pub(crate) const fn of(group: Spanned<StageEntries>, rounds: Option<Spanned<Count>>) -> Self {
        Self {
            group,
            rounds,
            lanes: None,
            lane: None,
            checks: None,
            clean_room: None,
            limits: None,
            condition: None,
            alternative: None,
        }
    }
}

/// Keys that validation reports, so that they are not reported as unknown.
const REPORTED_BY_VALIDATION: [&str; 6] =
    ["agent", "ask", "parallel", "iterations", "best", "pick"];

/// The keys that concern the verdict about a round.
const KEYS_OF_ROUNDS: [&str; 2] = ["checks", "cleanRoom"];

fn validate(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    refuse_key_of_another_kind(keys, "iterations", "agent", "a group has `rounds`", decoder);
    lane_keys::validate_group(keys, decoder);
    validate_condition(keys, decoder);
    validate_round_checks(keys, decoder);
    if let Some(span) = keys.span("group").filter(|_| keys.is_empty_list("group")) {
        let message = format!("`{}` has no entry", decoder.path_to("group"));
        decoder.error(span, message, "expected an entry");
    }
    if !keys.has("rounds") {
        for (key, span) in KEYS_OF_ROUNDS.iter().filter_map(|key| Some((key, keys.span(key)?))) {
            let message = format!("`{}` of a group needs `rounds`", decoder.path_to(key));
            let error = decoder.error(span, message, "a group without rounds is not checked");
            error.hints.push("add `rounds`, or give the checks to a step of the group".to_owned());
        }
    }
}

/// The same rules for the schema.
fn constraints() -> Schema {
    let needs_rounds =
        KEYS_OF_ROUNDS.into_iter().chain(["lanes"]).map(|key| (key.to_owned(), json!(["rounds"])));
    json_schema!({
        "allOf": [{ "properties": { "group": { "minItems": 1 } } }],
        "dependentRequired": serde_json::Map::from_iter(needs_rounds),
    })
}
