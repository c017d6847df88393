//! Giving tasks another number whose number somebody else has.
//!
//! First everything is decided and every new text is made, then it is written in three rounds: each
//! task that is to move gets a note that says where to, then all references are turned to the new ids,
//! then the tasks move and lose their notes. Whoever is interrupted leaves references to a task that
//! is not there yet, never to the wrong one; and whoever comes next goes on by the notes.

mod apply;
mod groups;
mod links;
mod mentions;
mod note;
mod numbers;
mod plan;
mod stages;

use jiff::Timestamp;

use super::{ActionError, Problem, conflicts, lineage};
use crate::database::{Scope, Writer};

pub(super) use note::planned;

/// What came of mending.
#[derive(Debug, Default)]
pub struct Fixed {
    /// What was done, a line each.
    pub said: Vec<String>,
    /// Texts that name a task which has another number now, a line each. They are left as they are.
    pub mentions: Vec<String>,
    /// What could not be mended, and why.
    pub problems: Vec<Problem>,
    /// What failed then.
    pub error: Option<ActionError>,
}

/// Mends what can be mended.
///
/// A merge conflict in nothing but `updatedAt` gets the newer time.
///
/// Of tasks with the same id the one that was created first keeps it, and each of the others gets a new
/// one. References follow: to the task that their author meant.
pub fn fix(writer: &mut Writer, now: Timestamp) -> Fixed {
    let mut fixed = Fixed::default();
    fixed.error = mend(writer, now, &mut fixed).err();
    fixed
}

fn mend(writer: &mut Writer, now: Timestamp, fixed: &mut Fixed) -> Result<(), ActionError> {
    fixed.said.extend(writer.settle_config()?);
    conflicts::settle_all(writer, &mut fixed.said)?;
    let mut files = writer.database().documents(Scope::All)?.tasks;
    links::remove_second_names(writer, &mut files, &mut fixed.said)?;
    let plan = plan::make(writer, &files, now)?;
    fixed.problems.extend(plan.problems);
    apply::apply(writer, &mut files, &plan.steps, &mut fixed.said)?;
    fixed.mentions = mentions::find(&files, &plan.steps)?;
    Ok(())
}
