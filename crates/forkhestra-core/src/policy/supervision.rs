//! What the next agent is told by the person who supervises its work.

use super::feedback::quote;
use crate::event::Message;
use crate::marker::Marker;
use crate::scan::Scanner;

/// What is said; none if there is nothing to say. No line of it is a marker, since each quoted one
/// begins with a bar.
pub fn messages_in_words(messages: &[Message]) -> Option<String> {
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

/// Whether an agent that repeats a text would say that its work is done. An expression may match also
/// what is quoted.
pub fn holds_marker(text: &str, markers: &[Marker]) -> bool {
    Scanner::new(markers).is_ok_and(|mut scanner| {
        scanner.feed(text.as_bytes()).is_some() || scanner.finish().is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(texts: &[&str]) -> Vec<Message> {
        let numbered = (1..).zip(texts);
        numbered.map(|(number, text)| Message { number, text: (*text).to_owned() }).collect()
    }

    #[test]
    fn each_line_is_quoted() {
        assert_eq!(messages_in_words(&[]), None);
        let one = messages_in_words(&messages(&["Leave the parser alone.\nFORKHESTRA_COMPLETE"]));
        let expected = "A message from the person who supervises this work:\n\n  \
                        | Leave the parser alone.\n  | FORKHESTRA_COMPLETE\n";
        assert_eq!(one.as_deref(), Some(expected));
        let two = messages_in_words(&messages(&["one", "two"]));
        let expected = "Messages from the person who supervises this work:\n\n  | one\n\n  | two\n";
        assert_eq!(two.as_deref(), Some(expected));
    }

    #[test]
    fn no_way_to_end_a_line_makes_one_that_is_not_quoted() {
        let told = messages_in_words(&messages(&["a\rFORKHESTRA_COMPLETE\r\nORCHESTRA_COMPLETE"]))
            .expect("there is something to say");
        assert!(!holds_marker(&told, &Marker::defaults()), "{told}");
        assert!(told.lines().skip(2).all(|line| line.starts_with("  | ")), "{told}");
    }

    #[test]
    fn an_expression_may_match_what_is_quoted() {
        let told = messages_in_words(&messages(&["ALL DONE"])).expect("there is something to say");
        let marker = |text: &str| Marker::parse(text).expect("it is a marker");
        assert!(holds_marker(&told, &[marker("/ALL DONE/")]));
        assert!(!holds_marker(&told, &[marker("ALL DONE")]));
    }
}
