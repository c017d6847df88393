//! The agent of a step, with its program and its environment.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::config::{Backend, Billing, CostReport, Permissions};
use crate::plan::flow::plan_question::PlanQuestion;
use crate::plan::host_environment::ProgramLocation;
use crate::plan::replay::Replay;
use crate::plan::types::{Prompt, QUESTION_MARK};
use crate::plan::value_origin::{Sourced, ValueOrigin};
use crate::text::count::Count;

static NO_VARIABLES: EnvVars = EnvVars(BTreeMap::new());

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
