//! Ids of tasks.

use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};

/// The letters before the number of a task. None of them can lead out of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IdPrefix(String);

/// Why a text is not a prefix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a prefix; it begins with a letter, has only letters, digits, `_` and `-`, ends \
     with none of the latter, and has at most {MAX_PREFIX} characters"
)]
pub struct IdPrefixParseError(pub String);

const MAX_PREFIX: usize = 32;

/// The most digits that always fit into a `u64`.
const MAX_DIGITS: usize = 15;

impl IdPrefix {
    /// Reads a prefix.
    pub fn parse(text: &str) -> Result<Self, IdPrefixParseError> {
        let begins_well = text.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let ends_well = !text.ends_with('-') && text.len() <= MAX_PREFIX;
        if begins_well && text.bytes().all(is_plain) && ends_well {
            Ok(Self(text.to_owned()))
        } else {
            Err(IdPrefixParseError(text.to_owned()))
        }
    }

    /// The prefix as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for IdPrefix {
    fn default() -> Self {
        Self("TASK".to_owned())
    }
}

impl fmt::Display for IdPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a task: `TASK-001`.
///
/// It is shown as it was written. Names that differ only in case or in zeros are the same, and the
/// order is that of the numbers.
#[derive(Debug, Clone)]
pub struct TaskId {
    text: String,
    prefix_length: usize,
    number: u64,
}

/// Why a text is not the name of a task.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an id such as TASK-001")]
pub struct TaskIdParseError(pub String);

impl TaskId {
    /// Reads a whole id, as files have it.
    pub fn parse(text: &str) -> Result<Self, TaskIdParseError> {
        let error = || TaskIdParseError(text.to_owned());
        let (prefix, digits) = text.rsplit_once('-').ok_or_else(error)?;
        IdPrefix::parse(prefix).map_err(|_| error())?;
        let number = number(digits).ok_or_else(error)?;
        Ok(Self { text: text.to_owned(), prefix_length: prefix.len(), number })
    }

    /// Puts an id together, with zeros in front of a short number.
    pub fn new(prefix: &IdPrefix, number: u64, digits: usize) -> Self {
        let text = format!("{prefix}-{number:0digits$}");
        Self { text, prefix_length: prefix.0.len(), number }
    }

    /// The id with the next number, and as many digits.
    pub fn successor(&self) -> Self {
        let number = self.number + 1;
        let digits = self.text.len() - self.prefix_length - 1;
        let text = format!("{}-{number:0digits$}", self.prefix());
        Self { text, prefix_length: self.prefix_length, number }
    }

    /// The id as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The part before the number.
    pub fn prefix(&self) -> &str {
        &self.text[..self.prefix_length]
    }

    /// The number.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether a text has this id as a word, in upper or lower case, with or without leading zeros.
    /// `TASK-1` is neither in `TASK-10` nor in `XTASK-1`.
    pub fn is_named_in(&self, text: &str) -> bool {
        let text = text.to_ascii_lowercase();
        let prefix = format!("{}-", self.prefix()).to_ascii_lowercase();
        text.match_indices(&prefix).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let rest = &text[at + prefix.len()..];
            let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            let digits = &rest[..rest.len() - after.len()];
            let is_word = !before.is_some_and(char::is_alphanumeric)
                && !after.chars().next().is_some_and(char::is_alphanumeric);
            is_word && number(digits) == Some(self.number)
        })
    }

    /// Whether a reference in a file means this task.
    pub fn is_meant_by(&self, written: &str) -> bool {
        IdQuery::parse(written).is_ok_and(|query| query.means(self))
    }
}

fn number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty()
        && digits.len() <= MAX_DIGITS
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { digits.parse().ok() } else { None }
}

fn compare_prefixes(one: &str, other: &str) -> Ordering {
    let lower = |text: &str| text.bytes().map(|byte| byte.to_ascii_lowercase()).collect::<Vec<_>>();
    if one == other { Ordering::Equal } else { lower(one).cmp(&lower(other)) }
}

impl PartialEq for TaskId {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for TaskId {}

impl PartialOrd for TaskId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TaskId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.number.cmp(&other.number).then_with(|| compare_prefixes(self.prefix(), other.prefix()))
    }
}

impl Serialize for TaskId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// A task id from the user: `1`, `task-1` and `TASK-001` mean the same task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdQuery {
    text: String,
    prefix: Option<String>,
    number: u64,
}

