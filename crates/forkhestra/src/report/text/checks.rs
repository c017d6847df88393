//! Names and output of checks.

use forkhestra_core::check::CheckSpec;
use forkhestra_core::event::CheckReport;
use forkhestra_core::explain;
use forkhestra_core::plan::PlanCheck;
use typeset::text::{shortened, visible, visible_lines};

/// Maximum width of a name.
const WIDEST: usize = 80;

/// Maximum number of output lines of a check, unless all are requested.
const MAX_LINES: usize = 10;

/// The name of an executed check: a command is its own name.
pub(crate) fn name(name: &str) -> String {
    short(&explain::check_name(name))
}

/// The name of a planned check.
pub(crate) fn planned_name(check: &PlanCheck) -> String {
    match (&check.name, &check.check) {
        (Some(name), _) => short(name),
        (None, CheckSpec::Command(command)) => short(command),
        (None, spec) => short(&spec.to_string()),
    }
}

/// A command in one line of bounded width.
pub(crate) fn short(text: &str) -> String {
    shortened(&visible(text), WIDEST)
}

/// The names of the passed and of the failed checks.
pub(crate) fn names(checks: &[CheckReport]) -> [Vec<String>; 2] {
    explain::check_names(checks).map(|names| names.iter().map(|name| short(name)).collect())
}

/// Names the failed checks; none if all passed.
pub(crate) fn failure(checks: &[CheckReport]) -> Option<String> {
    explain::failed_checks(checks).map(|failed| visible(&failed))
}

/// The end of a check's output, line by line.
pub(crate) fn tail(report: &CheckReport, detail: CheckDetail) -> Vec<String> {
    let lines = visible_lines(report.tail.as_deref().unwrap_or_default().trim_end());
    let left_out = match detail {
        CheckDetail::Last => lines.len().saturating_sub(MAX_LINES),
        CheckDetail::All => 0,
    };
    let mut shown = lines[left_out..].to_vec();
    if left_out > 0 {
        // The total number of lines is unknown: only the tail is recorded.
        let earlier = forkhestra_core::text::count(left_out, "line");
        shown.insert(0, format!("… more before this; `-v` shows {earlier} of it"));
    }
    shown
}

/// How much output of a check is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckDetail {
    Last,
    /// All recorded lines.
    All,
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use forkhestra_core::event::CheckOutcome;

    use super::*;

    fn report(name: &str, outcome: CheckOutcome, tail: Option<String>) -> CheckReport {
        let name = name.to_owned();
        CheckReport { name, outcome, message: None, tail, duration: Duration::ZERO }
    }

    #[test]
    fn a_command_is_its_own_name_and_everything_else_is_called_as_it_is_written() {
        for (written, expected) in [
            ("command:\"cargo test\"", "cargo test"),
            ("file:DONE.md", "file:DONE.md"),
            ("marker:/a b/", "marker:/a b/"),
            ("unit tests", "unit tests"),
            ("a\u{1b}[2Jb", "a\\u{1b}[2Jb"),
        ] {
            assert_eq!(name(written), expected);
        }
        assert_eq!(name(&"x".repeat(200)).chars().count(), WIDEST);
    }

    #[test]
    fn only_failed_checks_are_named() {
        use CheckOutcome::{Failed, NotRun, Passed, TimedOut};
        let of = |outcomes: &[CheckOutcome]| {
            let letters = ["a", "b", "c"].into_iter().zip(outcomes);
            let checks: Vec<CheckReport> =
                letters.map(|(name, outcome)| report(name, *outcome, None)).collect();
            failure(&checks)
        };
        assert_eq!(of(&[Passed, Passed]), None);
        assert_eq!(of(&[Passed, Failed]).as_deref(), Some("1 check failed (b)"));
        let three = of(&[Failed, TimedOut, NotRun]);
        assert_eq!(three.as_deref(), Some("3 checks failed (a, b, c)"));
    }

    #[test]
    fn the_last_lines_are_shown_and_all_of_them_if_they_are_wanted() {
        let text: String = (1..=12).map(|number| format!("line {number}\n")).collect();
        let long = report("a", CheckOutcome::Failed, Some(text));
        let shown = tail(&long, CheckDetail::Last);
        assert_eq!(shown.len(), MAX_LINES + 1);
        assert_eq!(shown[0], "… more before this; `-v` shows 2 lines of it");
        assert_eq!((shown[1].as_str(), shown[10].as_str()), ("line 3", "line 12"));
        assert_eq!(tail(&long, CheckDetail::All).len(), 12);
        assert!(tail(&report("a", CheckOutcome::Failed, None), CheckDetail::Last).is_empty());
    }
}
