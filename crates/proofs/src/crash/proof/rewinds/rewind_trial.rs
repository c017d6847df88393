//! One point: kills a rewind or an undo there, and checks what is left.

use std::path::Path;

use super::prove_rewinds::{REWIND, RewindReference, UNDO};
use super::rewind_proof_project::text;
use crate::crash::proof::crash_trial::{CrashTrial, TrialFailure};
use crate::crash::proof::point::Point;
use devkit::error::Result;

/// Kills a command at a point, and checks what is left.
pub(super) fn run(reference: &RewindReference<'_>, point: Point) -> Result<CrashTrial> {
    let project = &reference.project;
    project.reset()?;
    let seen = project.watched(reference.program, reference.arguments, Some(point))?;
    if !seen.is_killed {
        return Ok(CrashTrial::NotReached);
    }
    let mut judge = RewindJudge { reference, problems: Vec::new() };
    judge.check_recovery(reference.program)?;
    judge.problems.extend(project.leftovers());
    let problems = judge.problems;
    if problems.is_empty() {
        return Ok(CrashTrial::Survived);
    }
    let kept_directory = project.kept();
    Ok(CrashTrial::Failed(TrialFailure { what: "killed at", problems, kept_directory }))
}

struct RewindJudge<'a> {
    reference: &'a RewindReference<'a>,
    problems: Vec<String>,
}

impl RewindJudge<'_> {
    /// Rewinds and undoes it. Both work at once, or after the undo that the message names.
    fn check_recovery(&mut self, program: &Path) -> Result<()> {
        let project = &self.reference.project;
        let first = project.run(program, REWIND)?;
        if text(&first).contains("was interrupted") {
            self.require(program, UNDO, &self.reference.before)?;
            self.require(program, REWIND, &self.reference.after)?;
        } else if first.status.success() {
            self.expect(&self.reference.after, "after the rewind")?;
        } else {
            self.problems.push(format!("the rewind failed: {}", text(&first)));
        }
        self.require(program, UNDO, &self.reference.before)
    }

    /// Runs a command that must succeed and lead to a state.
    fn require(&mut self, program: &Path, arguments: &[&str], state: &str) -> Result<()> {
        let output = self.reference.project.run(program, arguments)?;
        let command = arguments.join(" ");
        if !output.status.success() {
            self.problems.push(format!("`{command}` failed: {}", text(&output)));
        }
        self.expect(state, &format!("after `{command}`"))
    }

    fn expect(&mut self, state: &str, when: &str) -> Result<()> {
        let found = self.reference.project.state()?;
        if found != state {
            self.problems.push(format!("{when}:\n{found}instead of:\n{state}"));
        }
        Ok(())
    }
}
