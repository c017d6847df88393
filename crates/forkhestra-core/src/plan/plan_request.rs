//! What a person asked for on the command line, understood but not yet resolved.

use std::num::NonZeroU32;

use super::replay::ReplaySpeed;
use crate::config::{Backend, CheckWhen, OnCycle};
use crate::dsl::Dsl;
use crate::hook::HookPoint;
use crate::limit::{Limit, LimitChanges};
use crate::marker::Marker;
use crate::text::count::Count;
use crate::text::variables::Variables;

/// Everything the command line says about a run.
#[derive(Debug, Clone)]
pub struct PlanRequest {
    /// What to run.
    pub target: RunTarget,
    /// Whether it was typed where a verb could stand.
    pub verb_may_be_meant: bool,
    /// Where to run it: an absolute path.
    pub working_directory: String,
    /// The path from the working directory to where relative paths of the chain and of checks and
    /// hooks begin, if that is another place. The other paths here begin in the working directory.
    pub typed_prefix: Option<String>,
    /// Where to keep the state, if not in the usual place.
    pub state_directory: Option<String>,
    /// Values for `${NAME}`.
    pub variables: Variables,
    /// Whether `${NAME}` without a value stays as it is written; otherwise it is an error.
    pub keeps_variables: bool,
    /// A prompt for all steps.
    pub prompt: Option<RequestedPrompt>,
    /// Arguments for all agents.
    pub agent_args: Vec<String>,
    /// Markers instead of the usual ones; none means no change.
    pub markers: Vec<Marker>,
    /// A file whose appearance or change requests completion.
    pub done_file: Option<String>,
    /// Checks as they were typed: `SPEC` or `AGENT:SPEC`.
    pub checks: Vec<String>,
    /// Hooks in the order they were given.
    pub hooks: Vec<(HookPoint, String)>,
    /// Limits.
    pub limits: LimitChanges,
    /// Whether failures of checks are told to the next iteration.
    pub feedback: bool,
    /// Whether checks run in a clean room.
    pub clean_room: bool,
    /// Files that agents may not change: globs, beside those of the config.
    pub protect: Vec<String>,
    /// What becomes of a step whose work tree is again what it was before.
    pub on_cycle: Option<OnCycle>,
    /// Whether the work tree is kept after every iteration.
    pub snapshots: bool,
    /// The agent program that built-in agents are for.
    pub backend: Option<Backend>,
    /// The model of all agents whose program can be told one.
    pub model: Option<String>,
    /// Where to record everything that agents do: a directory.
    pub record: Option<String>,
    /// What to play back instead of starting agents.
    pub replay: Option<RequestedReplay>,
    /// Whether agents are told to ask for no permission, in their own words.
    pub skip_permissions: bool,
    /// What holds where neither the command line nor the config says anything.
    pub defaults: PlanDefaults,
}

/// What holds where neither the command line nor the config says anything: the programs differ in
/// this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanDefaults {
    /// Iterations without a change.
    pub stagnation: Limit<Count>,
    /// When checks run.
    pub checks_run: CheckWhen,
    /// Whether an exit code of 0 lets the work of a loop that has checks be checked.
    pub checks_decide: bool,
    /// Whether agents are looked for in `./bin` first.
    pub bin_first: bool,
}

impl PlanDefaults {
    /// Those of `forkhestra`.
    pub const FORKHESTRA: Self = Self {
        stagnation: Limit::Off,
        checks_run: CheckWhen::Completion,
        checks_decide: false,
        bin_first: false,
    };

    /// Those of `ralph-runner`.
    pub const RALPH_RUNNER: Self = Self {
        stagnation: Limit::At(Count::new(NonZeroU32::new(3).expect("three is not zero"))),
        checks_run: CheckWhen::Always,
        checks_decide: true,
        bin_first: true,
    };
}

impl PlanRequest {
    /// A request that leaves everything but what and where to the config and to what is usual.
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
            protect: Vec::new(),
            on_cycle: None,
            snapshots: true,
            backend: None,
            model: None,
            record: None,
            replay: None,
            skip_permissions: false,
            defaults: PlanDefaults::FORKHESTRA,
        }
    }
}

impl PlanRequest {
    /// The word that was typed, if it is all there is: an agent that runs once, without a prompt and
    /// without arguments, where a verb could stand.
    pub fn bare_word(&self) -> Option<&str> {
        let RunTarget::Dsl(dsl) = &self.target else { return None };
        let [stage] = dsl.stages.as_slice() else { return None };
        let is_bare = stage.iterations.is_none()
            && self.prompt.is_none()
            && self.agent_args.is_empty()
            && self.verb_may_be_meant;
        is_bare.then_some(stage.agent.value.as_str())
    }

    /// A path that was typed, as it is seen from the working directory.
    pub fn typed_path(&self, path: &str) -> String {
        match &self.typed_prefix {
            Some(prefix) if !path.starts_with('/') => {
                format!("{prefix}/{}", path.strip_prefix("./").unwrap_or(path))
            }
            Some(_) | None => path.to_owned(),
        }
    }

    /// A command for the shell that was typed: it runs where typed paths begin.
    pub(super) fn typed_command(&self, command: &str) -> String {
        match &self.typed_prefix {
            // `./` keeps `cd` from options and from `CDPATH`. `&&` would bind to a part of the command.
            Some(prefix) => {
                format!("cd {} || exit; {command}", shell_word(&format!("./{prefix}")))
            }
            None => command.to_owned(),
        }
    }
}

/// A text as one word of a shell.
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
    /// A chain that was typed.
    Dsl(Dsl),
    /// A chain of the config, by name.
    Chain(String),
}

/// A prompt given on the command line; variables are not substituted in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestedPrompt {
    /// The text itself.
    Text(String),
    /// A file with the text.
    File(String),
}

/// A recording given on the command line, for all steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedReplay {
    /// Its directory.
    pub recording: String,
    /// How fast to play it.
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
