//! The diff of one iteration.

use std::path::Path;

use forkhestra_core::event::WorkTreeSnapshot;
use forkhestra_core::history::{IterationRecord, RunHistory, SnapshotAddress, SnapshotTimeline};
use forkhestra_engine::{DiffText, SnapshotLocation, SnapshotReadError, SnapshotReader};
use forkhestra_store::RunDir;
use forkhestra_tui::IterationDiff;

use crate::past_runs::resume_command;
use crate::project::project_location::ProjectLocation;

/// The run in which an iteration was.
pub(super) struct DiffSource<'a> {
    pub(super) run: &'a RunDir,
    pub(super) history: &'a RunHistory,
    pub(super) project: &'a ProjectLocation,
}

impl DiffSource<'_> {
    /// What an iteration changed, from the snapshot before it to that after it.
    pub(super) fn read(
        &self,
        record: &IterationRecord,
        at_most: usize,
    ) -> Result<IterationDiff, String> {
        let after = record.report.observation.snapshot.as_ref();
        let Some((before, after)) = record.before.snapshot.as_ref().zip(after) else {
            return Err("there are no snapshots of before and after this iteration".to_owned());
        };
        let text = self.text(before, after, at_most).map_err(|error| error.to_string())?;
        let command = self.command(record, before, after);
        Ok(IterationDiff { text: text.bytes, is_cut: text.is_cut, command })
    }

    fn text(
        &self,
        before: &WorkTreeSnapshot,
        after: &WorkTreeSnapshot,
        at_most: usize,
    ) -> Result<DiffText, SnapshotReadError> {
        let reader = SnapshotReader::open(SnapshotLocation {
            run: self.run.run(),
            directory: Path::new(&self.history.state.plan.working_directory),
            persistent_directory: &self.run.kept(),
            environment: &self.project.environment.inherited,
        })?;
        let (from, to) = (reader.tree(before)?, reader.tree(after)?);
        reader.diff_text(&from, &to, at_most)
    }

    /// The command that shows the same diff.
    fn command(
        &self,
        record: &IterationRecord,
        before: &WorkTreeSnapshot,
        after: &WorkTreeSnapshot,
    ) -> String {
        let timeline = &self.history.snapshots;
        let compared = match timeline.address_after(record.unit, self.history.steps.len()) {
            // With earlier attempts, or if files were changed between iterations, that of the
            // iteration is another one.
            Some(address) if is_before(timeline, address, before) => {
                format!("--iteration {address}")
            }
            _ => format!("@{}..@{}", before.number, after.number),
        };
        let option = resume_command::state_dir_option(self.run, self.project);
        format!("forkhestra diff {} {compared}{option}", self.run.run())
    }
}

/// Whether the state before an addressed iteration is this snapshot.
fn is_before(
    timeline: &SnapshotTimeline,
    address: SnapshotAddress,
    snapshot: &WorkTreeSnapshot,
) -> bool {
    let is_iteration = !matches!(address, SnapshotAddress::Number(_));
    let point = timeline.find(address).ok().filter(|_| is_iteration);
    point.and_then(|point| timeline.before(point)).is_some_and(|point| point.snapshot == *snapshot)
}
