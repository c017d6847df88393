//! The plan's types: plain data, serialized as the documented JSON of `--output json`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::fallback::step_fallback::StepFallback;
use super::flow::plan_flow::{Flow, FlowGroup};
use super::flow::plan_question::PlanQuestion;
use super::host_environment::ProgramLocation;
use super::pinned_program::PinnedProgram;
use super::replay::Replay;
use super::sandbox::StepSandbox;
use super::value_origin::{Sourced, ValueOrigin};
use crate::check::CheckSpec;
use crate::config::{
    Backend, Billing, CheckWhen, CompletionRule, CostReport, OnCycle, OnHookError,
    OnProtectedChange, Permissions,
};
use crate::event::Fingerprint;
use crate::hook::HookPoint;
use crate::limit::{HumanDuration, Limit, RunLimits, StepLimits};
use crate::marker::Marker;
use crate::text::count::Count;

/// The name of a step in which a person answers a question.
pub(crate) const QUESTION_MARK: &str = "?";

static NO_VARIABLES: EnvVars = EnvVars(BTreeMap::new());

/// A fully resolved run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    pub version: u32,
    /// The name of the chain, if it has one.
    pub chain: Option<String>,
    /// The chain in one line.
    pub definition: String,
    pub source: ValueOrigin,
    pub description: Option<String>,
    /// The absolute base of all relative paths.
    pub working_directory: String,
    /// The state directory, if not the default one.
    pub state_directory: Option<String>,
    /// The task database, if one exists and a check needs it or a step commits its work.
    pub task_database: Option<String>,
    pub steps: Vec<PlanStep>,
    /// The order of the steps; none if they run one after another. Since 3.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Flow>,
    /// Whether every question is approved without asking. Since 3.0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approves_all: bool,
    pub hooks: Vec<Sourced<PlanHook>>,
    /// Limits of the whole run.
    pub limits: RunLimits,
    /// Whether agents are told why earlier work was refused or not complete.
    pub feedback: bool,
    /// Whether a snapshot of the work tree is kept after every iteration in a repository.
    #[serde(default)]
    pub snapshots: bool,
    /// The directory for a recording of everything that agents do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// The programs of checks, hooks and set-ups when the run began; none before it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub programs: Option<Vec<PinnedProgram>>,
    /// The prompts of steps with a prompt in a file when the run began, by the number of the step; none before it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<BTreeMap<usize, Fingerprint>>,
    /// Whether agents may change scripts that hooks name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scripts_may_change: bool,
    /// Whether the journal has a mask in place of a secret in this plan, so that it cannot be executed again. Since 2.2.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_masked: bool,
    /// The user's prices of models, in dollars per million tokens.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, crate::cost::ModelPrice>,
}

impl Plan {
    /// A step by its one-based number.
    pub fn step(&self, number: usize) -> Option<&PlanStep> {
        self.steps.get(number.checked_sub(1)?)
    }

    /// A group by its one-based number.
    pub fn group(&self, number: usize) -> Option<&FlowGroup> {
        self.flow.as_ref()?.group(number)
    }

    /// The name of a step's agent; empty if there is no such step.
    pub fn agent_name(&self, step: usize) -> &str {
        self.step(step).map_or("", |step| &step.agent.name)
    }

    /// Whether the run may start processes that are no agents: checks, hooks and set-ups.
    pub fn runs_aux_jobs(&self) -> bool {
        let is_process =
            |check: &CheckSpec| matches!(check, CheckSpec::Command(_) | CheckSpec::Script(_));
        let mut checks = self.steps.iter().flat_map(PlanStep::all_checks);
        !self.hooks.is_empty() || checks.any(|check| is_process(&check.value.check))
    }

    /// A hook by its one-based number.
    pub fn hook(&self, number: usize) -> Option<&PlanHook> {
        Some(&self.hooks.get(number.checked_sub(1)?)?.value)
    }
}

/// The schema of any object: the members of a plan are documented elsewhere.
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

