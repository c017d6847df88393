//! The plan itself: plain data, serialised as the documented JSON of `--output json`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::host_environment::ProgramLocation;
use super::replay::Replay;
use super::value_origin::{Sourced, ValueOrigin};
use crate::check::CheckSpec;
use crate::config::{
    Backend, Billing, CheckWhen, CompletionRule, OnCycle, OnHookError, OnProtectedChange,
    Permissions,
};
use crate::hook::HookPoint;
use crate::limit::{HumanDuration, Limit, RunLimits, StepLimits};
use crate::marker::Marker;
use crate::text::count::Count;

/// A run, fully resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The version of this format.
    pub version: u32,
    /// The name of the chain, if it has one.
    pub chain: Option<String>,
    /// The chain in one line.
    pub definition: String,
    /// Where the chain is defined.
    pub source: ValueOrigin,
    /// What the chain is for.
    pub description: Option<String>,
    /// Where everything happens: an absolute path, which all other paths are relative to.
    pub working_directory: String,
    /// Where the state is kept, if not in the usual place.
    pub state_directory: Option<String>,
    /// The task database, if a check looks at it or a step is to commit its work, and there is one.
    pub task_database: Option<String>,
    /// What runs, in order.
    pub steps: Vec<PlanStep>,
    /// Commands to run at certain moments, in order.
    pub hooks: Vec<Sourced<PlanHook>>,
    /// Limits for the whole run.
    pub limits: RunLimits,
    /// Whether failures of checks are told to the next iteration.
    pub feedback: bool,
    /// Whether the work tree is kept after every iteration, where there is a repository.
    #[serde(default)]
    pub snapshots: bool,
    /// Where everything that agents do is recorded, if it is: a directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// Prices of models that the user gives, in dollars per million tokens.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, crate::cost::ModelPrice>,
}

/// Any object: the members of a plan are documented, but not described.
impl JsonSchema for Plan {
    fn schema_name() -> Cow<'static, str> {
        "Plan".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        serde_json::Map::<String, serde_json::Value>::json_schema(generator)
    }
}

/// One agent of the chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanStep {
    /// Its place in the chain, from one.
    pub number: usize,
    /// Who works.
    pub agent: PlanAgent,
    /// The most iterations of a loop; none for an agent that runs once.
    pub iterations: Option<Count>,
    /// The agent's arguments, the prompt excluded.
    pub args: Vec<Sourced<String>>,
    /// What to ask of the agent.
    pub prompt: Sourced<Prompt>,
    /// The task that the agent is told to work on in front of a prompt that is read from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// What completes a loop.
    pub completion: Sourced<CompletionRule>,
    /// The lines that request completion.
    pub markers: Sourced<Vec<Marker>>,
    /// A file that requests completion when it appears or changes.
    pub done_file: Option<Sourced<String>>,
    /// Whether an agent that did nothing is not believed to be done.
    #[serde(default)]
    pub require_work: bool,
    /// Whether the agent works through the task database, which is asked before each iteration.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub works_through_tasks: bool,
    /// The model by which tokens are priced that the agent tells without naming one; none if the agent's
    /// `model` says it, or if nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priced_model: Option<String>,
    /// What must hold before the step counts as done.
    pub checks: Vec<Sourced<PlanCheck>>,
    /// Where the checks run, if not in the work tree itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clean_room: Option<Sourced<CleanRoom>>,
    /// Files that its agent may not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protect: Option<Sourced<Protection>>,
    /// What becomes of the step when its work tree is again what it was before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_cycle: Option<Sourced<OnCycle>>,
    /// Limits for this step.
    pub limits: StepLimits,
}

/// An agent, found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanAgent {
    /// The name by which it was asked for.
    pub name: String,
    /// What gave the name its meaning.
    pub source: ValueOrigin,
    /// What it is.
    #[serde(flatten)]
    pub kind: AgentKind,
    /// Settings that something other than `source` decided, by their key in the config.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub adjusted: BTreeMap<String, ValueOrigin>,
    /// What is played back in its place, if anything is. Its kind says whom the recording is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
}

/// What an agent is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum AgentKind {
    /// A program that is started as it is.
    Program(AgentProgram),
    /// A system prompt for an agent program that we know.
    Direct(DirectSpawn),
}

/// A program that is an agent by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentProgram {
    /// The program as it is called.
    pub command: String,
    /// Where it is.
    pub location: ProgramLocation,
    /// Environment variables for it.
    pub env: EnvVars,
}

/// An agent made of a system prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DirectSpawn {
    /// Which agent program it is.
    #[serde(default)]
    pub backend: Backend,
    /// The agent program as it is called.
    pub command: String,
    /// Where it is.
    pub location: ProgramLocation,
    /// Who the agent is.
    pub system_prompt: Sourced<Prompt>,
    /// A file that configures MCP servers.
    pub mcp_config: Option<String>,
    /// A settings file.
    pub settings: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The most turns of an iteration.
    pub max_turns: Option<Count>,
    /// The only tools it may use.
    pub allowed_tools: Option<Vec<String>>,
    /// Tools it may not use.
    pub disallowed_tools: Option<Vec<String>>,
    /// Whether it asks before it uses its tools.
    #[serde(default)]
    pub permissions: Permissions,
    /// Who may pay for it.
    #[serde(default)]
    pub billing: Billing,
    /// Environment variables for it.
    pub env: EnvVars,
}

