//! The commands that a prompt names.

use forkhestra_store::RunDir;

use crate::past_runs::resume_command::state_dir_option;
use crate::project::project_location::ProjectLocation;

/// The commands that a prompt names. Each leads to the run from any directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptCommands {
    pub(crate) watch: String,
    pub(crate) approve: String,
    pub(crate) deny: String,
}

impl PromptCommands {
    pub(crate) fn new(run: &RunDir, project: &ProjectLocation) -> Self {
        let place = state_dir_option(run, project);
        let of = |verb: &str| format!("forkhestra {verb} {}{place}", run.run());
        Self { watch: of("watch"), approve: of("approve"), deny: of("deny") }
    }
}