/// One step of the chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanStep {
    /// One-based.
    pub number: usize,
    pub agent: PlanAgent,
    /// The agent on another back-end, for the time of a usage limit. Since 3.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Box<StepFallback>>,
    /// The maximum iterations of a loop; none for an agent that runs once.
    pub iterations: Option<Count>,
    /// The agent's arguments without the prompt.
    pub args: Vec<Sourced<String>>,
    pub prompt: Sourced<Prompt>,
    /// The task that is prepended to a prompt that is read from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// What completes a loop.
    pub completion: Sourced<CompletionRule>,
    /// The lines that request completion.
    pub markers: Sourced<Vec<Marker>>,
    /// A file that requests completion when it appears or changes.
    pub done_file: Option<Sourced<String>>,
    /// Whether a completion claim of an agent that did nothing is refused.
    #[serde(default)]
    pub require_work: bool,
    /// Whether the agent works through the task database, which is polled before each iteration.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub works_through_tasks: bool,
    /// The model for pricing tokens that the agent reports without naming one; none if the agent's
    /// `model` names it, or if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priced_model: Option<String>,
    pub checks: Vec<Sourced<PlanCheck>>,
    /// Checks of the repeated groups that the step decides about. They run when it is complete.
    /// Since 3.0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub round_checks: Vec<RoundCheck>,
    /// Conditions that must hold before the step begins, in order. Since 3.0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<PlanCondition>,
    /// Whether the step decides if a round of a group is accepted. Since 3.0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decides_round: bool,
    /// Whether the checks also run before the first iteration.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub calibrate: bool,
    /// The clean room for the checks; none if they run in the work tree itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clean_room: Option<Sourced<CleanRoom>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protect: Option<Sourced<Protection>>,
    /// The reaction to a work tree that equals an earlier state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_cycle: Option<Sourced<OnCycle>>,
    /// The sandbox of the agent and the checks; none if it is off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Sourced<StepSandbox>>,
    pub limits: StepLimits,
}

/// A check of a repeated group, which decides about a round together with its last step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoundCheck {
    /// The number of the group.
    pub group: usize,
    pub check: Sourced<PlanCheck>,
}

/// A check that decides whether a step, or a whole group, is needed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanCondition {
    pub check: Sourced<PlanCheck>,
    /// The group that it belongs to; none if it belongs to the step alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<usize>,
}

/// The group that a check of a step belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckOwner {
    /// It decides about the rounds of the group.
    Round(usize),
    /// It decides whether the group is needed.
    Condition(usize),
}

impl PlanStep {
    /// All checks of the step: of its work, of the rounds that it decides about, and conditions.
    pub fn all_checks(&self) -> impl Iterator<Item = &Sourced<PlanCheck>> {
        let of_rounds = self.round_checks.iter().map(|round| &round.check);
        let conditions = self.conditions.iter().map(|condition| &condition.check);
        self.checks.iter().chain(of_rounds).chain(conditions)
    }

    /// All checks of the step, to be changed.
    pub fn all_checks_mut(&mut self) -> impl Iterator<Item = &mut Sourced<PlanCheck>> {
        let of_rounds = self.round_checks.iter_mut().map(|round| &mut round.check);
        let conditions = self.conditions.iter_mut().map(|condition| &mut condition.check);
        self.checks.iter_mut().chain(of_rounds).chain(conditions)
    }

    /// A check by its one-based number among all checks of the step.
    pub fn check(&self, number: usize) -> Option<&Sourced<PlanCheck>> {
        self.all_checks().nth(number.checked_sub(1)?)
    }

    /// The group that a check belongs to, by its number; none if it belongs to the step alone.
    pub(crate) fn group_of_check(&self, number: usize) -> Option<CheckOwner> {
        let of_rounds = self.round_checks.iter().map(|check| Some(CheckOwner::Round(check.group)));
        let conditions = self.conditions.iter().map(|of| of.group.map(CheckOwner::Condition));
        of_rounds.chain(conditions).nth(number.checked_sub(self.checks.len() + 1)?)?
    }