impl PlanAgent {
    /// An agent that is what its source says, with nothing adjusted.
    pub fn new(name: impl Into<String>, source: ValueOrigin, kind: AgentKind) -> Self {
        Self { name: name.into(), source, kind, adjusted: BTreeMap::new(), replay: None }
    }
}

impl AgentKind {
    /// The program that is started, as it is called.
    pub fn command(&self) -> &str {
        match self {
            Self::Program(program) => &program.command,
            Self::Direct(direct) => &direct.command,
        }
    }

    /// Where the program is.
    pub fn location(&self) -> &ProgramLocation {
        match self {
            Self::Program(program) => &program.location,
            Self::Direct(direct) => &direct.location,
        }
    }

    /// Whether it is one of those that tell what they spend.
    pub const fn reports_spend(&self) -> bool {
        matches!(self, Self::Direct(_))
    }

    /// Whether what it has cost is told by the agent itself, once it is through.
    pub const fn reports_cost_at_end(&self) -> bool {
        matches!(self, Self::Direct(DirectSpawn { backend: Backend::Claude, .. }))
    }

    /// Environment variables for the agent.
    pub fn env(&self) -> &EnvVars {
        match self {
            Self::Program(program) => &program.env,
            Self::Direct(direct) => &direct.env,
        }
    }

    /// Environment variables for the agent, to be filled in when the plan was read from a journal.
    pub fn env_mut(&mut self) -> &mut EnvVars {
        match self {
            Self::Program(program) => &mut program.env,
            Self::Direct(direct) => &mut direct.env,
        }
    }
}

/// Environment variables. Their values may be secrets, so only the names are ever shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct EnvVars(pub BTreeMap<String, String>);

impl EnvVars {
    /// The names of the variables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Gives the variables of a plan that was read their values, which are never stored. Names that
    /// have none are returned; these variables are left as they are.
    pub fn fill(&mut self, from: &BTreeMap<String, String>) -> Vec<String> {
        let mut without = Vec::new();
        for (name, value) in &mut self.0 {
            match from.get(name) {
                Some(found) => value.clone_from(found),
                None => without.push(name.clone()),
            }
        }
        without
    }
}

impl fmt::Debug for EnvVars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

impl Serialize for EnvVars {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.names())
    }
}

/// Only names are kept, so every value is empty until [`EnvVars::fill`] is called.
impl<'de> Deserialize<'de> for EnvVars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names: Vec<String> = Vec::deserialize(deserializer)?;
        Ok(Self(names.into_iter().map(|name| (name, String::new())).collect()))
    }
}

/// A prompt; a file is read anew for every iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompt {
    /// The agent is asked nothing.
    None,
    /// The text itself.
    Text(String),
    /// A file with the text.
    File(String),
}

/// `null`, `{"text": …}` or `{"file": …}`.
impl Serialize for Prompt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => serializer.serialize_none(),
            Self::Text(text) => serializer.collect_map([("text", text)]),
            Self::File(path) => serializer.collect_map([("file", path)]),
        }
    }
}

impl<'de> Deserialize<'de> for Prompt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        enum PromptJson {
            Text(String),
            File(String),
        }
        Ok(match Option::deserialize(deserializer)? {
            None => Self::None,
            Some(PromptJson::Text(text)) => Self::Text(text),
            Some(PromptJson::File(path)) => Self::File(path),
        })
    }
}

/// What verifies that a step is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanCheck {
    /// What it looks at.
    pub check: CheckSpec,
    /// What messages call it, if it has a name.
    pub name: Option<String>,
    /// When it runs.
    pub when: CheckWhen,
    /// How long it may take.
    pub timeout: Limit<HumanDuration>,
    /// What runs it, if it is a module with a `check` function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<ModuleRunner>,
}

impl PlanCheck {
    /// What messages call it: its name, or else how it is written.
    pub fn display_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.check.to_string())
    }
}

/// A program that runs JavaScript or TypeScript modules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModuleRunner {
    /// Which one it is.
    pub kind: ModuleRunnerKind,
    /// Where it is.
    pub path: String,
}

/// The programs that run modules, the one that is looked for first first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModuleRunnerKind {
    /// Bun.
    Bun,
    /// Deno.
    Deno,
    /// Node.
    Node,
}

impl ModuleRunnerKind {
    /// All that there are, in the order in which they are looked for.
    pub const ALL: [Self; 3] = [Self::Bun, Self::Deno, Self::Node];

    /// The program's name.
    pub const fn program(self) -> &'static str {
        match self {
            Self::Bun => "bun",
            Self::Deno => "deno",
            Self::Node => "node",
        }
    }
}

/// A place with nothing in it but what is committed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CleanRoom {
    /// A command that makes it ready.
    pub setup: Option<String>,
    /// How long that may take.
    pub timeout: Limit<HumanDuration>,
    /// What is kept from one room to the next: paths of caches, relative to the working directory.
    pub keep: Vec<String>,
}

/// Files that an agent may not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Protection {
    /// Which: globs, relative to the working directory.
    pub patterns: Vec<String>,
    /// What a change does.
    pub on_change: OnProtectedChange,
}

/// A command that runs at a certain moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanHook {
    /// The moment.
    pub on: HookPoint,
    /// The command.
    pub run: String,
    /// How long it may take.
    pub timeout: Limit<HumanDuration>,
    /// What its failure does to the run.
    pub on_error: OnHookError,
}
