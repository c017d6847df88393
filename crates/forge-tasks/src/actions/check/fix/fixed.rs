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
    /// References and texts that a person should look at, a line each. They are unchanged.
    pub mentions: Vec<String>,
    /// What could not be fixed.
    pub problems: Vec<DatabaseProblem>,
    /// What failed after that.
    pub error: Option<ActionError>,
}

/// Fixes what has one right answer.
///
/// A merge conflict in nothing but `updatedAt` gets the newer time. Of tasks with the same id the oldest
/// keeps it, and the others get new ones. References that can mean only one of them follow it; the
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
