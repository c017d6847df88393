//! The behaviour of each agent program. Its facts are in `Backend::facts` of the core.

use forkhestra_core::config::Backend;
use forkhestra_core::event::{AgentActivity, AgentOutcome, ProcessEnd};
use forkhestra_core::plan::DirectSpawn;

use super::command::{Invocation, InvocationError, InvocationRequest};
use super::stderr_watcher::StderrDialect;
use super::stream::dialect::Dialect;
use super::{claude, codex, gemini, opencode};

/// The behaviour of an agent program.
pub(super) struct AgentBackend {
    /// Builds the invocation in the syntax of the program.
    pub(super) invocation: fn(&InvocationRequest<'_>) -> Result<Invocation, InvocationError>,
    /// Whether the program is started with all permissions skipped.
    pub(super) skips_permissions: fn(&DirectSpawn) -> bool,
    /// Interprets its standard output.
    pub(super) dialect: fn() -> Box<dyn Dialect>,
    /// Whether a tool call may stay open while the model answers again.
    pub(super) calls_outlive_answers: bool,
    /// Interprets its standard error, if that contains anything relevant.
    pub(super) stderr_dialect: Option<fn() -> Box<dyn StderrDialect>>,
    /// The outcome of a process that refused to start, if the reason is recognised. The text is the
    /// tail of its standard error.
    pub(super) refusal: fn(&ProcessEnd, &str) -> Option<AgentOutcome>,
    /// Refines the outcome that the stream reports.
    pub(super) refined: fn(AgentOutcome, &ProcessEnd) -> AgentOutcome,
    /// The outcome of a process that exited with this code and without a result, if the program
    /// means something by it.
    pub(super) exit_without_result: fn(i32, &AgentActivity) -> Option<AgentOutcome>,
}

/// The behaviour of a back-end.
pub(super) const fn agent_backend(backend: Backend) -> &'static AgentBackend {
    match backend {
        Backend::Claude => &claude::BACKEND,
        Backend::Codex => &codex::BACKEND,
        Backend::Gemini => &gemini::BACKEND,
        Backend::Opencode => &opencode::BACKEND,
    }
}

/// Whether an agent is started with all permissions skipped.
pub fn skips_permissions(direct: &DirectSpawn) -> bool {
    (agent_backend(direct.backend).skips_permissions)(direct)
}
