//! Whether runs are going on, for tasks that are leased to one.

use std::path::PathBuf;

use forge_tasks::actions::RunRegistry;
use forkhestra_core::history::Liveness;
use forkhestra_store::journal::recorded_run;

use crate::cli::args::forkhestra_cli::ProjectArgs;
use crate::past_runs::state_home;
use crate::project::project_location::ProjectLocation;

/// The runs that are kept where runs usually are.
///
/// A run that is kept elsewhere is unknown here, so a lease to it lasts for its time.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownRuns {
    /// Where agents stand who ask; none if that is where we stand.
    pub(crate) directory: Option<PathBuf>,
}

impl RunRegistry for KnownRuns {
    fn is_going_on(&self, run: &str) -> Option<bool> {
        let project =
            ProjectLocation::find(&ProjectArgs { cwd: self.directory.clone(), config: None })
                .ok()?;
        let places = state_home::search_places(&project, None);
        let mut found = places.iter().filter_map(|place| place.root.find(run).ok());
        // The beginning of an id would be found as well.
        let found = found.find(|found| found.run().as_str() == run)?;
        Some(recorded_run::liveness(&found) == Liveness::Alive)
    }
}
