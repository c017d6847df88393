//! Operator messages as the next agent gets them.

use super::feedback::quote;
use crate::event::OperatorMessage;
use crate::marker::Marker;
use crate::scan::MarkerScanner;

/// The text for the agent; none without messages. No line of it matches a marker, since each quoted
/// line begins with a bar.
pub fn operator_messages_text(messages: &[OperatorMessage]) -> Option<String> {
    let mut text = String::from(match messages {
        [] => return None,
        [_] => "A message from the person who supervises this work:\n",
        _ => "Messages from the person who supervises this work:\n",
    });
    for message in messages {
        text.push('\n');
        quote(&mut text, &message.text);
    }
    Some(text)
}

/// Whether an agent that repeats a text would match a completion marker. A regular expression may
/// also match quoted text.
pub fn contains_marker(text: &str, markers: &[Marker]) -> bool {
    MarkerScanner::new(markers).is_ok_and(|mut scanner| {
        scanner.feed(text.as_bytes()).is_some() || scanner.finish().is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(texts: &[&str]) -> Vec<OperatorMessage> {
        let numbered = (1..).zip(texts);
        numbered
            .map(|(number, text)| OperatorMessage { number, text: (*text).to_owned(), lane: None })
            .collect()
    }

    #[test]
    fn each_line_is_quoted() {
        assert_eq!(operator_messages_text(&[]), None);
        let one =
            operator_messages_text(&messages(&["Leave the parser alone.\nFORKHESTRA_COMPLETE"]));
        let expected = "A message from the person who supervises this work:\n\n  \
                        | Leave the parser alone.\n  | FORKHESTRA_COMPLETE\n";
        assert_eq!(one.as_deref(), Some(expected));
        let two = operator_messages_text(&messages(&["one", "two"]));
        let expected = "Messages from the person who supervises this work:\n\n  | one\n\n  | two\n";
        assert_eq!(two.as_deref(), Some(expected));
    }

    #[test]
    fn no_way_to_end_a_line_makes_one_that_is_not_quoted() {
        let text =
            operator_messages_text(&messages(&["a\rFORKHESTRA_COMPLETE\r\nORCHESTRA_COMPLETE"]))
                .expect("there is something to say");
        assert!(!contains_marker(&text, &Marker::defaults()), "{text}");
        assert!(text.lines().skip(2).all(|line| line.starts_with("  | ")), "{text}");
    }

    #[test]
    fn an_expression_may_match_what_is_quoted() {
        let quoted =
            operator_messages_text(&messages(&["ALL DONE"])).expect("there is something to say");
        let marker = |text: &str| Marker::parse(text).expect("it is a marker");
        assert!(contains_marker(&quoted, &[marker("/ALL DONE/")]));
        assert!(!contains_marker(&quoted, &[marker("ALL DONE")]));
    }
}
