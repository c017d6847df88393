//! The config entries of checks.

use super::decode::record::{choice, record};
use super::decode::shorthand::ShorthandObject;
use super::decode::values::EntryName;
use crate::check::CheckSpec;
use crate::diagnostic::source::Spanned;
use crate::limit::{HumanDuration, Limit};

record! {
    /// A check with its settings.
    pub struct CheckEntry is "a check" {
        /// `command:…`, `file:PATH`, `marker:REGEX`, `exit-code`, `tasks`, `task:ID`, `planned` or the path
        /// of a script.
        "check" => check: Spanned<CheckSpec>,
        /// Its name in messages.
        "name" => name: Option<Spanned<EntryName>>,
        /// When it runs.
        "when" => when: Option<Spanned<CheckWhen>>,
        /// Whether the step does not start if the check passes before the first iteration.
        "mustFailFirst" => must_fail_first: Option<Spanned<bool>>,
        /// How long it may take.
        "timeout" => timeout: Option<Spanned<Limit<HumanDuration>>>,
    }
}

choice! {
    /// When a check runs.
    pub enum CheckWhen {
        /// When a completion is requested.
        Completion = "completion",
        /// After every iteration.
        Always = "always",
        /// Before work of a lane lands, on the merged result.
        Landing = "landing",
    }
}

impl ShorthandObject for CheckEntry {
    type Brief = CheckSpec;

    fn from_shorthand(check: Spanned<CheckSpec>) -> Self {
        Self { check, name: None, when: None, must_fail_first: None, timeout: None }
    }
}
