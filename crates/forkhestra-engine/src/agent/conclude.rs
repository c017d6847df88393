//! What an agent's stream and the end of its process come to together.

use forkhestra_core::config::Backend;
use forkhestra_core::event::{AgentEnd, Heard, Outcome, OutcomeClass};

use super::listen::Findings;
use super::resets::{Moment, resets};
use super::words::last_line;
use super::{claude, codex, gemini, opencode};

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
    findings: &Findings,
    end: &AgentEnd,
    complaint: &str,
    moment: Moment,
) -> Option<Heard> {
    if matches!(end, AgentEnd::NotStarted { .. }) {
        return None;
    }
    let outcome = match &findings.outcome {
        Some(outcome) => refined(backend, outcome.clone(), end),
        None if findings.understood => by_end(backend, findings, end, complaint),
        None => refusal(backend, end, complaint)?,
    };
    let outcome = with_reset(outcome, moment);
    Some(Heard { outcome, activity: findings.activity })
}

/// Why an agent says that it does not work in the way it was started. Nobody is asked who has begun
/// to work: what is on standard error then may come from anywhere.
fn refusal(backend: Backend, end: &AgentEnd, complaint: &str) -> Option<Outcome> {
    match backend {
        Backend::Claude => claude::refusal(end, complaint),
        Backend::Codex => codex::refusal(end, complaint),
        Backend::Gemini => gemini::refusal(end, complaint),
        Backend::Opencode => opencode::refusal(end, complaint),
    }
}

fn refined(backend: Backend, outcome: Outcome, end: &AgentEnd) -> Outcome {
    match backend {
        Backend::Gemini => gemini::refined(outcome, end),
        Backend::Claude | Backend::Codex | Backend::Opencode => outcome,
    }
}

/// What the end of a process means whose stream ended without a result.
fn by_end(backend: Backend, findings: &Findings, end: &AgentEnd, complaint: &str) -> Outcome {
    let said = || last_line(complaint);
    match end {
        AgentEnd::Signaled(signal) if is_interruption(*signal) => {
            Outcome::of(OutcomeClass::Interrupted)
        }
        AgentEnd::Exited(code) if is_interruption(*code - 128) => {
            Outcome::of(OutcomeClass::Interrupted)
        }
        AgentEnd::Exited(0) => match backend {
            // Both are silent about it, and exit as if all were well.
            Backend::Claude | Backend::Gemini => Outcome::of(OutcomeClass::Interrupted),
            // It stops when a tool is denied.
            Backend::Opencode if findings.activity.denials > 0 => {
                Outcome::of(OutcomeClass::Finished)
            }
            Backend::Codex | Backend::Opencode => {
                let message = Some("it ended without a result".to_owned());
                Outcome { message, ..Outcome::of(OutcomeClass::Crashed) }
            }
        },
        AgentEnd::Exited(gemini::TURN_LIMIT) if backend == Backend::Gemini => {
            Outcome::of(OutcomeClass::TurnLimit)
        }
        _ => Outcome { message: said(), ..Outcome::of(OutcomeClass::Crashed) },
    }
}

const fn is_interruption(signal: i32) -> bool {
    matches!(signal, INTERRUPT | HANGUP | TERMINATE)
}

/// The same with the reset that its message tells of, if it is not known better.
fn with_reset(mut outcome: Outcome, moment: Moment) -> Outcome {
    if outcome.class == OutcomeClass::UsageLimit && outcome.resets.is_none() {
        outcome.resets = outcome.message.as_deref().and_then(|text| resets(text, moment));
    }
    outcome
}