    /// The numbers of the checks of a group's rounds.
    pub(crate) fn round_check_numbers(&self, group: usize) -> Vec<usize> {
        let numbered = (self.checks.len() + 1..).zip(&self.round_checks);
        numbered.filter(|(_, check)| check.group == group).map(|(number, _)| number).collect()
    }

    /// The number of a condition, by its position.
    pub(crate) const fn condition_number(&self, index: usize) -> usize {
        self.checks.len() + self.round_checks.len() + index + 1
    }

    /// Whether a number is that of a condition, and not of a check.
    pub const fn is_condition(&self, number: usize) -> bool {
        number >= self.condition_number(0)
    }

    /// Whether it asks a person and runs no agent.
    pub const fn is_question(&self) -> bool {
        self.question().is_some()
    }

    /// The question that it asks; none for a step of an agent.
    pub const fn question(&self) -> Option<&PlanQuestion> {
        self.agent.kind.question()
    }

    /// Whether an agent that runs once accepts a round with its marker.
    pub const fn accepts_by_marker(&self) -> bool {
        self.decides_round && self.iterations.is_none() && self.agent.kind.direct().is_some()
    }

    /// Whether a marker of the agent counts.
    pub const fn counts_markers(&self) -> bool {
        self.iterations.is_some() || self.accepts_by_marker()
    }
}

/// A resolved agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanAgent {
    /// The requested name.
    pub name: String,
    /// The origin of the name's meaning.
    pub source: ValueOrigin,
    #[serde(flatten)]
    pub kind: AgentKind,
    /// Settings whose origin differs from `source`, by their key in the config.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub adjusted: BTreeMap<String, ValueOrigin>,
    /// The recording that replaces it. `kind` is then the recorded agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
}

/// The kind of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum AgentKind {
    /// A program that is started without further settings.
    Program(AgentProgram),
    /// A system prompt for a supported agent program.
    Direct(DirectSpawn),
    /// Not an agent: the step asks a person. Since 3.0.
    #[serde(rename = "person")]
    Question(PlanQuestion),
}

/// A program that is an agent by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentProgram {
    /// The program as it was named.
    pub command: String,
    pub location: ProgramLocation,
    pub env: EnvVars,
}

/// An agent that consists of a system prompt for an agent program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DirectSpawn {
    #[serde(default)]
    pub backend: Backend,
    /// The agent program as it was named.
    pub command: String,
    pub location: ProgramLocation,
    pub system_prompt: Sourced<Prompt>,
    pub mcp_config: Option<String>,
    pub settings: Option<String>,
    pub model: Option<String>,
    /// The maximum turns of an iteration.
    pub max_turns: Option<Count>,
    pub allowed_tools: Option<Vec<String>>,
    pub disallowed_tools: Option<Vec<String>>,
    /// Whether it asks before it uses its tools.
    #[serde(default)]
    pub permissions: Permissions,
    #[serde(default)]
    pub billing: Billing,
    pub env: EnvVars,
}

impl DirectSpawn {
    /// An agent without a prompt and settings.
    pub fn new(backend: Backend, command: String, location: ProgramLocation) -> Self {
        Self {
            backend,
            command,
            location,
            system_prompt: Sourced::default(Prompt::None),
            mcp_config: None,
            settings: None,
            model: None,
            max_turns: None,
            allowed_tools: None,
            disallowed_tools: None,
            permissions: Permissions::default(),
            billing: Billing::default(),
            env: EnvVars::default(),
        }
    }
}

impl PlanAgent {
    /// An agent without adjusted settings.
    pub fn new(name: impl Into<String>, source: ValueOrigin, kind: AgentKind) -> Self {
        Self { name: name.into(), source, kind, adjusted: BTreeMap::new(), replay: None }
    }
}

