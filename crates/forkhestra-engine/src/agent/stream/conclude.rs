//! What an agent's stream and the end of its process come to together.

use forkhestra_core::config::Backend;
use forkhestra_core::event::{AgentEnd, AgentOutcome, OutcomeClass, StreamSummary};

use super::stream_listener::StreamResult;
use crate::agent::one_line::last_line;
use crate::agent::usage_reset::{ResetContext, resets};
use crate::agent::{claude, codex, gemini, opencode};

const INTERRUPT: i32 = 2;
const HANGUP: i32 = 1;
const TERMINATE: i32 = 15;

/// What was heard from an agent, now that it is gone. `complaint` is the end of what it printed to
/// standard error.
///
/// None for whoever is no such agent, as a program that stands in for it: it is judged like any
/// other.
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

/// Why an agent says that it does not work in the way it was started. Nobody is asked who has begun
/// to work: what is on standard error then may come from anywhere.
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

/// What the end of a process means whose stream ended without a result.
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
            // Both are silent about it, and exit as if all were well.
            Backend::Claude | Backend::Gemini => AgentOutcome::of(OutcomeClass::Interrupted),
            // It stops when a tool is denied.
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

/// The same with the reset that its message tells of, if it is not known better.
fn with_reset(mut outcome: AgentOutcome, moment: ResetContext) -> AgentOutcome {
    if outcome.class == OutcomeClass::UsageLimit && outcome.resets.is_none() {
        outcome.resets = outcome.message.as_deref().and_then(|text| resets(text, moment));
    }
    outcome
}
