//! Operator messages in one line.

use forkhestra_core::event::RunEnd;
use forkhestra_core::history::{MessageRecord, RunHistory};
use forkhestra_core::id::UnitId;
use forkhestra_core::text;
use typeset::text::visible;

use super::checks;

/// The first non-blank line, safe to print and of bounded width.
pub(crate) fn first_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = checks::short(lines.next().unwrap_or_default());
    match lines.next() {
        Some(_) if !first.ends_with('…') => format!("{first} …"),
        _ => first,
    }
}

/// Messages by number: `message 1`, `messages 1 and 2`.
pub(crate) fn message_numbers(numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    let noun = if numbers.len() == 1 { "message" } else { "messages" };
    format!("{noun} {}", text::join_with_and(&numbers))
}

/// The recipient of a message.
pub(crate) fn recipient(record: &MessageRecord, history: &RunHistory) -> String {
    match (record.given, &history.state.end) {
        (Some(UnitId { step, iteration, .. }), _) => {
            let agent = visible(history.state.plan.agent_name(step));
            format!("step {step}, {agent}, iteration {iteration}")
        }
        (None, Some(RunEnd::Complete)) => "no agent: the run was over before".to_owned(),
        (None, _) => "waits for the next agent".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_enough_and_nothing_in_it_is_obeyed_by_a_terminal() {
        for (text, brief) in [
            ("use the other API", "use the other API"),
            ("\n  first\n\nsecond\n", "first …"),
            ("only\n\n", "only"),
            ("red \x1b[31m\x07", "red \\u{1b}[31m\\u{7}"),
            ("", ""),
        ] {
            assert_eq!(first_line(text), brief);
        }
        let long = first_line(&"word ".repeat(1000));
        assert!(long.chars().count() < 200 && long.ends_with('…'), "{long}");
    }

    #[test]
    fn messages_are_called_by_their_numbers() {
        assert_eq!(message_numbers(&[3]), "message 3");
        assert_eq!(message_numbers(&[3, 4]), "messages 3 and 4");
    }
}