impl AgentKind {
    /// The agent, if forkhestra starts it directly and knows its stream.
    pub const fn direct(&self) -> Option<&DirectSpawn> {
        match self {
            Self::Direct(direct) => Some(direct),
            Self::Program(_) | Self::Question(_) => None,
        }
    }

    /// The question, if a person answers it.
    pub const fn question(&self) -> Option<&PlanQuestion> {
        match self {
            Self::Question(question) => Some(question),
            Self::Program(_) | Self::Direct(_) => None,
        }
    }

    /// The program that is started, as it was named.
    pub fn command(&self) -> &str {
        match self {
            Self::Program(program) => &program.command,
            Self::Direct(direct) => &direct.command,
            Self::Question(_) => QUESTION_MARK,
        }
    }

    /// Where the program is; none for a person.
    pub const fn location(&self) -> Option<&ProgramLocation> {
        match self {
            Self::Program(program) => Some(&program.location),
            Self::Direct(direct) => Some(&direct.location),
            Self::Question(_) => None,
        }
    }

    /// Whether the agent reports its spend.
    pub const fn reports_spend(&self) -> bool {
        matches!(self, Self::Direct(_))
    }

    /// Whether the agent itself reports its cost at its end.
    pub fn reports_cost_at_end(&self) -> bool {
        matches!(self, Self::Direct(direct)
            if matches!(direct.backend.facts().cost, CostReport::AtEnd))
    }

    /// Environment variables for the agent.
    pub fn env(&self) -> &EnvVars {
        match self {
            Self::Program(program) => &program.env,
            Self::Direct(direct) => &direct.env,
            Self::Question(_) => &NO_VARIABLES,
        }
    }

    /// Environment variables for the agent, to be filled in when the plan was read from a journal.
    pub const fn env_mut(&mut self) -> Option<&mut EnvVars> {
        match self {
            Self::Program(program) => Some(&mut program.env),
            Self::Direct(direct) => Some(&mut direct.env),
            Self::Question(_) => None,
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

    /// Fills in the values of a plan that was read, since values are never stored. Returns the
    /// names without a value; those variables are left unchanged.
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

/// Only names are stored, so every value is empty until [`EnvVars::fill`] is called.
impl<'de> Deserialize<'de> for EnvVars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names: Vec<String> = Vec::deserialize(deserializer)?;
        Ok(Self(names.into_iter().map(|name| (name, String::new())).collect()))
    }
}

/// A prompt; a file is read anew for every iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompt {
    None,
    Text(String),
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

/// A resolved check of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanCheck {
    pub check: CheckSpec,
    pub name: Option<String>,
    pub when: CheckWhen,
    pub timeout: Limit<HumanDuration>,
    /// Whether it must not pass before the first iteration.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub must_fail_first: bool,
    /// The program that runs it, if it is a module with a `check` function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<ModuleRunner>,
}

impl PlanCheck {
    /// Its name in messages, or else its text.
    pub fn display_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.check.to_string())
    }
}

/// A program that runs JavaScript or TypeScript modules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModuleRunner {
    pub kind: ModuleRunnerKind,
    pub path: String,
}

/// The programs that run modules, in search order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModuleRunnerKind {
    Bun,
    Deno,
    Node,
}

impl ModuleRunnerKind {
    /// All programs in search order.
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

/// A directory with only what is committed, in which checks run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CleanRoom {
    /// The command that prepares it.
    pub setup: Option<String>,
    /// The timeout of the set-up.
    pub timeout: Limit<HumanDuration>,
    /// Paths of caches that are kept from one clean room to the next, relative to the working
    /// directory.
    pub keep: Vec<String>,
}

/// Files that an agent may not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Protection {
    /// Globs, relative to the working directory.
    pub patterns: Vec<String>,
    pub on_change: OnProtectedChange,
}

/// A resolved hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanHook {
    pub on: HookPoint,
    pub run: String,
    pub timeout: Limit<HumanDuration>,
    pub on_error: OnHookError,
}
