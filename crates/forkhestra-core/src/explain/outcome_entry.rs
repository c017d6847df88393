//! The table of the outcomes that agents report.

use super::end_facts::EndFacts;
use super::remedy::{self, Remedy};
use crate::config::NotifyTrigger;
use crate::event::{AgentOutcome, OutcomeClass};
use crate::history::ExecutionStatus;

/// The texts and consequences of an outcome that an agent reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeEntry {
    /// The outcome in forkhestra's words.
    pub brief: &'static str,
    /// The status of a step that ends by it.
    pub status: ExecutionStatus,
    /// The notification trigger if the run ends by it.
    pub notice: NotifyTrigger,
    pub remedy: Option<Remedy>,
}

impl OutcomeEntry {
    /// The row of the table.
    pub fn of(outcome: &AgentOutcome, facts: &EndFacts<'_>) -> Self {
        use ExecutionStatus::{Failed, Limited};
        use NotifyTrigger::{Attention, Failure, Limit};
        let (brief, status, notice, remedy) = match outcome.class {
            OutcomeClass::Finished => ("it came to its end", Failed, Failure, None),
            OutcomeClass::TurnLimit => {
                let remedy = match facts.agent().and_then(|agent| agent.max_turns) {
                    Some(_) => Remedy::new_run("raise `maxTurns` of the agent in the config"),
                    None => {
                        Remedy::resume("allow more turns in the settings of the agent's program")
                    }
                };
                ("its turns are used up", Limited, Limit, Some(remedy))
            }
            OutcomeClass::Budget => (
                "what it may spend is spent",
                Limited,
                Limit,
                Some(Remedy::resume("let it cost more (`--max-cost`, `--step-cost`)")),
            ),
            OutcomeClass::UsageLimit => (
                "its provider's usage limit is reached",
                Limited,
                Limit,
                Some(Remedy::resume(
                    "wait until the limit is reset, or allow a longer wait (`--max-wait`)",
                )),
            ),
            OutcomeClass::Overloaded => (
                "its provider does not serve it",
                Limited,
                Failure,
                Some(Remedy::resume("try again later, or allow a longer wait (`--max-wait`)")),
            ),
            OutcomeClass::Authentication => {
                let remedy = Remedy::resume(remedy::login(outcome, facts.agent()));
                ("authentication failed", Failed, Attention, Some(remedy))
            }
            OutcomeClass::Billing => {
                let brief = match remedy::is_wrong_account(outcome) {
                    true => "the wrong account would pay",
                    false => "it cannot be paid for like this",
                };
                (brief, Failed, Attention, Some(remedy::billing(outcome, facts.agent())))
            }
            OutcomeClass::ContextTooLong => (
                "what it has to read is too long for its model",
                Failed,
                Failure,
                Some(remedy::prompt_remedy("make", "shorter", facts.planned())),
            ),
            OutcomeClass::Refused => (
                "its model does not want to answer",
                Failed,
                Failure,
                Some(remedy::prompt_remedy("say", "in other words", facts.planned())),
            ),
            OutcomeClass::Misconfigured => {
                // The agent's message explains what to do about a sandbox.
                let remedy = (!remedy::contains_words(outcome, "IS_SANDBOX")).then(|| {
                    Remedy::new_run(
                        "change the agent in the config (`--dry-run -v` shows how it is started)",
                    )
                });
                ("the agent refused to start", Failed, Attention, remedy)
            }
            OutcomeClass::Interrupted => ("it was interrupted from outside", Failed, Failure, None),
            OutcomeClass::Crashed => ("it failed", Failed, Failure, None),
        };
        Self { brief, status, notice, remedy }
    }
}
