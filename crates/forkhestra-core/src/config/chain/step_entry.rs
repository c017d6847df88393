//! The config entry of an agent in a chain.

use super::alternative_entries::AlternativeEntries;
use super::completion_rule::CompletionRule;
use super::flow_check_validation::validate_condition;
use super::lanes::lane_entry::LaneEntry;
use super::lanes::lane_keys;
use super::lanes::pick_choice::PickChoice;
use super::on_cycle::OnCycle;
use super::on_protected_change::OnProtectedChange;
use super::refused_keys::refuse_key_of_another_kind;
use crate::config::agent::fallback_choice::FallbackChoice;
use crate::config::checks::CheckEntry;
use crate::config::clean_room::CleanRoomEntry;
use crate::config::decode::decoder::{Decoder, ObjectKeys};
use crate::config::decode::record::record;
use crate::config::decode::relative_path::PathGlob;
use crate::config::decode::shorthand::Shorthand;
use crate::config::decode::values::{EntryName, FileName};
use crate::config::limits::Limits;
use crate::config::markers::Markers;
use crate::config::sandbox::SandboxEntry;
use crate::diagnostic::source::{Span, Spanned};
use crate::text::count::Count;
use crate::text::lane_count::LaneCount;

record! {
    /// One agent of a chain.
    pub struct StepEntry is "a step", validated by validate,
        constrained by lane_keys::constraints_of_step, reporting REPORTED_BY_VALIDATION {
        /// The agent: a configured name, a program on PATH or a path.
        "agent" => agent: Spanned<EntryName>,
        /// Loop up to this many times; without it the agent runs once.
        "iterations" => iterations: Option<Spanned<Count>>,
        /// How many iterations run at once, each in a lane: a clone of the repository.
        "lanes" => lanes: Option<Spanned<LaneCount>>,
        /// In how many lanes the agent does the same work; the work of one of them lands.
        "best" => best: Option<Spanned<LaneCount>>,
        /// Which lane of `best` lands: `first` (the default), `cheapest`, `smallest` or the path of
        /// a script that prints a number, of which the largest wins.
        "pick" => pick: Option<Spanned<PickChoice>>,
        /// What the lanes of this step are made with.
        "lane" => lane: Option<Spanned<LaneEntry>>,
        /// A check that decides whether the step runs; if it does not pass, the chain continues.
        "if" => condition: Option<Spanned<Shorthand<CheckEntry>>>,
        /// What runs instead if this step is not complete: an entry, or an array of entries.
        "else" => alternative: Option<Spanned<AlternativeEntries>>,
        /// The agent program to use while a usage limit or quota holds for the agent's own program.
        "fallback" => fallback: Option<Spanned<FallbackChoice>>,
        /// Arguments for the agent.
        "args" => args: Option<Spanned<Vec<Spanned<String>>>>,
        /// The prompt for this step.
        "prompt" => prompt: Option<Spanned<String>>,
        /// A file with the prompt for this step.
        "promptFile" => prompt_file: Option<Spanned<FileName>>,
        /// The lines that say this step is done, instead of the usual ones: a text or a `/regex/`.
        "markers" => markers: Option<Spanned<Markers>>,
        /// What completes this step, if it loops.
        "completion" => completion: Option<Spanned<CompletionRule>>,
        /// Whether a completion claim of an agent that did nothing is refused.
        "requireWork" => require_work: Option<Spanned<bool>>,
        /// What must hold before this step counts as done; replaces the checks of the chain.
        "checks" => checks: Option<Spanned<Vec<Spanned<Shorthand<CheckEntry>>>>>,
        /// Whether the checks of this step also run before its first iteration.
        "calibrate" => calibrate: Option<Spanned<bool>>,
        /// Whether the checks of this step run on the committed files, in a separate checkout (clean room).
        "cleanRoom" => clean_room: Option<Spanned<CleanRoomEntry>>,
        /// Files that the agent of this step may not change; replaces those of the chain.
        "protect" => protect: Option<Spanned<Vec<Spanned<PathGlob>>>>,
        /// Whether scripts that the checks of this step name are protected, too; the default.
        "protectScripts" => protect_scripts: Option<Spanned<bool>>,
        /// What a change of such a file does.
        "onProtectedChange" => on_protected_change: Option<Spanned<OnProtectedChange>>,
        /// What happens to this step, if it loops and its work tree equals an earlier state.
        "onCycle" => on_cycle: Option<Spanned<OnCycle>>,
        /// The sandbox of the agent and the checks of this step.
        "sandbox" => sandbox: Option<Spanned<SandboxEntry>>,
        /// Limits for this step.
        "limits" => limits: Option<Spanned<Limits>>,
    }
}

impl StepEntry {
    /// A step with the settings that a chain in one line has.
    pub(crate) fn of_agent(agent: Spanned<EntryName>, iterations: Option<Spanned<Count>>) -> Self {
        Self {
            agent,
            iterations,
            lanes: None,
            best: None,
            pick: None,
            lane: None,
            condition: None,
            alternative: None,
            fallback: None,
            args: None,
            prompt: None,
            prompt_file: None,
            markers: None,
            completion: None,
            require_work: None,
            checks: None,
            calibrate: None,
            clean_room: None,
            protect: None,
            protect_scripts: None,
            on_protected_change: None,
            on_cycle: None,
            sandbox: None,
            limits: None,
        }
    }
}

/// Keys that validation reports, so that they are not reported as unknown.
const REPORTED_BY_VALIDATION: [&str; 4] = ["ask", "group", "parallel", "rounds"];

fn validate(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    refuse_key_of_another_kind(keys, "rounds", "group", "a loop has `iterations`", decoder);
    lane_keys::validate_step(keys, decoder);
    validate_condition(keys, decoder);
    validate_loop_keys(keys, decoder);
}

/// Reports entries that are well formed but cannot be intended.
fn validate_loop_keys(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    if keys.has("iterations") {
        return;
    }
    // The plan warns about keys that also have an effect on a step which decides about a round.
    let of_loops = ["completion", "requireWork"];
    for (key, span) in of_loops.iter().filter_map(|key| Some((key, keys.span(key)?))) {
        warn_runs_once(key, span, decoder);
    }
}

fn warn_runs_once(key: &str, span: Span, decoder: &mut Decoder) {
    let message = format!("`{}` has no effect: the step runs once", decoder.path_to(key));
    let warning = decoder.warning(span, message, "only a step that loops looks at this");
    warning.hints.push("add `iterations` to make it loop".to_owned());
}
