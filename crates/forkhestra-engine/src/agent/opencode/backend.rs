//! The behaviour of opencode.

use forkhestra_core::config::Permissions;
use forkhestra_core::event::{AgentOutcome, OutcomeClass};

use super::command;
use super::dialect::OpencodeDialect;
use super::outcome;
use super::retries::OpencodeRetries;
use crate::agent::agent_backend::AgentBackend;

pub(in crate::agent) static BACKEND: AgentBackend = AgentBackend {
    invocation: command::invocation,
    skips_permissions: |direct| direct.permissions == Permissions::Skip,
    dialect: || Box::new(OpencodeDialect::default()),
    calls_outlive_answers: false,
    stderr_dialect: Some(|| Box::new(OpencodeRetries)),
    refusal: outcome::refusal,
    refined: |outcome, _| outcome,
    // It stops after a denied tool.
    exit_without_result: |code, activity| {
        let is_denied = code == 0 && activity.denials > 0;
        is_denied.then(|| AgentOutcome::of(OutcomeClass::Finished))
    },
};
