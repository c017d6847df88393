//! The view of rounds, questions and conditions.

use forkhestra_core::event::AnswerSource;
use forkhestra_core::history::{ConditionRecord, QuestionRecord, RefusalSource, RoundRecord};
use forkhestra_core::machine::RunState;
use forkhestra_core::text::count::Count;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check_view::CheckView;

/// A round of a repeated group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoundView {
    /// The number of the group in the plan.
    pub group: usize,
    /// The number of the round, from one.
    pub round: u32,
    /// The most rounds of the group; omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rounds: Option<u32>,
    /// When it began.
    pub started_at: String,
    /// Why it was not accepted; omitted if it was, or is not over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<RefusalView>,
}

/// Why a round was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefusalView {
    /// When that was recorded.
    pub at: String,
    /// The step that decided, from one.
    pub step: usize,
    /// Who or what refused it: `agent`, `checks`, `person` or `timeout`.
    pub by: String,
    /// The checks that did not pass; omitted if these did not refuse it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// The reason that the next round is given; omitted without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A question to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionView {
    /// The step, from one.
    pub step: usize,
    /// Its number in the run, from one.
    pub number: u32,
    /// Its text; omitted without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// When it was asked first.
    pub asked_at: String,
    /// When its timeout expires; omitted without a timeout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The answer; omitted without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerView>,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerView {
    /// When it was given.
    pub at: String,
    /// Whether it was approved.
    pub approved: bool,
    /// Who or what answered.
    pub by: AnswerSource,
    /// The comment; omitted without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A condition that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConditionView {
    /// The step that it was checked before, from one.
    pub step: usize,
    /// The number of the group that it belongs to; omitted if it belongs to the step alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<usize>,
    /// When it was checked.
    pub at: String,
    /// Whether it holds.
    pub holds: bool,
    /// The result of its check.
    pub check: CheckView,
}

impl RoundView {
    /// The view of a record.
    pub fn of(record: &RoundRecord, state: &RunState) -> Self {
        let group = state.plan.group(record.group);
        let refused = record.refusal.as_ref().map(|refusal| RefusalView {
            at: refusal.at.to_string(),
            step: refusal.step,
            by: refusal.by.as_str().to_owned(),
            checks: match &refusal.by {
                RefusalSource::Checks(names) => names.clone(),
                RefusalSource::Agent | RefusalSource::Person | RefusalSource::Timeout => Vec::new(),
            },
            reason: refusal.reason.clone(),
        });
        Self {
            group: record.group,
            round: record.round,
            max_rounds: group.and_then(|group| group.rounds).map(Count::get),
            started_at: record.started.to_string(),
            refused,
        }
    }
}

impl QuestionView {
    /// The view of a record.
    pub fn of(record: &QuestionRecord) -> Self {
        let answer = record.answer.as_ref().map(|(at, answer)| AnswerView {
            at: at.to_string(),
            approved: answer.approved,
            by: answer.by,
            text: answer.text.clone(),
        });
        Self {
            step: record.step,
            number: record.number,
            text: record.text.clone(),
            asked_at: record.asked.to_string(),
            until: record.until.map(|until| until.to_string()),
            answer,
        }
    }
}

impl ConditionView {
    /// The view of a record.
    pub fn of(record: &ConditionRecord) -> Self {
        Self {
            step: record.step,
            group: record.group,
            at: record.at.to_string(),
            holds: record.holds,
            check: CheckView::from(&record.check),
        }
    }
}
