//! Sentences about lanes, landings and work that does not land.

use forkhestra_core::event::{LandedWork, LandingRefusal, LandingRefusalKind, PathList};
use forkhestra_core::id::{CommitId, LaneNumber, RunId, UnitId};
use forkhestra_core::text;
use typeset::text::visible;

use crate::report::text::checks;

/// The beginning of a stage with lanes.
pub(super) fn lanes_begin(lanes: usize, commit: &CommitId) -> String {
    format!("{} begin with {}", text::count(lanes, "lane"), commit.short())
}

/// Work that lands together.
pub(super) fn landed(works: &[LandedWork]) -> Vec<String> {
    let of_work = |landed: &LandedWork| {
        let LandedWork { lane, unit, work } = landed;
        let tasks: String = work.tasks.iter().map(|task| format!(", {}", visible(task))).collect();
        let commits = text::count(work.commits, "commit");
        format!(
            "Landed: lane {lane}, iteration {}{tasks} ({commits}, +{} -{})",
            unit.iteration, work.added, work.removed
        )
    };
    works.iter().map(of_work).collect()
}

/// Work that does not land.
pub(super) fn refused(lane: LaneNumber, unit: UnitId, refusal: &LandingRefusal) -> String {
    let iteration = format!("Lane {lane}: the work of iteration {}", unit.iteration);
    match refusal.why {
        LandingRefusalKind::Conflict => {
            format!("{iteration} conflicts with landed work: {}", paths(&refusal.paths))
        }
        LandingRefusalKind::ChecksFailed => {
            let names: Vec<String> =
                refusal.checks.iter().map(|check| checks::name(&check.name)).collect();
            format!("{iteration} does not land: merged, it fails {}", names.join(", "))
        }
        LandingRefusalKind::Unrelated => {
            format!("{iteration} does not land: it has no common history with the landed work")
        }
    }
}

/// Work that is kept under a ref of its own.
pub(super) fn parked(lane: LaneNumber, number: u32, run: &RunId) -> String {
    let name = format!("refs/forkhestra/{run}/parked/{number}");
    format!("Lane {lane}: its work is parked; `git merge {name}` gets it")
}

/// A user's work tree that was not brought forward.
pub(super) fn held(why: &str, in_the_way: &PathList) -> String {
    let why = visible(why);
    if in_the_way.is_empty() {
        format!("The work tree stays as it is: {why}")
    } else {
        format!("The work tree stays as it is: {why}: {}", paths(in_the_way))
    }
}

fn paths(paths: &PathList) -> String {
    visible(&paths.names_text())
}
