//! Writing what was decided.

use super::ActionError;
use super::lineage::Because;
use super::plan::{Step, Steps};
use super::stages::{Reference, Stages};
use crate::database::{Stored, Writer};
use crate::document::{Document, Key};

/// Writes everything, one round after the other, and says what was done as soon as it is.
pub(super) fn apply(
    writer: &mut Writer,
    files: &mut [Stored<Document>],
    steps: &Steps,
    said: &mut Vec<String>,
) -> Result<(), ActionError> {
    if let Some(last) = &steps.last {
        writer.take_id(last)?;
    }
    let mut write = |place: usize, text: &Option<Document>| -> Result<bool, ActionError> {
        let Some(text) = text else { return Ok(false) };
        files[place] = writer.replace(&files[place], text)?;
        Ok(true)
    };
    for (place, step) in &steps.files {
        write(*place, &step.stages.noted)?;
    }
    for (place, step) in &steps.files {
        if write(*place, &step.stages.referring)? {
            said.extend(references(step));
        }
    }
    for (place, step) in &steps.files {
        let Stages { moved, finished, .. } = &step.stages;
        let Some(id) = &step.wishes.id else { continue };
        if write(*place, moved)? {
            said.push(format!("{}: {} is now {id}", step.path, step.old));
            write(*place, finished)?;
        } else if write(*place, finished)? {
            said.push(format!("{}: it is {id} for good", step.path));
        }
    }
    Ok(())
}

/// What became of the references of a file.
fn references(step: &Step) -> Vec<String> {
    let told = step.wishes.references.iter().map(|Reference { key, old, new, because }| {
        let relation = if *key == Key::Parent { "is a part of" } else { "depends on" };
        let because = match because {
            Because::History => "by their commits",
            Because::Time => "by the times of their creation",
        };
        format!("{} {relation} {new}, which was {old} ({because})", step.path)
    });
    told.collect()
}
