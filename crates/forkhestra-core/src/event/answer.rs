//! Answers to questions, in the journal and in its JSON.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wire::words;

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The number of the question in the run.
    pub question: u32,
    /// Whether it was approved.
    pub approved: bool,
    /// The comment of the person; left out without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Who or what answered.
    pub by: AnswerSource,
}

words! {
    /// Who or what answered a question.
    AnswerSource(as_str) {
        /// A person.
        Person = "person",
        /// The timeout of the question expired.
        Timeout = "timeout",
        /// `--yes` approves every question.
        YesOption = "option",
    }
}
