//! Classifies HTTP statuses and messages of providers.

use forkhestra_core::event::{AgentOutcome, OutcomeClass, ProcessEnd};

use super::one_line::last_line;

/// The class of a failure with this status, or `None` if the status is not specific enough.
pub(super) const fn class(status: u16) -> Option<OutcomeClass> {
    match status {
        401 | 403 => Some(OutcomeClass::Authentication),
        402 => Some(OutcomeClass::Billing),
        // A model or a whole service that does not exist.
        404 => Some(OutcomeClass::Misconfigured),
        413 => Some(OutcomeClass::ContextTooLong),
        // Temporary errors. 529 is specific to one provider.
        408 | 429 | 500..600 => Some(OutcomeClass::Overloaded),
        _ => None,
    }
}

/// The status in a text, as in `unexpected status 401 Unauthorized` or `last status: 429`.
pub(super) fn mentioned(text: &str) -> Option<u16> {
    let (_, rest) = text.split_once("status")?;
    let digits = rest.trim_start_matches([':', ' ']);
    let end = digits.find(|character: char| !character.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok().filter(|status| (100..600).contains(status))
}

/// The first class of a table with a phrase that the text contains. The comparison ignores case;
/// the phrases are in lower case.
pub(super) fn class_by_words(
    text: &str,
    table: &[(OutcomeClass, &[&str])],
) -> Option<OutcomeClass> {
    let text = text.to_lowercase();
    let (class, _) =
        table.iter().find(|(_, words)| words.iter().any(|word| text.contains(word)))?;
    Some(*class)
}

/// The outcome of a process that refused to start, if its standard error has a phrase of the table.
pub(super) fn refusal(
    end: &ProcessEnd,
    stderr: &str,
    table: &[(OutcomeClass, &[&str])],
) -> Option<AgentOutcome> {
    if end.is_success() {
        return None;
    }
    let class = class_by_words(stderr, table)?;
    Some(AgentOutcome { message: last_line(stderr), ..AgentOutcome::of(class) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_found_in_texts() {
        for (text, status) in [
            ("unexpected status 401 Unauthorized: no", Some(401)),
            ("exceeded retry limit, last status: 429 Too Many Requests", Some(429)),
            ("status", None),
            ("status 7 of 9", None),
            ("stream disconnected", None),
        ] {
            assert_eq!(mentioned(text), status, "{text}");
        }
    }

    #[test]
    fn an_unspecific_status_has_no_class() {
        assert_eq!(class(400), None);
        assert_eq!(class(200), None);
        assert_eq!(class(529), Some(OutcomeClass::Overloaded));
    }
}
