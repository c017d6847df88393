//! The state of a database before the agent of a holder started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use forge_tasks::TaskId;
use forge_tasks::actions::TaskTexts;

use super::task_baseline_file::TaskBaselineFile;
use super::task_holder::TaskHolder;
use super::task_snapshot::TaskSnapshot;

/// The state of a database before the agent of a holder started.
pub(crate) struct TaskBaseline {
    pub(crate) texts: TaskTexts,
    /// `None` if the database was not read or could not be read.
    pub(crate) snapshot: Option<TaskSnapshot>,
    /// The tasks that were released since then.
    pub(crate) released: Vec<TaskId>,
    /// The snapshot in a file, for a process that resumes the run after this one was killed.
    pub(crate) file: TaskBaselineFile,
}

/// The baselines of all holders of a run.
pub(crate) struct TaskBaselines {
    scratch: PathBuf,
    of: BTreeMap<TaskHolder, TaskBaseline>,
}

impl TaskBaselines {
    pub(crate) fn below(scratch: &Path) -> Self {
        Self { scratch: scratch.to_owned(), of: BTreeMap::new() }
    }

    pub(crate) fn of(&mut self, holder: &TaskHolder) -> &mut TaskBaseline {
        let scratch = &self.scratch;
        self.of.entry(holder.clone()).or_insert_with(|| TaskBaseline {
            texts: TaskTexts::default(),
            snapshot: None,
            released: Vec::new(),
            file: TaskBaselineFile::below(scratch, holder.lane()),
        })
    }

    /// Notes tasks as they are now in the baselines of all other holders, since their change is told.
    pub(crate) fn note(
        &mut self,
        told_by: Option<&TaskHolder>,
        ids: &[TaskId],
        now: &TaskSnapshot,
    ) {
        let others = self.of.iter_mut().filter(|(holder, _)| Some(*holder) != told_by);
        for (_, baseline) in others {
            let Some(snapshot) = &mut baseline.snapshot else { continue };
            snapshot.note(ids, now);
            // A change is told twice if this process is killed before the next one is written.
            let _ = baseline.file.write(Some(snapshot));
        }
    }
}
