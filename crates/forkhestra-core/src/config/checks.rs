//! The config entries of checks.

use super::decode::decoder::{Decoder, ObjectKeys};
use super::decode::record::{choice, record};
use super::decode::shorthand::ShorthandObject;
use super::decode::values::EntryName;
use crate::check::CheckSpec;
use crate::diagnostic::source::Spanned;
use crate::limit::{HumanDuration, Limit};

record! {
    /// A check with its settings.
    pub struct CheckEntry is "a check", validated by validate {
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

/// Refuses a landing for a check that does not look at files.
fn validate(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    let Some(span) = keys.span("when").filter(|_| keys.text("when") == Some("landing")) else {
        return;
    };
    let Some(Ok(check)) = keys.text("check").map(CheckSpec::parse) else { return };
    if !check.looks_at_files() {
        let message = format!("`{}` cannot be `landing` for `{check}`", decoder.path_to("when"));
        let error = decoder.error(span, message, "a landing checks the merged files");
        error.hints.push("it runs when completion is requested: \"completion\"".to_owned());
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
