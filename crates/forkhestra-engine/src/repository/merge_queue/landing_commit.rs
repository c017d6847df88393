//! Makes the commits of landings. The same inputs make a commit with the same id, so that a landing that
//! is repeated after a crash is the same landing.

use std::ffi::OsString;

use forkhestra_core::time::Timestamp;

use super::{MergeQueueError, QueueRepository};
use crate::repository::text;

/// The message of a commit that forkhestra makes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LandingMessage {
    /// The first line, such as `Land TASK-007: Rename the cart`.
    pub subject: String,
    /// Keys and values of the trailers, such as `Forkhestra-Run`.
    pub trailers: Vec<(String, String)>,
}

/// An author or a committer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitPerson {
    pub name: String,
    pub email: String,
}

/// Who made a commit, and when: the moment of an event, and not of the merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandingSignature {
    pub author: CommitPerson,
    pub committer: CommitPerson,
    pub at: Timestamp,
}

impl LandingMessage {
    /// The text: one line, and then the trailers.
    fn text(&self) -> String {
        let mut text = one_line(&self.subject);
        if text.is_empty() {
            text.push_str("Land work of a lane");
        }
        text.push('\n');
        for (number, (key, value)) in self.trailers.iter().enumerate() {
            if number == 0 {
                text.push('\n');
            }
            text.push_str(&format!("{}: {}\n", one_line(key), one_line(value)));
        }
        text
    }
}

/// A text without line breaks and other control characters.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ").trim().to_owned()
}

impl LandingSignature {
    fn variables(&self) -> [(&'static str, OsString); 6] {
        let date = OsString::from(format!("@{} +0000", self.at.milliseconds().max(0) / 1000));
        let person = |person: &CommitPerson| -> (OsString, OsString) {
            (name_or(&person.name, "forkhestra"), name_or(&person.email, "forkhestra@localhost"))
        };
        let (author, committer) = (person(&self.author), person(&self.committer));
        [
            ("GIT_AUTHOR_NAME", author.0),
            ("GIT_AUTHOR_EMAIL", author.1),
            ("GIT_AUTHOR_DATE", date.clone()),
            ("GIT_COMMITTER_NAME", committer.0),
            ("GIT_COMMITTER_EMAIL", committer.1),
            ("GIT_COMMITTER_DATE", date),
        ]
    }
}

/// Git refuses a name of which nothing is left when it has removed these characters.
fn name_or(name: &str, other: &str) -> OsString {
    let is_kept = |character: char| !character.is_control() && !" .,:;<>\"\\'".contains(character);
    if name.chars().any(is_kept) { name.replace('\0', "").into() } else { other.into() }
}

impl QueueRepository {
    /// Makes a commit with a tree and parents.
    pub(super) fn commit_tree(
        &self,
        tree: &str,
        parents: &[&str],
        message: &LandingMessage,
        signature: &LandingSignature,
    ) -> Result<String, MergeQueueError> {
        let mut args = vec!["commit-tree", "--no-gpg-sign", tree];
        args.extend(parents.iter().flat_map(|parent| ["-p", parent]));
        let (variables, message) = (signature.variables(), message.text());
        Ok(text(&self.session().send_input(&variables, &args, message.as_bytes())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_one_line_and_its_trailers() {
        let message = LandingMessage {
            subject: "Land TASK-1:\nInjected: yes".to_owned(),
            trailers: vec![("Forkhestra-Run".to_owned(), "a\nb".to_owned())],
        };
        assert_eq!(message.text(), "Land TASK-1: Injected: yes\n\nForkhestra-Run: a b\n");
        assert_eq!(LandingMessage::default().text(), "Land work of a lane\n");
    }

    #[test]
    fn names_that_git_refuses_are_replaced() {
        assert_eq!(name_or("<>", "other"), "other");
        assert_eq!(name_or("", "other"), "other");
        assert_eq!(name_or("A. B", "other"), "A. B");
    }
}
