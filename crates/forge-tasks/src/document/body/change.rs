//! The edits of a body.

use super::BodySection;
use crate::words;

/// One change of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyEdit {
    /// A section gets another text; an empty one removes it. Nothing happens to the criteria.
    Set(BodySection, String),
    /// Appends a paragraph to a section, which is created if it is missing. The criteria are not
    /// changed.
    Append(BodySection, String),
    /// A criterion is added.
    AddCriterion(String),
    /// Removes a criterion. The others keep their numbers.
    RemoveCriterion(u32),
    /// Checks a criterion, or unchecks it.
    Check(u32, bool),
}

/// A criterion was named that is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no criterion {wanted}; {}", there_are(known))]
pub struct NoSuchCriterion {
    /// The number that was given.
    pub wanted: u32,
    /// The numbers there are.
    pub known: Vec<u32>,
}

fn there_are(known: &[u32]) -> String {
    let numbers: Vec<String> = known.iter().map(ToString::to_string).collect();
    match known {
        [] => "the task has none".to_owned(),
        [only] => format!("there is only {only}"),
        _ => format!("there are {}", words::all_of(&numbers)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_criterion_is_answered_with_those_there_are() {
        let message =
            |known: &[u32]| NoSuchCriterion { wanted: 4, known: known.into() }.to_string();
        assert_eq!(message(&[1, 2, 3]), "there is no criterion 4; there are 1, 2 and 3");
        assert_eq!(message(&[7]), "there is no criterion 4; there is only 7");
        assert_eq!(message(&[]), "there is no criterion 4; the task has none");
    }
}
