//! The behaviour of Gemini CLI.

use forkhestra_core::config::Permissions;

use super::command;
use super::dialect::GeminiDialect;
use super::outcome;
use super::retries::GeminiRetries;
use crate::agent::agent_backend::AgentBackend;

pub(in crate::agent) static BACKEND: AgentBackend = AgentBackend {
    invocation: command::invocation,
    skips_permissions: |direct| direct.permissions == Permissions::Skip,
    dialect: || Box::new(GeminiDialect::default()),
    calls_outlive_answers: false,
    stderr_dialect: Some(|| Box::new(GeminiRetries::default())),
    refusal: outcome::refusal,
    refined: outcome::refine_by_exit,
    exit_without_result: |code, _| outcome::of_exit(code),
};