impl IdQuery {
    /// Parses an id from the user.
    pub fn parse(text: &str) -> Result<Self, TaskIdParseError> {
        let trimmed = text.trim();
        if let Some(number) = number(trimmed) {
            return Ok(Self { text: trimmed.to_owned(), prefix: None, number });
        }
        let id = TaskId::parse(trimmed)?;
        let prefix = Some(id.prefix().to_owned());
        Ok(Self { text: trimmed.to_owned(), prefix, number: id.number })
    }

    /// Whether this means a task.
    pub fn means(&self, id: &TaskId) -> bool {
        let means_prefix = |prefix: &String| prefix.eq_ignore_ascii_case(id.prefix());
        self.number == id.number && self.prefix.as_ref().is_none_or(means_prefix)
    }

    /// Whether this and a reference in a file mean the same task, however they are written.
    pub fn means_written(&self, written: &str) -> bool {
        match TaskId::parse(written.trim()) {
            Ok(id) => self.means(&id),
            Err(_) => Self::parse(written).is_ok_and(|other| other.number == self.number),
        }
    }

    /// The number of the task.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The prefix, if one was given.
    pub fn prefix(&self) -> Option<&str> {
        self.prefix.as_deref()
    }

    /// The original text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl From<&TaskId> for IdQuery {
    fn from(id: &TaskId) -> Self {
        Self { text: id.text.clone(), prefix: Some(id.prefix().to_owned()), number: id.number }
    }
}

impl fmt::Display for IdQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_named_as_a_word_of_its_own() {
        for (text, expected) in [
            ("see TASK-003", true),
            ("see task-003, then", true),
            ("TASK-3: the parser", true),
            ("`Task-0003`", true),
            ("TASK-31 or TASK-3", true),
            ("TASK-0031", false),
            ("TASK-3b", false),
            ("TASK-", false),
            ("TASK-9999999999999999999999", false),
            ("XTASK-003", false),
            ("TASK-003-b", true),
            ("", false),
        ] {
            assert_eq!(id("TASK-003").is_named_in(text), expected, "{text:?}");
        }
    }

    fn id(text: &str) -> TaskId {
        TaskId::parse(text).expect("it is an id")
    }

    #[test]
    fn ids_that_differ_only_in_case_or_zeros_are_the_same() {
        assert_eq!(id("TASK-001"), id("task-1"));
        assert_ne!(id("TASK-1"), id("BUG-1"));
        assert_ne!(id("TASK-1"), id("TASK-10"));
        assert_eq!(id("task-001").to_string(), "task-001");
        assert_eq!(id("FE-TASK-1").prefix(), "FE-TASK");
        assert_eq!(TaskId::new(&IdPrefix::default(), 7, 3).as_str(), "TASK-007");
        assert_eq!(TaskId::new(&IdPrefix::default(), 1234, 3).as_str(), "TASK-1234");
        assert_eq!(id("TASK-009").successor().as_str(), "TASK-010");
        assert_eq!(id("TASK-999").successor().as_str(), "TASK-1000");
    }

    #[test]
    fn the_order_is_that_of_the_numbers() {
        let mut ids = [id("TASK-10"), id("task-9"), id("BUG-010"), id("TASK-009")];
        ids.sort();
        let texts: Vec<&str> = ids.iter().map(TaskId::as_str).collect();
        assert_eq!(texts, ["task-9", "TASK-009", "BUG-010", "TASK-10"]);
    }

    #[test]
    fn a_task_is_found_by_its_number_or_its_id() {
        for text in ["1", "001", "task-1", "TASK-001", " TASK-1 "] {
            let query = IdQuery::parse(text).expect("it is one");
            assert!(query.means(&id("TASK-001")), "{text}");
            assert!(!query.means(&id("TASK-011")), "{text}");
        }
        assert!(IdQuery::parse("1").expect("it is one").means(&id("BUG-1")));
        assert!(!IdQuery::parse("TASK-1").expect("it is one").means(&id("BUG-1")));
    }

    #[test]
    fn invalid_ids_and_prefixes_are_refused() {
        for text in
            ["", "-1", "TASK", "TASK-", "TASK-x", "TASK-1.2", "../x-1", "TASK-1234567890123456"]
        {
            assert_eq!(TaskId::parse(text), Err(TaskIdParseError(text.to_owned())), "{text}");
        }
        for text in ["", "..", "a/b", "1A", "A-", "ä", "a b", &"x".repeat(33)] {
            assert!(IdPrefix::parse(text).is_err(), "{text}");
        }
    }
}
