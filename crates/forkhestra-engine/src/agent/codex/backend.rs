//! The behaviour of Codex.

use forkhestra_core::config::Permissions;

use super::command;
use super::dialect::CodexDialect;
use super::outcome;
use crate::agent::agent_backend::AgentBackend;

pub(in crate::agent) static BACKEND: AgentBackend = AgentBackend {
    invocation: |asked| Ok(command::invocation(asked)),
    skips_permissions: |direct| direct.permissions == Permissions::Skip,
    dialect: || Box::new(CodexDialect::default()),
    // It leaves commands running in the background. Their calls stay open until their own results.
    calls_outlive_answers: true,
    stderr_dialect: None,
    refusal: outcome::refusal,
    refined: |outcome, _| outcome,
    exit_without_result: |_, _| None,
};
