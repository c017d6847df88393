//! The plan's types: plain data, serialized as the documented JSON of `--output json`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::agent::plan_agent::PlanAgent;
use super::check::plan_check::{CleanRoom, PlanCheck, PlanHook, Protection};
use super::fallback::step_fallback::StepFallback;
use super::flow::plan_flow::{Flow, FlowGroup};
use super::flow::plan_question::PlanQuestion;
use super::lanes::best_of::BestOf;
use super::lanes::lane_settings::LaneSettings;
use super::pinned_program::PinnedProgram;
use super::sandbox::StepSandbox;
use super::value_origin::{Sourced, ValueOrigin};
use crate::check::CheckSpec;
use crate::config::{CompletionRule, OnCycle};
use crate::event::Fingerprint;
use crate::limit::{RunLimits, StepLimits};
use crate::marker::Marker;
use crate::text::count::Count;
use crate::text::lane_count::LaneCount;

/// The name of a step in which a person answers a question.
pub(crate) const QUESTION_MARK: &str = "?";

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
    /// The settings of lanes that have none of their own. Since 3.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane_settings: Option<Sourced<LaneSettings>>,
    /// Whether every question is approved without asking. Since 3.0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approves_all: bool,
    pub hooks: Vec<Sourced<PlanHook>>,
    /// Limits of the whole run.
    pub limits: RunLimits,
    /// Whether feedback gives agents the reason why earlier work was refused or not complete.
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
    /// The lanes that share the iterations; none if they run one after another. Since 3.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<LaneCount>,
    /// Best of N, instead of `lanes`. Since 3.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<BestOf>,
    /// The settings of the lane that the step runs in. Since 3.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane_settings: Option<Sourced<LaneSettings>>,
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
