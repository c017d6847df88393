//! The request of the command line, parsed but not resolved.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use super::flow::flow_draft::FlowDraft;
use super::plan_builder::StepOrigin;
use super::replay::ReplaySpeed;
use super::types::Plan;
use crate::config::{Backend, CheckWhen, FallbackChoice, OnCycle, SandboxChoice};
use crate::diagnostic::source::{SourceText, Span};
use crate::dsl::{Dsl, DslPartKind};
use crate::hook::HookPoint;
use crate::limit::{Limit, LimitChanges};
use crate::marker::Marker;
use crate::text::count::Count;
use crate::text::variables::Variables;

/// Everything the command line specifies about a run.
#[derive(Debug, Clone)]
pub struct PlanRequest {
    pub target: RunTarget,
    /// Whether it was typed where a verb could be.
    pub verb_may_be_meant: bool,
    /// An absolute path.
    pub working_directory: String,
    /// The path from the working directory to the base of relative paths in the chain, in checks
    /// and in hooks, if that differs. All other paths start at the working directory.
    pub typed_prefix: Option<String>,
    /// The state directory, if not the default one.
    pub state_directory: Option<String>,
    /// Values for `${NAME}`.
    pub variables: Variables,
    /// Whether `${NAME}` without a value is kept literally; otherwise it is an error.
    pub keeps_variables: bool,
    /// A prompt for all steps.
    pub prompt: Option<RequestedPrompt>,
    /// Arguments for all agents.
    pub agent_args: Vec<String>,
    /// Markers instead of the default ones; empty means no change.
    pub markers: Vec<Marker>,
    /// A file whose appearance or change requests completion.
    pub done_file: Option<String>,
    /// Checks as typed: `SPEC` or `AGENT:SPEC`.
    pub checks: Vec<String>,
    /// Hooks in the order given.
    pub hooks: Vec<(HookPoint, String)>,
    pub limits: LimitChanges,
    /// Whether feedback gives agents the reason why earlier work was refused or not complete.
    pub feedback: bool,
    /// Whether checks run in a clean room.
    pub clean_room: bool,
    /// Whether checks also run before the first iteration of their step.
    pub calibrate: bool,
    /// Globs of protected files, in addition to those of the config.
    pub protect: Vec<String>,
    /// Whether scripts that checks and hooks name are protected.
    pub protect_scripts: bool,
    /// The reaction to a work tree that equals an earlier state.
    pub on_cycle: Option<OnCycle>,
    /// Whether a snapshot of the work tree is kept after every iteration.
    pub snapshots: bool,
    /// The agent program for built-in agents.
    pub backend: Option<Backend>,
    /// The agent program to use at a usage limit, or none.
    pub fallback: Option<FallbackChoice>,
    /// The model for all agents whose program supports one.
    pub model: Option<String>,
    /// The directory for a recording of everything that agents do.
    pub record: Option<String>,
    /// The recording to replay instead of starting agents.
    pub replay: Option<RequestedReplay>,
    pub sandbox: SandboxRequest,
    /// Whether every question is approved without asking.
    pub approves_all: bool,
    /// Whether lanes begin with the last commit even if tracked files have changes that are not in it.
    pub begins_at_head: bool,
    /// Whether agents are started with their own option to skip permission prompts.
    pub skip_permissions: bool,
    /// Defaults where neither the command line nor the config has a value.
    pub defaults: PlanDefaults,
}

/// The sandbox that the user requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxRequest {
    /// The level of the command line.
    pub level: Option<SandboxChoice>,
    /// The value of [`SANDBOX_VARIABLE`](super::SANDBOX_VARIABLE).
    pub variable: Option<String>,
    /// Files and directories of the command line that can be written.
    pub writable: Vec<String>,
}

/// Defaults where neither the command line nor the config has a value. The programs differ in
/// these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanDefaults {
    /// Iterations without a change.
    pub stagnation: Limit<Count>,
    /// When checks run.
    pub checks_run: CheckWhen,
    /// Whether an exit code of 0 triggers the checks of a loop that has any.
    pub checks_decide: bool,
    /// Whether agents are searched in `./bin` first.
    pub bin_first: bool,
}

impl PlanDefaults {
    /// The defaults of `forkhestra`.
    pub const FORKHESTRA: Self = Self {
        stagnation: Limit::Off,
        checks_run: CheckWhen::Completion,
        checks_decide: false,
        bin_first: false,
    };

    /// The defaults of `ralph-runner`.
    pub const RALPH_RUNNER: Self = Self {
        stagnation: Limit::At(Count::new(NonZeroU32::new(3).expect("three is not zero"))),
        checks_run: CheckWhen::Always,
        checks_decide: true,
        bin_first: true,
    };
}

