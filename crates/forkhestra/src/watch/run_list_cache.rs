//! Cached list of runs for repeated queries.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use forkhestra_core::cost::{Dollars, Spend, TokenCounts};
use forkhestra_core::explain::is_incomplete;
use forkhestra_core::history::{ExecutionStatus, Liveness};
use forkhestra_core::time::Timestamp;
use forkhestra_store::journal::recorded_run;
use forkhestra_store::{ListedRun as Found, RunDir, RunOverview};
use forkhestra_tui::{RunListItem, StatusOverride};

use crate::project::project_location::ProgramEnvironment;

/// Bound for reading journals of active runs, in bytes per second. Such a journal has to be read
/// from its start to know its progress.
const BYTES_PER_SECOND: u64 = 2 * 1024 * 1024;

/// Cached rows of the list: an unchanged run is not read again.
#[derive(Default)]
pub(super) struct RunListCache {
    known: HashMap<PathBuf, KnownRunRow>,
}

#[derive(Clone)]
struct KnownRunRow {
    /// Length of the journal when it was read.
    length: u64,
    read: Instant,
    listed: Option<RunListItem>,
}

impl KnownRunRow {
    /// Whether the row is still valid, or too recent to be read again.
    fn holds(&self, run: &RunDir, length: u64) -> bool {
        let is_running =
            self.listed.as_ref().is_some_and(|listed| listed.status == ExecutionStatus::Running);
        if is_running && recorded_run::liveness(run) == Liveness::Gone {
            return false;
        }
        let pause = Duration::from_secs(length / BYTES_PER_SECOND);
        self.length == length || self.read.elapsed() < pause
    }
}

impl RunListCache {
    /// The rows for these runs, newest first.
    pub(super) fn read(
        &mut self,
        runs: Vec<RunDir>,
        environment: &ProgramEnvironment,
    ) -> Vec<RunListItem> {
        let mut known = HashMap::with_capacity(runs.len());
        for run in runs {
            let path = run.path().to_owned();
            let length = fs::metadata(run.journal()).map_or(0, |metadata| metadata.len());
            let before = self.known.remove(&path).filter(|before| before.holds(&run, length));
            let now = before.unwrap_or_else(|| {
                let listed = Found::read(run).map(|found| listed(&found, environment));
                KnownRunRow { length, read: Instant::now(), listed }
            });
            known.insert(path, now);
        }
        self.known = known;
        let mut listed: Vec<RunListItem> =
            self.known.values().filter_map(|known| known.listed.clone()).collect();
        listed.sort_by(|one, other| {
            (Reverse(one.started), &one.run).cmp(&(Reverse(other.started), &other.run))
        });
        listed
    }
}

fn listed(found: &Found, environment: &ProgramEnvironment) -> RunListItem {
    let started = found.started();
    match &found.overview {
        Ok(known) => RunListItem {
            run: found.run.run().clone(),
            chain: known.chain.clone().unwrap_or_else(|| known.definition.clone()),
            directory: environment.shortened(&known.working_directory),
            status: known.status,
            status_override: status_override(known),
            started,
            updated: Timestamp::parse(&known.updated_at).unwrap_or(started),
            iterations: known.iterations,
            step: (known.step, known.steps),
            spend: spend(known),
        },
        // An unreadable run is listed as well. The error is shown when it is opened.
        Err(_) => RunListItem {
            run: found.run.run().clone(),
            chain: String::new(),
            directory: String::new(),
            status: ExecutionStatus::Interrupted,
            status_override: Some(StatusOverride::Unknown(found.status_text())),
            started,
            updated: started,
            iterations: 0,
            step: (0, 0),
            spend: None,
        },
    }
}

/// A state to show instead of the run's status.
fn status_override(known: &RunOverview) -> Option<StatusOverride> {
    if known.was_stopped() {
        Some(StatusOverride::Stopped)
    } else if known.reason.as_deref().is_some_and(is_incomplete) {
        Some(StatusOverride::Incomplete)
    } else if known.paused_since.is_some() {
        Some(StatusOverride::Paused)
    } else if known.stop_requested_at.is_some() {
        Some(StatusOverride::Stopping)
    } else if let Some(since) = &known.asking_since {
        Timestamp::parse(since).ok().map(StatusOverride::Asking)
    } else if known.waiting_until.is_some() {
        Some(StatusOverride::Waiting)
    } else {
        None
    }
}

/// The spend of a run according to its overview.
fn spend(known: &RunOverview) -> Option<Spend> {
    let tokens = known.tokens?;
    let dollars = known.cost.or(known.cost_at_least).and_then(Dollars::from_dollars);
    Some(Spend {
        tokens: TokenCounts { input: tokens, ..TokenCounts::default() },
        dollars: dollars.unwrap_or(Dollars::ZERO),
        unpriced: known.cost.is_none(),
    })
}
