//! The commands about a run that reports name.

use forkhestra_core::plan::Plan;
use forkhestra_store::RunDir;
use typeset::text::visible;

use crate::past_runs::resume_command::{resume_command, state_dir_option};
use crate::project::project_location::ProjectLocation;

/// The commands about a run that reports name. Each leads to the run from any directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunCommands {
    pub(crate) watch: String,
    approve: String,
    deny: String,
    /// Resumes the run with its limits.
    pub(crate) resume: String,
}

impl RunCommands {
    pub(crate) fn new(run: &RunDir, plan: &Plan, project: &ProjectLocation) -> Self {
        let place = state_dir_option(run, project);
        let of = |verb: &str| visible(&format!("forkhestra {verb} {}{place}", run.run()));
        let resume = visible(&resume_command(run, plan, project));
        Self { watch: of("watch"), approve: of("approve"), deny: of("deny"), resume }
    }

    /// Approves the question with this number, and no later one.
    pub(crate) fn approve(&self, question: u32) -> String {
        format!("{} --question {question}", self.approve)
    }

    /// Denies the question with this number, and no later one.
    pub(crate) fn deny(&self, question: u32) -> String {
        format!("{} --question {question}", self.deny)
    }
}

#[cfg(test)]
impl RunCommands {
    /// The commands about the run `q7w3k9zt`, with this option.
    pub(crate) fn example(option: &str) -> Self {
        let of = |verb: &str| format!("forkhestra {verb} q7w3k9zt{option}");
        let [watch, approve, deny, resume] = ["watch", "approve", "deny", "resume"].map(of);
        Self { watch, approve, deny, resume }
    }
}
