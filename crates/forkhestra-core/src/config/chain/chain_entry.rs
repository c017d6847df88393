//! The config entry of a chain.

use super::completion_rule::CompletionRule;
use super::lanes::lane_entry::LaneEntry;
use super::on_cycle::OnCycle;
use super::on_protected_change::OnProtectedChange;
use super::stage_entries::StageEntries;
use crate::config::agent::fallback_choice::FallbackChoice;
use crate::config::checks::CheckEntry;
use crate::config::clean_room::CleanRoomEntry;
use crate::config::decode::record::record;
use crate::config::decode::relative_path::PathGlob;
use crate::config::decode::shorthand::Shorthand;
use crate::config::decode::values::FileName;
use crate::config::hooks::Hooks;
use crate::config::limits::Limits;
use crate::config::markers::Markers;
use crate::config::sandbox::SandboxEntry;
use crate::diagnostic::source::Spanned;

record! {
    /// Agents that run one after another.
    pub struct ChainEntry is "a chain" {
        /// What the chain is for.
        "description" => description: Option<Spanned<String>>,
        /// The prompt for steps that have none of their own.
        "prompt" => prompt: Option<Spanned<String>>,
        /// A file with the prompt for steps that have none of their own.
        "promptFile" => prompt_file: Option<Spanned<FileName>>,
        /// What runs, in this order: an array of entries, or a chain in one line.
        "steps" => steps: Spanned<StageEntries>,
        /// The agent program to use while a usage limit or quota holds for an agent's own program.
        "fallback" => fallback: Option<Spanned<FallbackChoice>>,
        /// The lines that say a step is done, instead of the usual ones: a text or a `/regex/`.
        "markers" => markers: Option<Spanned<Markers>>,
        /// What lanes are made with, if a step or group has no settings of its own.
        "lane" => lane: Option<Spanned<LaneEntry>>,
        /// What completes a looping step.
        "completion" => completion: Option<Spanned<CompletionRule>>,
        /// Whether a completion claim of an agent that did nothing is refused.
        "requireWork" => require_work: Option<Spanned<bool>>,
        /// What must hold before a step counts as done.
        "checks" => checks: Option<Spanned<Vec<Spanned<Shorthand<CheckEntry>>>>>,
        /// Whether checks also run before the first iteration: one that passes there proves nothing, and is reported.
        "calibrate" => calibrate: Option<Spanned<bool>>,
        /// Whether checks run on the committed files, in a separate checkout (clean room).
        "cleanRoom" => clean_room: Option<Spanned<CleanRoomEntry>>,
        /// Files that agents may not change: globs, relative to the working directory.
        "protect" => protect: Option<Spanned<Vec<Spanned<PathGlob>>>>,
        /// Whether scripts that checks and hooks name are protected, too; the default.
        "protectScripts" => protect_scripts: Option<Spanned<bool>>,
        /// What a change of such a file does.
        "onProtectedChange" => on_protected_change: Option<Spanned<OnProtectedChange>>,
        /// What happens to a looping step whose work tree equals an earlier state.
        "onCycle" => on_cycle: Option<Spanned<OnCycle>>,
        /// Whether the work tree is kept after every iteration, in a git repository.
        "snapshots" => snapshots: Option<Spanned<bool>>,
        /// The sandbox of the agents and checks of this chain.
        "sandbox" => sandbox: Option<Spanned<SandboxEntry>>,
        /// Commands to run at certain moments.
        "hooks" => hooks: Option<Spanned<Hooks>>,
        /// Limits: `time` and `cost` hold for the whole run, the others for each step.
        "limits" => limits: Option<Spanned<Limits>>,
    }
}