impl PlanRequest {
    /// A request with only a target and a working directory; the rest comes from config and
    /// defaults.
    pub fn new(target: RunTarget, working_directory: impl Into<String>) -> Self {
        Self {
            target,
            verb_may_be_meant: false,
            working_directory: working_directory.into(),
            typed_prefix: None,
            state_directory: None,
            variables: Variables::default(),
            keeps_variables: false,
            prompt: None,
            agent_args: Vec::new(),
            markers: Vec::new(),
            done_file: None,
            checks: Vec::new(),
            hooks: Vec::new(),
            limits: LimitChanges::default(),
            feedback: true,
            clean_room: false,
            calibrate: false,
            protect: Vec::new(),
            protect_scripts: true,
            on_cycle: None,
            snapshots: true,
            backend: None,
            fallback: None,
            model: None,
            record: None,
            replay: None,
            sandbox: SandboxRequest::default(),
            approves_all: false,
            begins_at_head: false,
            skip_permissions: false,
            defaults: PlanDefaults::FORKHESTRA,
        }
    }
}

impl PlanRequest {
    /// The typed word, if the request is nothing but an agent that runs once, without a prompt and
    /// without arguments, where a verb could be.
    pub fn bare_word(&self) -> Option<&str> {
        let RunTarget::Dsl(dsl) = &self.target else { return None };
        let part = dsl.chain.only_part()?;
        let DslPartKind::Agent(agent) = &part.kind else { return None };
        let is_bare = part.count.is_none()
            && self.prompt.is_none()
            && self.agent_args.is_empty()
            && self.verb_may_be_meant;
        is_bare.then_some(agent.value.as_str())
    }

    /// Where the agents of a typed chain are written, by the numbers of their steps.
    pub fn typed_agents(&self) -> BTreeMap<usize, (Arc<SourceText>, Span)> {
        let RunTarget::Dsl(dsl) = &self.target else { return BTreeMap::new() };
        let drafts = FlowDraft::of_dsl(dsl).agents.into_iter();
        let positions = drafts.filter_map(|draft| match draft.written {
            StepOrigin::Dsl { dsl, agent } => {
                Some((draft.number, (Arc::clone(&dsl.source), agent.span)))
            }
            StepOrigin::Config { .. } | StepOrigin::Recorded => None,
        });
        positions.collect()
    }

    /// A typed path, relative to the working directory.
    pub fn typed_path(&self, path: &str) -> String {
        match &self.typed_prefix {
            Some(prefix) if !path.starts_with('/') => {
                format!("{prefix}/{}", path.strip_prefix("./").unwrap_or(path))
            }
            Some(_) | None => path.to_owned(),
        }
    }

    /// A typed shell command, made to run at the base of typed paths.
    pub(super) fn typed_command(&self, command: &str) -> String {
        match &self.typed_prefix {
            // `./` keeps `cd` from options and from `CDPATH`. `&&` would bind to a part of the
            // command.
            Some(prefix) => {
                format!("cd {} || exit; {command}", shell_word(&format!("./{prefix}")))
            }
            None => command.to_owned(),
        }
    }
}

/// A text quoted as one word of a shell.
fn shell_word(text: &str) -> String {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "./_-".contains(character);
    if text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// What to run.
#[derive(Debug, Clone)]
pub enum RunTarget {
    /// A typed chain.
    Dsl(Dsl),
    /// A chain of the config, by name.
    Chain(String),
    /// The plan of a recorded run, overridden by the options of the request.
    Recorded(Box<RecordedPlan>),
}

/// The plan of a recorded run, for a run that continues from one of its snapshots.
#[derive(Debug, Clone)]
pub struct RecordedPlan {
    pub plan: Plan,
    /// The step with which the new run begins, from one.
    pub next_step: usize,
}

/// A prompt given on the command line; variables are not substituted in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestedPrompt {
    Text(String),
    File(String),
}

/// A recording given on the command line, for all steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedReplay {
    pub recording: String,
    pub speed: ReplaySpeed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_command_runs_where_typed_paths_begin() {
        for (prefix, expected) in [
            (None, "./a & b"),
            (Some("src/deep"), "cd ./src/deep || exit; ./a & b"),
            (Some("my app"), "cd './my app' || exit; ./a & b"),
            (Some("it's"), r"cd './it'\''s' || exit; ./a & b"),
            (Some("-x$(y)"), "cd './-x$(y)' || exit; ./a & b"),
        ] {
            let request = PlanRequest {
                typed_prefix: prefix.map(str::to_owned),
                ..PlanRequest::new(RunTarget::Chain("build".to_owned()), "/p")
            };
            assert_eq!(request.typed_command("./a & b"), expected, "{prefix:?}");
        }
    }
}
