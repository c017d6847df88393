//! Derives the outcome of an agent from its stream and the end of its process.

use forkhestra_core::config::Backend;
use forkhestra_core::event::{AgentEnd, AgentOutcome, OutcomeClass, StreamSummary};

use super::stream_listener::StreamResult;
use crate::agent::one_line::last_line;
use crate::agent::usage_reset::{ResetContext, resets};
use crate::agent::{claude, codex, gemini, opencode};

const INTERRUPT: i32 = 2;
const HANGUP: i32 = 1;
const TERMINATE: i32 = 15;

/// The summary of an agent that has ended. `complaint` is the tail of its standard error.
///
/// `None` if the process was not started, or if its stream was not understood and it is no
/// recognised refusal to start, as for a program in place of an agent: it is evaluated like any
/// other program.
pub fn conclude(
    backend: Backend,
    findings: &StreamResult,
    end: &AgentEnd,
    complaint: &str,
    moment: ResetContext,
) -> Option<StreamSummary> {
    if matches!(end, AgentEnd::NotStarted { .. }) {
        return None;
    }
    let outcome = match &findings.outcome {
        Some(outcome) => refined(backend, outcome.clone(), end),
        None if findings.understood => by_end(backend, findings, end, complaint),
        None => refusal(backend, end, complaint)?,
    };
    let outcome = with_reset(outcome, moment);
    Some(StreamSummary { outcome, activity: findings.activity })
}

/// The outcome of an agent that refused to start. It is not used after the agent has begun to work,
/// since its standard error may then come from any process.
fn refusal(backend: Backend, end: &AgentEnd, complaint: &str) -> Option<AgentOutcome> {
    match backend {
        Backend::Claude => claude::refusal(end, complaint),
        Backend::Codex => codex::refusal(end, complaint),
        Backend::Gemini => gemini::refusal(end, complaint),
        Backend::Opencode => opencode::refusal(end, complaint),
    }
}

fn refined(backend: Backend, outcome: AgentOutcome, end: &AgentEnd) -> AgentOutcome {
    match backend {
        Backend::Gemini => gemini::refined(outcome, end),
        Backend::Claude | Backend::Codex | Backend::Opencode => outcome,
    }
}

/// The outcome of a process whose stream ended without a result.
fn by_end(
    backend: Backend,
    findings: &StreamResult,
    end: &AgentEnd,
    complaint: &str,
) -> AgentOutcome {
    let said = || last_line(complaint);
    match end {
        AgentEnd::Signaled(signal) if is_interruption(*signal) => {
            AgentOutcome::of(OutcomeClass::Interrupted)
        }
        AgentEnd::Exited(code) if is_interruption(*code - 128) => {
            AgentOutcome::of(OutcomeClass::Interrupted)
        }
        AgentEnd::Exited(0) => match backend {
            // Both exit with 0 and without a message after an interrupt.
            Backend::Claude | Backend::Gemini => AgentOutcome::of(OutcomeClass::Interrupted),
            // opencode stops after a denied tool.
            Backend::Opencode if findings.activity.denials > 0 => {
                AgentOutcome::of(OutcomeClass::Finished)
            }
            Backend::Codex | Backend::Opencode => {
                let message = Some("it ended without a result".to_owned());
                AgentOutcome { message, ..AgentOutcome::of(OutcomeClass::Crashed) }
            }
        },
        AgentEnd::Exited(gemini::TURN_LIMIT) if backend == Backend::Gemini => {
            AgentOutcome::of(OutcomeClass::TurnLimit)
        }
        _ => AgentOutcome { message: said(), ..AgentOutcome::of(OutcomeClass::Crashed) },
    }
}

const fn is_interruption(signal: i32) -> bool {
    matches!(signal, INTERRUPT | HANGUP | TERMINATE)
}

/// Adds the reset time of the message, if it is not known from a field.
fn with_reset(mut outcome: AgentOutcome, moment: ResetContext) -> AgentOutcome {
    if outcome.class == OutcomeClass::UsageLimit && outcome.resets.is_none() {
        outcome.resets = outcome.message.as_deref().and_then(|text| resets(text, moment));
    }
    outcome
}
