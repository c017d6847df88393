//! `check --fix`: settles merge conflicts and renumbers duplicate ids.
//!
//! A merge that git made line by line is made again field by field, from the index.
//!
//! All new texts are made before the first write. Renumbering writes in four rounds: each moving
//! task gets `renumberTo`, all references change to the new ids, the tasks move, `renumberTo` is
//! removed. An interrupted run leaves references to a task that does not exist yet, never to the
//! wrong one; the next run continues from `renumberTo`.

mod duplicates;
mod file_stages;
mod fix_report;
mod index_merge;
mod renumbering;

pub(super) use file_stages::pending_id;
pub use fix_report::{FixReport, fix};
