//! The config entries of chains and their steps.

use super::checks::CheckEntry;
use super::clean_room::CleanRoomEntry;
use super::decode::decoder::{Decoder, ObjectKeys};
use super::decode::record::{choice, record};
use super::decode::relative_path::PathGlob;
use super::decode::shorthand::Shorthand;
use super::decode::values::{EntryName, FileName};
use super::hooks::Hooks;
use super::limits::Limits;
use super::markers::Markers;
use super::sandbox::SandboxEntry;
use crate::diagnostic::source::{Span, Spanned};
use crate::text::count::Count;

record! {
    /// Agents that run one after another.
    pub struct ChainEntry is "a chain" {
        /// What the chain is for.
        "description" => description: Option<Spanned<String>>,
        /// The prompt for steps that have none of their own.
        "prompt" => prompt: Option<Spanned<String>>,
        /// A file with the prompt for steps that have none of their own.
        "promptFile" => prompt_file: Option<Spanned<FileName>>,
        /// What runs, in this order.
        "steps" => steps: Spanned<Vec<Spanned<StepEntry>>>,
        /// The lines that say a step is done, instead of the usual ones: a text or a `/regex/`.
        "markers" => markers: Option<Spanned<Markers>>,
        /// What completes a looping step.
        "completion" => completion: Option<Spanned<CompletionRule>>,
        /// Whether a completion claim of an agent that did nothing is refused.
        "requireWork" => require_work: Option<Spanned<bool>>,
        /// What must hold before a step counts as done.
        "checks" => checks: Option<Spanned<Vec<Spanned<Shorthand<CheckEntry>>>>>,
        /// Whether checks also run before the first iteration: one that passes there proves nothing, and is reported.
        "calibrate" => calibrate: Option<Spanned<bool>>,
        /// Whether checks run on what is committed, in a place of their own.
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

record! {
    /// One agent of a chain.
    pub struct StepEntry is "a step", validated by validate_step {
        /// The agent: a configured name, a program on PATH or a path.
        "agent" => agent: Spanned<EntryName>,
        /// Loop up to this many times; without it the agent runs once.
        "iterations" => iterations: Option<Spanned<Count>>,
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
        /// Whether the checks of this step run on what is committed, in a place of their own.
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

choice! {
    /// What happens to a step whose work tree equals its state after an earlier iteration.
    pub enum OnCycle {
        /// It is reported.
        Report = "report",
        /// It ends.
        Stop = "stop",
    }
}

choice! {
    /// What a change of a protected file does.
    pub enum OnProtectedChange {
        /// The work is refused.
        Refuse = "refuse",
        /// It is reported.
        Allow = "allow",
    }
}

choice! {
    /// What completes a looping step.
    pub enum CompletionRule {
        /// The agent prints a marker, and all checks pass.
        Marker = "marker",
        /// The agent exits with 0, and all checks pass.
        Checks = "checks",
    }
}

/// Reports entries that are well formed but cannot be intended.
fn validate_step(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    if keys.has("iterations") {
        return;
    }
    let of_loops = ["markers", "completion", "requireWork", "onCycle"];
    for (key, span) in of_loops.iter().filter_map(|key| Some((key, keys.span(key)?))) {
        warn_runs_once(key, span, decoder);
    }
}

fn warn_runs_once(key: &str, span: Span, decoder: &mut Decoder) {
    let message = format!("`{}` has no effect: the step runs once", decoder.path_to(key));
    let warning = decoder.warning(span, message, "only a step that loops looks at this");
    warning.hints.push("add `iterations` to make it loop".to_owned());
}
