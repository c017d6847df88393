//! Report of `doctor`.

use anstyle::Style;
use forkhestra_core::text;
use serde_json::json;
use typeset::style::{BAD, DIM, GOOD, NAME, WARNING, paint};
use typeset::text::{visible, wrapped};

use crate::cli::version;
use crate::doctor::{DoctorFinding, FindingStatus};

/// Version of the JSON format.
const FORMAT: u32 = 1;

/// Column where texts begin, to the right of the status words.
const INDENT: usize = 11;

/// Minimum width of texts.
const MIN_WIDTH: usize = 30;

/// Findings for a person, grouped by subject and wrapped to `columns`.
pub(crate) fn render(findings: &[DoctorFinding], columns: Option<usize>) -> String {
    let mut text = String::new();
    for group in findings.chunk_by(|one, other| one.subject == other.subject) {
        let title = group.first().map_or("", |finding| finding.subject.title());
        text.push_str(&format!("{}\n", paint(NAME, title)));
        text.extend(group.iter().map(|finding| entry(finding, columns)));
        text.push('\n');
    }
    text
}

/// Findings as JSON.
pub(crate) fn json(findings: &[DoctorFinding]) -> String {
    let listed: Vec<serde_json::Value> = findings.iter().map(one).collect();
    let worst = findings.iter().map(|finding| finding.status).max().unwrap_or(FindingStatus::Ok);
    let object = json!({
        "version": FORMAT,
        "program": version::CURRENT,
        "status": worst.word(),
        "findings": listed,
    });
    typeset::text::escaped_json(&format!("{object:#}\n")).into_owned()
}

fn one(finding: &DoctorFinding) -> serde_json::Value {
    let DoctorFinding { subject, status, what, remedy } = finding;
    let mut object = json!({ "subject": subject.word(), "status": status.word(), "what": what });
    if let Some(remedy) = remedy {
        object["remedy"] = remedy.as_str().into();
    }
    object
}

fn entry(finding: &DoctorFinding, columns: Option<usize>) -> String {
    let word = finding.status.word();
    let gap = " ".repeat(INDENT - 2 - word.len());
    let mut text = format!("  {}{gap}", paint(style(finding.status), word));
    text.push_str(&below(&finding.what, columns));
    if let Some(remedy) = &finding.remedy {
        let mark = paint(DIM, "->");
        text.push_str(&format!("{}{mark} ", " ".repeat(INDENT)));
        text.push_str(&below(remedy, columns.map(|columns| columns.saturating_sub(3))));
    }
    text
}

/// Wraps a text and indents its continuation lines.
fn below(text: &str, columns: Option<usize>) -> String {
    let text = visible(text);
    let lines = match columns {
        Some(columns) => wrapped(&text, columns.saturating_sub(INDENT).max(MIN_WIDTH)),
        None => vec![text],
    };
    lines.join(&format!("\n{}", " ".repeat(INDENT))) + "\n"
}

const fn style(status: FindingStatus) -> Style {
    match status {
        FindingStatus::Ok => GOOD,
        FindingStatus::Note => DIM,
        FindingStatus::Warning => WARNING,
        FindingStatus::Broken => BAD,
    }
}

/// The last line: the number of warnings and broken items.
pub(crate) fn summary(findings: &[DoctorFinding]) -> String {
    let count = |status| findings.iter().filter(|finding| finding.status == status).count();
    let warnings = match count(FindingStatus::Warning) {
        0 => "no warnings".to_owned(),
        number => paint(WARNING, &text::count(number, "warning")),
    };
    match count(FindingStatus::Broken) {
        0 => format!("{warnings}, nothing broken"),
        number => format!("{warnings}, {}", paint(BAD, &format!("{number} broken"))),
    }
}

#[cfg(test)]
mod tests {
    use typeset::color_mode::{PrintStyle, painted};

    use super::*;
    use crate::doctor::FindingSubject;

    fn findings() -> Vec<DoctorFinding> {
        vec![
            FindingSubject::Agents.ok("Codex 1.2.3 (/bin/codex)"),
            FindingSubject::Agents.warning("no Codex login found").remedy("codex login"),
            FindingSubject::Git.broken("git is not \u{1b}[31minstalled").remedy("install git"),
            FindingSubject::State.note("run x was cut off"),
        ]
    }

    #[test]
    fn findings_are_grouped_with_their_remedies_below() {
        let text = render(&findings(), None) + &summary(&findings());
        insta::assert_snapshot!(painted(&text, PrintStyle::new(false)), @r"
        Agents
          ok       Codex 1.2.3 (/bin/codex)
          warning  no Codex login found
                   -> codex login

        Git
          broken   git is not \u{1b}[31minstalled
                   -> install git

        Runs
          note     run x was cut off

        1 warning, 1 broken
        ");
    }

    #[test]
    fn lines_are_as_narrow_as_the_terminal() {
        let text = render(&findings(), Some(44)) + &summary(&findings());
        insta::assert_snapshot!(painted(&text, PrintStyle::new(false)), @r"
        Agents
          ok       Codex 1.2.3 (/bin/codex)
          warning  no Codex login found
                   -> codex login

        Git
          broken   git is not \u{1b}[31minstalled
                   -> install git

        Runs
          note     run x was cut off

        1 warning, 1 broken
        ");
    }

    #[test]
    fn the_last_line_shows_the_worst_finding() {
        let plain = |findings: &[DoctorFinding]| {
            painted(&summary(findings), PrintStyle::new(false)).into_owned()
        };
        assert_eq!(plain(&findings()[..1]), "no warnings, nothing broken");
        assert_eq!(plain(&findings()[..2]), "1 warning, nothing broken");
        assert_eq!(plain(&findings()), "1 warning, 1 broken");
    }

    #[test]
    fn json_has_the_findings_and_the_worst_status() {
        let value: serde_json::Value =
            serde_json::from_str(&json(&findings())).expect("it is JSON");
        assert_eq!((&value["version"], &value["status"]), (&json!(1), &json!("broken")));
        let second = json!({
            "subject": "agents",
            "status": "warning",
            "what": "no Codex login found",
            "remedy": "codex login",
        });
        assert_eq!(value["findings"][1], second);
        assert!(value["findings"][0].get("remedy").is_none());
    }
}
