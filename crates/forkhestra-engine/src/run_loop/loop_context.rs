//! What the executors of the loop have in common.

use std::collections::{BTreeSet, VecDeque};

use forkhestra_core::machine::{Input, RunState, Workplace};

use crate::ports::{EnginePorts, EventSink};
use crate::process::ChildProcesses;
use crate::run_loop::watched_files::WatchedFiles;

/// An input of the machine, with the place where it arose; none for the user's own work tree and for the
/// run as a whole.
#[derive(Debug)]
pub(crate) struct WorkplaceInput {
    pub(crate) place: Option<Workplace>,
    pub(crate) input: Input,
}

impl WorkplaceInput {
    /// The input for the machine. A notice from the merge queue concerns the whole run: the machine of the
    /// landing checks may be gone.
    pub(crate) fn addressed(self) -> Input {
        match (self.place, self.input) {
            (None, input) => input,
            (Some(Workplace::MergeQueue), input @ Input::OperatorNotice(_)) => input,
            (Some(place), input) => Input::At { place, input: Box::new(input) },
        }
    }
}

/// What an executor gets from the loop for one action.
pub(crate) struct LoopContext<'a> {
    /// The place of the executor.
    pub(crate) place: Option<Workplace>,
    /// The progress of that lane, or else of the run.
    pub(crate) state: &'a RunState,
    pub(crate) ports: &'a EnginePorts,
    pub(crate) sink: &'a dyn EventSink,
    pub(crate) children: &'a ChildProcesses,
    pub(crate) inbox: &'a mut VecDeque<WorkplaceInput>,
    /// Hints about the sandbox that were reported. Every iteration may cause the same one.
    pub(crate) sandbox_hints: &'a mut BTreeSet<String>,
    pub(crate) watched_files: &'a mut WatchedFiles,
}

impl LoopContext<'_> {
    /// Adds an input of this place.
    pub(crate) fn push(&mut self, input: Input) {
        self.inbox.push_back(WorkplaceInput { place: self.place, input });
    }

    /// Adds inputs of this place.
    pub(crate) fn extend(&mut self, inputs: impl IntoIterator<Item = Input>) {
        inputs.into_iter().for_each(|input| self.push(input));
    }

    /// Reports watched files that changed.
    pub(crate) fn report_changed_files(&mut self) {
        let changes = self.watched_files.changes();
        self.extend(changes.into_iter().map(Input::OperatorNotice));
    }

    /// Reports a hint about the sandbox, once.
    pub(crate) fn hint_at_sandbox(&mut self, hint: String) {
        if self.sandbox_hints.insert(hint.clone()) {
            self.push(Input::OperatorNotice(hint));
        }
    }
}
