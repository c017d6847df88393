//! The behaviour of Claude Code.

use forkhestra_core::event::{AgentOutcome, OutcomeClass};

use super::command;
use super::dialect::ClaudeDialect;
use super::outcome;
use crate::agent::agent_backend::AgentBackend;

pub(in crate::agent) static BACKEND: AgentBackend = AgentBackend {
    invocation: command::invocation,
    skips_permissions: command::skips_permissions,
    dialect: || Box::new(ClaudeDialect::default()),
    calls_outlive_answers: false,
    stderr_dialect: None,
    refusal: outcome::refusal,
    refined: |outcome, _| outcome,
    // It exits with 0 and without a message after an interrupt.
    exit_without_result: |code, _| (code == 0).then(|| AgentOutcome::of(OutcomeClass::Interrupted)),
};
