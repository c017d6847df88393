//! What a person asked for on the command line, understood but not yet resolved.

use crate::count::Count;
use crate::dsl::Dsl;
use crate::hook::HookPoint;
use crate::limit::{Limit, Time, Usd};
use crate::marker::Marker;
use crate::variables::Variables;

/// Everything the command line says about a run.
#[derive(Debug, Clone)]
pub struct Request {
    /// What to run.
    pub what: What,
    /// Where to run it: an absolute path.
    pub working_directory: String,
    /// Where to keep the state, if not in the usual place.
    pub state_directory: Option<String>,
    /// Values for `${NAME}`.
    pub variables: Variables,
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
    pub limits: RequestedLimits,
    /// Whether failures of checks are told to the next iteration.
    pub feedback: bool,
}

impl Request {
    /// A request that leaves everything but what and where to the config and to what is usual.
    pub fn new(what: What, working_directory: impl Into<String>) -> Self {
        Self {
            what,
            working_directory: working_directory.into(),
            state_directory: None,
            variables: Variables::default(),
            prompt: None,
            agent_args: Vec::new(),
            markers: Vec::new(),
            done_file: None,
            checks: Vec::new(),
            hooks: Vec::new(),
            limits: RequestedLimits::default(),
            feedback: true,
        }
    }
}

/// What to run.
#[derive(Debug, Clone)]
pub enum What {
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

/// Limits given on the command line.
#[derive(Debug, Clone, Default)]
pub struct RequestedLimits {
    /// Wall time of one iteration.
    pub timeout: Option<Limit<Time>>,
    /// Silent and idle time of an agent.
    pub idle_timeout: Option<Limit<Time>>,
    /// Iterations without a change.
    pub stagnation: Option<Limit<Count>>,
    /// The longest wait for a usage limit.
    pub max_wait: Option<Limit<Time>>,
    /// Wall time of the whole run.
    pub max_time: Option<Limit<Time>>,
    /// Cost of the whole run.
    pub max_cost: Option<Limit<Usd>>,
}
