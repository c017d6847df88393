//! Rounds, questions and conditions of a run.

use crate::event::{Answer, AnswerSource, CheckReport, Event, EventKind};
use crate::machine::RunState;
use crate::time::Timestamp;

/// Rounds, questions and conditions of a run, each in the order in which they began.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FlowHistory {
    pub rounds: Vec<RoundRecord>,
    pub questions: Vec<QuestionRecord>,
    pub conditions: Vec<ConditionRecord>,
}

/// A round of a repeated group.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundRecord {
    /// The number of the group in the plan.
    pub group: usize,
    /// The number of the round.
    pub round: u32,
    pub started: Timestamp,
    /// Why it was not accepted; none if it was, or is not over.
    pub refusal: Option<RoundRefusal>,
}

/// Why a round was not accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundRefusal {
    pub at: Timestamp,
    /// The step that decided, one-based.
    pub step: usize,
    pub by: RefusalSource,
    /// What the next round is given as the reason. Untrusted: an agent, a program or a person wrote
    /// it.
    pub reason: Option<String>,
}

/// Who or what did not accept a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefusalSource {
    /// The agent of the last step.
    Agent,
    /// Checks of the group, by their names.
    Checks(Vec<String>),
    Person,
    /// The timeout of the question expired.
    Timeout,
}

/// A question to a person.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionRecord {
    /// The step, one-based.
    pub step: usize,
    /// Its number in the run.
    pub number: u32,
    pub text: Option<String>,
    /// When it was asked first.
    pub asked: Timestamp,
    /// When its timeout expires.
    pub until: Option<Timestamp>,
    pub answer: Option<(Timestamp, Answer)>,
}

/// A condition that was checked.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionRecord {
    /// The step that it was checked before, one-based.
    pub step: usize,
    /// The group that it belongs to; none if it belongs to the step alone.
    pub group: Option<usize>,
    pub at: Timestamp,
    pub holds: bool,
    pub check: CheckReport,
}

impl RefusalSource {
    /// Who or what did not accept the round that a step (one-based) decided about.
    pub fn of(state: &RunState, step: usize) -> Self {
        let Some(state) = state.step(step) else { return Self::Agent };
        if let Some(failed) = state.failed_round() {
            return Self::Checks(failed.names());
        }
        let answer = state.question.as_ref().map(|question| question.answer.as_ref());
        match answer {
            None => Self::Agent,
            Some(Some(Answer { by: AnswerSource::Timeout, .. })) => Self::Timeout,
            Some(_) => Self::Person,
        }
    }

    /// The word in JSON.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Checks(_) => "checks",
            Self::Person => "person",
            Self::Timeout => "timeout",
        }
    }
}

impl FlowHistory {
    /// Folds an event. `state` includes it.
    pub(super) fn apply(&mut self, event: &Event, state: &RunState) {
        let at = event.at;
        match &event.kind {
            EventKind::RoundStarted { group, round } => {
                let (group, round) = (*group, *round);
                self.rounds.push(RoundRecord { group, round, started: at, refusal: None });
            }
            EventKind::RoundRefused { step, group, reason, .. } => {
                let (step, reason) = (*step, reason.clone());
                let by = RefusalSource::of(state, step);
                let last = self.rounds.iter_mut().rfind(|round| round.group == *group);
                last.into_iter().for_each(|round| {
                    let (by, reason) = (by.clone(), reason.clone());
                    round.refusal = Some(RoundRefusal { at, step, by, reason });
                });
            }
            EventKind::Asked { step, question, text, until } => {
                let is_asked_again = self.questions.iter().any(|asked| asked.number == *question);
                if !is_asked_again {
                    self.questions.push(QuestionRecord {
                        step: *step,
                        number: *question,
                        text: text.clone(),
                        asked: at,
                        until: *until,
                        answer: None,
                    });
                }
            }
            EventKind::Answered { answer, .. } => {
                let asked = self.questions.iter_mut().find(|asked| asked.number == answer.question);
                asked.into_iter().for_each(|asked| asked.answer = Some((at, answer.clone())));
            }
            EventKind::ConditionChecked { step, number, holds, check } => {
                let planned = state.plan.step(*step);
                let planned = planned.and_then(|step| step.conditions.get(number.checked_sub(1)?));
                self.conditions.push(ConditionRecord {
                    step: *step,
                    group: planned.and_then(|condition| condition.group),
                    at,
                    holds: *holds,
                    check: check.clone(),
                });
            }
            _ => {}
        }
    }

    /// The refused rounds of a group, in order.
    pub fn refused_rounds(&self, group: usize) -> impl Iterator<Item = (u32, &RoundRefusal)> {
        let of_group = self.rounds.iter().filter(move |record| record.group == group);
        of_group.filter_map(|record| Some((record.round, record.refusal.as_ref()?)))
    }

    /// The question with this number.
    pub fn question(&self, number: u32) -> Option<&QuestionRecord> {
        self.questions.iter().find(|question| question.number == number)
    }
}
