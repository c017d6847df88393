//! Sentences about lanes, landings and work that does not land.

use forkhestra_core::event::{LandedWork, LandingRefusal, LandingRefusalKind};
use forkhestra_core::history::{HeldWorkTree, LandingRecord, ParkedWork, RunHistory};
use forkhestra_core::id::{CommitId, LaneNumber, RunId, UnitId};
use forkhestra_core::text;
use typeset::text::visible;

use super::duration::short_duration;
use super::reported_step::ReportedStep;
use crate::report::text::checks;
use crate::report::text::lanes::landings;

/// A line about a lane. Its first word begins in lower case, unless it is the name of the agent.
pub(super) fn in_lane(lane: LaneNumber, line: &str, name: Option<&str>) -> String {
    let mut letters = line.chars();
    match letters.next() {
        Some(first) if !name.is_some_and(|name| line.starts_with(name)) => {
            format!("Lane {lane}: {}{}", first.to_lowercase(), letters.as_str())
        }
        _ => format!("Lane {lane}: {line}"),
    }
}

/// The beginning of a stage with lanes.
pub(super) fn lanes_begin(lanes: usize, commit: &CommitId) -> String {
    format!("{} begin with {}", text::count(lanes, "lane"), commit.short())
}

/// Work that lands together, a line for each.
pub(super) fn landed(landing: &LandingRecord) -> Vec<String> {
    let checks = landing.checked.map(|checks| {
        let duration = short_duration(checks.duration);
        match checks.failing {
            0 => format!("; checks passed in {duration}"),
            failing => format!("; {} fails as before ({duration})", text::count(failing, "check")),
        }
    });
    let checks = checks.unwrap_or_default();
    let of_work = |landed: &LandedWork| {
        let LandedWork { lane, unit, work } = landed;
        let tasks: String = work.tasks.iter().map(|task| format!(", {}", visible(task))).collect();
        let commits = text::count(work.commits, "commit");
        let others = landing.landed.iter().map(|other| other.lane);
        let others = others.filter(|other| other != lane).map(|other| other.to_string());
        let others: Vec<String> = others.collect();
        let together = match others.as_slice() {
            [] => String::new(),
            [other] => format!("{} together with lane {other}", separator(&checks)),
            others => {
                let others = text::join_with_and(others);
                format!("{} together with lanes {others}", separator(&checks))
            }
        };
        format!(
            "Landed: lane {lane}, iteration {}{tasks} ({commits}, +{} -{}){checks}{together}",
            unit.iteration, work.added, work.removed
        )
    };
    landing.landed.iter().map(of_work).collect()
}

const fn separator(before: &str) -> &'static str {
    if before.is_empty() { ";" } else { "," }
}

/// Work that does not land.
pub(super) fn refused(
    run: &RunHistory,
    lane: LaneNumber,
    unit: UnitId,
    refusal: &LandingRefusal,
) -> String {
    let position = ReportedStep::of(run, unit.step).and_then(|step| step.position(unit.iteration));
    let position = position.map_or_else(|| unit.iteration.to_string(), |at| at.to_string());
    let iteration = format!("Lane {lane}: iteration {position}");
    match refusal.why {
        LandingRefusalKind::Conflict => {
            let paths = visible(&refusal.paths.names_text());
            let others: Vec<String> = refusal.with.iter().map(|unit| name(run, *unit)).collect();
            let others = match others.as_slice() {
                [] => String::new(),
                others => format!(" ({})", others.join(", ")),
            };
            format!(
                "{iteration} conflicts with what has landed: {paths}{others}; it is told to merge"
            )
        }
        LandingRefusalKind::ChecksFailed => {
            let names = refusal.checks.iter().map(|check| checks::name(&check.name));
            let names = text::join_with_and(&names.collect::<Vec<_>>());
            format!(
                "{iteration} does not land: with what has landed it fails {names}; it is told to repair it"
            )
        }
        LandingRefusalKind::Unrelated => {
            format!("{iteration} does not land: it has no common history with what has landed")
        }
    }
}

/// The tasks of an iteration that has landed, or its number.
fn name(run: &RunHistory, unit: UnitId) -> String {
    let landed = run.lanes.landing_of(unit).map(|(_, work)| work);
    match landed.map(|landed| landed.work.tasks.as_slice()) {
        Some(tasks @ [_, ..]) => visible(&tasks.join(", ")),
        _ => format!("iteration {}", unit.iteration),
    }
}

/// Work that is kept under a ref of its own.
pub(super) fn parked(parked: &ParkedWork, run: &RunId) -> String {
    let (lane, iteration) = (parked.lane, parked.unit.iteration);
    let command = landings::merge_command(parked, run);
    let tasks = match parked.tasks.as_slice() {
        [] => String::new(),
        tasks => format!(" ({})", visible(&tasks.join(", "))),
    };
    format!(
        "Parked: lane {lane}, iteration {iteration}{tasks}: it does not land; to have it back: {command}"
    )
}

/// A user's work tree that was not brought forward.
pub(super) fn held(held: &HeldWorkTree) -> String {
    format!("The work tree stays as it is: {}", landings::held_reason(held))
}
