//! Derives the outcome of an agent from its stream and the end of its process.

use forkhestra_core::config::Backend;
use forkhestra_core::event::{AgentOutcome, OutcomeClass, ProcessEnd, StreamSummary};

use super::stream_listener::StreamResult;
use crate::agent::agent_backend::{AgentBackend, agent_backend};
use crate::agent::one_line::last_line;
use crate::agent::usage_reset::{ResetContext, resets};

const INTERRUPT: i32 = 2;
const HANGUP: i32 = 1;
const TERMINATE: i32 = 15;

/// The summary of an agent that has ended. `stderr` is the tail of its standard error.
///
/// `None` if the process was not started, or if its stream was not understood and it is no
/// recognised refusal to start, as for a program in place of an agent: it is evaluated like any
/// other program.
pub fn conclude(
    backend: Backend,
    findings: &StreamResult,
    end: &ProcessEnd,
    stderr: &str,
    context: ResetContext,
) -> Option<StreamSummary> {
    if matches!(end, ProcessEnd::NotStarted { .. }) {
        return None;
    }
    let backend = agent_backend(backend);
    let outcome = match &findings.outcome {
        Some(outcome) => (backend.refined)(outcome.clone(), end),
        None if findings.understood => outcome_by_exit(backend, findings, end, stderr),
        // Not used after the agent has begun to work: its standard error may then come from any
        // process.
        None => (backend.refusal)(end, stderr)?,
    };
    let outcome = with_reset(outcome, context);
    Some(StreamSummary { outcome, activity: findings.activity })
}

/// The outcome of a process whose stream ended without a result.
fn outcome_by_exit(
    backend: &AgentBackend,
    findings: &StreamResult,
    end: &ProcessEnd,
    stderr: &str,
) -> AgentOutcome {
    let known = match end {
        ProcessEnd::Signaled(signal) if is_interruption(*signal) => {
            Some(AgentOutcome::of(OutcomeClass::Interrupted))
        }
        ProcessEnd::Exited(code) if is_interruption(*code - 128) => {
            Some(AgentOutcome::of(OutcomeClass::Interrupted))
        }
        ProcessEnd::Exited(code) => (backend.exit_without_result)(*code, &findings.activity),
        _ => None,
    };
    known.unwrap_or_else(|| {
        let message = match end {
            ProcessEnd::Exited(0) => Some("it ended without a result".to_owned()),
            _ => last_line(stderr),
        };
        AgentOutcome { message, ..AgentOutcome::of(OutcomeClass::Crashed) }
    })
}

const fn is_interruption(signal: i32) -> bool {
    matches!(signal, INTERRUPT | HANGUP | TERMINATE)
}

/// Adds the reset time of the message, if it is not known from a field.
fn with_reset(mut outcome: AgentOutcome, context: ResetContext) -> AgentOutcome {
    if outcome.class == OutcomeClass::UsageLimit && outcome.resets.is_none() {
        outcome.resets = outcome.message.as_deref().and_then(|text| resets(text, context));
    }
    outcome
}
