//! Tells whether a run is active, for tasks that are leased to it.

use std::path::PathBuf;

use forge_tasks::actions::RunRegistry;
use forkhestra_core::history::Liveness;
use forkhestra_store::journal::recorded_run;

use crate::cli::args::forkhestra_cli::ProjectArgs;
use crate::past_runs::state_home;
use crate::project::project_location::ProjectLocation;

/// The runs in the usual state directory.
///
/// A run in another state directory is unknown here, so a lease to it ends only by its time.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownRuns {
    /// The agents' working directory; `None` means the current directory.
    pub(crate) directory: Option<PathBuf>,
}

impl RunRegistry for KnownRuns {
    fn is_running(&self, run: &str) -> Option<bool> {
        let project =
            ProjectLocation::find(&ProjectArgs { cwd: self.directory.clone(), config: None })
                .ok()?;
        let places = state_home::search_places(&project, None);
        let mut found = places.iter().filter_map(|directory| directory.root.find(run).ok());
        // A search also finds runs by the start of their id.
        let found = found.find(|found| found.run().as_str() == run)?;
        Some(recorded_run::liveness(&found) == Liveness::Alive)
    }
}
