//! The text in front of an agent's prompt: messages of the operator, and feedback on the previous
//! iteration.

use forkhestra_core::event::OperatorMessage;
use forkhestra_core::machine::RunState;
use forkhestra_core::marker::Marker;
use forkhestra_core::policy::{contains_marker, operator_messages_text};

/// The longest argument that the system passes to a program.
pub(super) const MAX_ARGUMENT_BYTES: usize = 128 * 1024 - 1;

/// The parts of the text in front of a prompt.
#[derive(Debug, Default)]
pub(super) struct PromptPrefix {
    /// Messages of the operator.
    pub(super) message: Option<String>,
    /// Feedback on the previous iteration.
    pub(super) feedback: Option<String>,
}

/// A prompt with its prefix, which may be empty.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PrefixedPrompt {
    pub(super) prompt: String,
    /// Whether it includes the operator's messages, or there are none.
    pub(super) has_message: bool,
}

impl PromptPrefix {
    /// The prefix for the agent of a step, counted from one. Unlike feedback, messages cannot be
    /// turned off.
    pub(super) fn for_step(state: &RunState, step: usize) -> Self {
        let step = &state.steps[step - 1];
        let feedback = if state.plan.feedback { step.feedback.text() } else { None };
        // Arguments and variables cannot contain zero bytes.
        let clean = |text: String| text.replace('\0', " ");
        Self {
            message: operator_messages_text(&step.given).map(clean),
            feedback: feedback.map(clean),
        }
    }

    /// All variants of the prompt, the longest prefix first and no prefix last. A prefix must not
    /// contain a marker, since agents repeat their input. Messages have priority over feedback.
    pub(super) fn prefixed_prompts(&self, prompt: &str, markers: &[Marker]) -> Vec<PrefixedPrompt> {
        let may_stand = |text: &&String| !contains_marker(text, markers);
        let message = self.message.as_ref().filter(may_stand);
        let feedback = self.feedback.as_ref().filter(may_stand);
        let mut ways = vec![(message, feedback), (message, None), (None, feedback), (None, None)];
        ways.dedup();
        ways.into_iter()
            .map(|(message, feedback)| PrefixedPrompt {
                prompt: prefixed(prompt, [message, feedback].into_iter().flatten()),
                has_message: message.is_some() || self.message.is_none(),
            })
            .collect()
    }
}

/// The notice for messages that are not in the prompt.
pub(super) fn undelivered_warning(messages: &[OperatorMessage], variable: &str) -> String {
    let numbers: Vec<String> = messages.iter().map(|message| message.number.to_string()).collect();
    let (named, has) = match &*numbers {
        [number] => (format!("message {number}"), "is"),
        numbers => (format!("messages {}", numbers.join(", ")), "are"),
    };
    format!("{named} cannot be put in front of the prompt, and {has} only in {variable}")
}

fn prefixed<'a>(prompt: &str, texts: impl Iterator<Item = &'a String>) -> String {
    let mut together = String::new();
    for text in texts {
        together.push_str(text.trim_end());
        together.push_str("\n\n");
    }
    together + prompt
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_prefix() -> PromptPrefix {
        let message = Some("A message:\n\n  | Take care.\n".to_owned());
        PromptPrefix { message, feedback: Some("Not all checks passed.\n".to_owned()) }
    }

    fn prefixed_variants(prefix: &PromptPrefix, markers: &[&str]) -> Vec<(String, bool)> {
        let marker = |text: &&str| Marker::parse(text).expect("it is a marker");
        let markers: Vec<Marker> = markers.iter().map(marker).collect();
        let ways = prefix.prefixed_prompts("Go on.\n", &markers).into_iter();
        ways.map(|opened| (opened.prompt, opened.has_message)).collect()
    }

    #[test]
    fn messages_come_first_and_are_given_up_last() {
        let expected = [
            ("A message:\n\n  | Take care.\n\nNot all checks passed.\n\nGo on.\n", true),
            ("A message:\n\n  | Take care.\n\nGo on.\n", true),
            ("Not all checks passed.\n\nGo on.\n", false),
            ("Go on.\n", false),
        ];
        assert_eq!(
            prefixed_variants(&test_prefix(), &[]),
            expected.map(|(text, has_message)| (text.to_owned(), has_message))
        );
    }

    #[test]
    fn a_text_that_matches_a_marker_is_not_put_into_a_prompt() {
        let only_feedback = prefixed_variants(&test_prefix(), &["/care/"]);
        assert!(
            only_feedback.iter().all(|(text, has_message)| !text.contains("care") && !has_message)
        );
        let only_message = prefixed_variants(&test_prefix(), &["/passed/"]);
        assert_eq!(only_message[0].0, "A message:\n\n  | Take care.\n\nGo on.\n");
        assert!(prefixed_variants(&test_prefix(), &["Take care."])[0].0.contains("  | Take care."));
        // Markers in the prompt itself are the user's decision.
        assert!(prefixed_variants(&test_prefix(), &["Go on."])[0].1);
    }

    #[test]
    fn without_feedback_the_prompt_is_unchanged() {
        assert_eq!(
            prefixed_variants(&PromptPrefix::default(), &[]),
            [("Go on.\n".to_owned(), true)]
        );
    }
}
