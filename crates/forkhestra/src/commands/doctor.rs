//! `forkhestra doctor`: checks the installation and the project's set-up.

use std::io::{self, IsTerminal};

use crate::cli::args::setup::DoctorArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::doctor::{self, DoctorFinding, DoctorObserver, FindingStatus};
use crate::project::project_location::ProjectLocation;
use crate::report::doctor::{json, render, summary};

/// Moves the cursor to the start of the line and erases the line.
const ERASE: &str = "\r\u{1b}[2K";

/// Runs all checks and prints the findings.
pub(crate) fn execute(args: &DoctorArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let project = ProjectLocation::find_with_config(&args.project)?;
    let has_live_line = io::stderr().is_terminal() && project.environment.allows_live_line();
    let mut printer =
        DoctorPrinter { findings: Vec::new(), result: Ok(()), screen, args, has_live_line };
    doctor::examine(&project, args.state_dir.as_deref(), args.probe, &mut printer);
    let DoctorPrinter { findings, result, .. } = printer;
    result?;
    debug_assert!(findings.is_sorted_by_key(|finding| finding.subject), "grouped by subject");
    if args.json {
        screen.print_data(&json(&findings))?;
    } else {
        screen.print(&format!("{}\n", summary(&findings)))?;
    }
    Ok(code(&findings))
}

/// Prints findings as they arrive; on a terminal, a live line shows the pending check.
struct DoctorPrinter<'a> {
    findings: Vec<DoctorFinding>,
    /// The first error of printing.
    result: io::Result<()>,
    screen: &'a mut ConsoleOutput,
    args: &'a DoctorArgs,
    has_live_line: bool,
}

impl DoctorObserver for DoctorPrinter<'_> {
    fn waiting(&mut self, what: &str) {
        if self.has_live_line {
            self.screen.remark(&format!("{ERASE}{what} …"));
        }
    }

    fn found(&mut self, findings: Vec<DoctorFinding>) {
        if self.has_live_line {
            self.screen.remark(ERASE);
        }
        if !self.args.json && self.result.is_ok() {
            let text = render(&findings, self.screen.columns());
            self.result = self.screen.print(&text);
        }
        self.findings.extend(findings);
    }
}

fn code(findings: &[DoctorFinding]) -> u8 {
    let is_broken = findings.iter().any(|finding| finding.status == FindingStatus::Broken);
    if is_broken { exit_code::BROKEN } else { exit_code::COMPLETE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::FindingSubject;

    #[test]
    fn only_broken_findings_are_failures() {
        let subject = FindingSubject::Git;
        let fine = [subject.ok("a"), subject.note("b"), subject.warning("c")];
        assert_eq!(code(&fine), 0);
        assert_eq!(code(&[subject.ok("a"), subject.broken("d")]), 1);
    }
}
