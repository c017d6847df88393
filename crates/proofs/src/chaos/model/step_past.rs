//! The state of one step, derived from the events independently of the program.

use std::collections::BTreeSet;

use serde_json::Value;

/// The state of one step.
#[derive(Debug, Default)]
pub(super) struct StepPast {
    pub(super) loops: bool,
    /// The maximum number of iterations.
    pub(super) max_iterations: u64,
    pub(super) status: ModelStepStatus,
    /// Iterations that have an outcome.
    pub(super) finished: u64,
    /// The outcome of the last iteration, while it is relevant.
    pub(super) last: Option<Value>,
    /// Whether an agent was started that writes the done file.
    pub(super) may_be_done_by_file: bool,
    /// The number of the last question; zero without one.
    pub(super) asked: u64,
    /// Whether its answer approves; none while it is open.
    pub(super) answer: Option<bool>,
    /// The work trees seen so far.
    seen: BTreeSet<String>,
    /// The work tree after the last iteration.
    latest: Option<String>,
    /// The number of consecutive iterations without a new work tree.
    pub(super) known_trees: u64,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum ModelStepStatus {
    #[default]
    Pending,
    Open,
    /// It ended for this reason.
    Over(String),
    Complete,
}

impl StepPast {
    pub(super) fn new(max_iterations: Option<u64>) -> Self {
        Self {
            loops: max_iterations.is_some(),
            max_iterations: max_iterations.unwrap_or(1),
            ..Self::default()
        }
    }

    pub(super) fn begin(&mut self, observation: &Value) {
        self.status = ModelStepStatus::Open;
        self.latest = tree(observation);
        self.seen.extend(self.latest.clone());
    }

    /// Applies an outcome, and returns whether its work tree was new.
    pub(super) fn finish(&mut self, event: &Value) -> bool {
        self.finished += 1;
        self.last = Some(event.clone());
        let tree = tree(&event["sight"]);
        let is_new = tree.as_ref().is_none_or(|tree| !self.seen.contains(tree));
        // A crash that changed nothing does not count as stagnation.
        let is_same = tree.is_some() && tree == self.latest;
        if event["verdict"]["kind"] != "crashed" || !is_same {
            self.known_trees = if is_new { 0 } else { self.known_trees + 1 };
            self.latest.clone_from(&tree);
            self.seen.extend(tree);
        }
        is_new
    }

    /// Continues a step that was not complete.
    pub(super) fn reopen(&mut self) {
        if let ModelStepStatus::Over(reason) = &self.status {
            if reason != "interrupted" {
                self.last = None;
                self.known_trees = 0;
                self.try_again();
            }
            self.status = ModelStepStatus::Open;
        }
    }

    /// A resume discards an outcome that only records an exhausted time limit.
    pub(super) fn forget_used_up_time(&mut self) {
        let why = self.last.as_ref().map(|last| &last["verdict"]["why"]);
        if why.is_some_and(|why| *why == "run_time") {
            self.last = None;
            self.try_again();
        }
    }

    fn try_again(&mut self) {
        if !self.loops {
            self.finished = 0;
        }
    }
}

fn tree(observation: &Value) -> Option<String> {
    observation["tree"].as_str().map(str::to_owned)
}
