//! `forkhestra doctor`: what is installed and set up here, and what is missing.

use crate::args_setup::DoctorArgs;
use crate::doctor::{self, Finding, Status};
use crate::error::CliError;
use crate::exit_code;
use crate::project::Project;
use crate::report::doctor::{json, render};
use crate::screen::Screen;

/// Looks at everything, and tells what was found.
pub(crate) fn execute(args: &DoctorArgs, screen: &mut Screen) -> Result<u8, CliError> {
    let project = Project::find(&args.project)?;
    let mut findings = doctor::examine(&project, args.state_dir.as_deref());
    if args.probe {
        findings.extend(doctor::probe(&project));
        findings.sort_by_key(|finding| finding.subject);
    }
    debug_assert!(findings.is_sorted_by_key(|finding| finding.subject), "grouped by subject");
    if args.json {
        screen.print_data(&json(&findings))?;
    } else {
        screen.print(&render(&findings, screen.columns()))?;
    }
    Ok(code(&findings))
}

fn code(findings: &[Finding]) -> u8 {
    let is_broken = findings.iter().any(|finding| finding.status == Status::Broken);
    if is_broken { exit_code::BROKEN } else { exit_code::COMPLETE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Subject;

    #[test]
    fn only_what_is_broken_is_a_failure() {
        let subject = Subject::Git;
        let fine = [subject.ok("a"), subject.note("b"), subject.warning("c")];
        assert_eq!(code(&fine), 0);
        assert_eq!(code(&[subject.ok("a"), subject.broken("d")]), 1);
    }
}
