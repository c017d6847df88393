//! The fix and its report.

use jiff::Timestamp;

use super::renumbering::Renumbering;
use super::{ActionError, DatabaseProblem, conflicts, hard_links, mentions};
use crate::database::{DatabaseWriter, TaskScope};

/// The report of a fix.
#[derive(Debug, Default)]
pub struct FixReport {
    /// Each change, in a line.
    pub said: Vec<String>,
    /// References and texts for the user to review, a line each. They are unchanged.
    pub mentions: Vec<String>,
    /// Problems that could not be fixed.
    pub problems: Vec<DatabaseProblem>,
    /// An error that ended the fix early.
    pub error: Option<ActionError>,
}

/// Fixes problems that have one solution.
///
/// A merge conflict in nothing but `updatedAt` gets the newer time. Of tasks with the same id the
/// oldest keeps it, and the others get new ones. Unambiguous references to them are updated; the
/// others are listed.
pub fn fix(writer: &mut DatabaseWriter, now: Timestamp) -> FixReport {
    let mut fixed = FixReport::default();
    fixed.error = run(writer, now, &mut fixed).err();
    fixed
}

fn run(
    writer: &mut DatabaseWriter,
    now: Timestamp,
    fixed: &mut FixReport,
) -> Result<(), ActionError> {
    fixed.said.extend(writer.settle_config()?);
    conflicts::settle_all(writer, &mut fixed.said)?;
    let mut files = writer.database().documents(TaskScope::All)?.tasks;
    hard_links::remove_second_names(writer, &mut files, &mut fixed.said)?;
    let mut renumbering = Renumbering::plan(writer, &files, now)?;
    fixed.problems.append(&mut renumbering.problems);
    renumbering.apply(writer, &mut files, &mut fixed.said)?;
    fixed.mentions = renumbering.unclear(&files);
    fixed.mentions.extend(mentions::find(&files, &renumbering)?);
    Ok(())
}
