//! The list of a run's snapshots and rewinds.

use forkhestra_core::history::{IterationRecord, SnapshotMoment, SnapshotPoint};
use forkhestra_core::text;
use forkhestra_core::time::Timestamp;
use forkhestra_engine::{ChangedLines, RewindProgress, RewindRecord, SnapshotReadError};
use serde_json::{Value, json};
use typeset::style::{DIM, NAME};
use typeset::table::{TableCell, aligned};
use typeset::text::{escaped_json, visible};

use super::text::local_time::second_in_zone;
use super::text::{iteration, spend};
use crate::past_runs::run_snapshots::RunSnapshots;

/// The version of the JSON.
const VERSION: u32 = 1;

/// A snapshot in the list.
pub(crate) struct SnapshotRow<'a> {
    point: &'a SnapshotPoint,
    /// The iteration that it follows.
    iteration: Option<&'a IterationRecord>,
    /// What changed since the row before it; none if one of the two is gone.
    changed: Option<ChangedLines>,
    is_gone: bool,
}

/// The rows of the list: one before each step, and one for the last attempt of each iteration.
pub(crate) fn rows(snapshots: &RunSnapshots) -> Result<Vec<SnapshotRow<'_>>, SnapshotReadError> {
    let points: Vec<&SnapshotPoint> = snapshots.timeline.addressable().collect();
    let kept: Vec<_> = points.iter().map(|point| &point.snapshot).collect();
    let trees = snapshots.reader.trees(&kept)?;
    let pairs: Vec<Option<(&str, &str)>> = std::iter::once(None)
        .chain(trees.windows(2).map(|pair| pair[0].as_deref().zip(pair[1].as_deref())))
        .collect();
    let known: Vec<(&str, &str)> = pairs.iter().flatten().copied().collect();
    let mut changed = snapshots.reader.changed_lines(&known)?.into_iter();
    let rows = points.into_iter().zip(&pairs).zip(&trees);
    let row = |((point, pair), tree): ((_, &Option<_>), &Option<String>)| SnapshotRow {
        iteration: record(snapshots, point),
        changed: pair.and_then(|_| changed.next()),
        point,
        is_gone: tree.is_none(),
    };
    Ok(rows.map(row).collect())
}

fn record<'a>(snapshots: &'a RunSnapshots, point: &SnapshotPoint) -> Option<&'a IterationRecord> {
    let SnapshotMoment::AfterIteration(unit) = point.moment else { return None };
    let step = snapshots.past.history.steps.get(unit.step.checked_sub(1)?)?;
    step.iterations.iter().find(|record| record.unit == unit)
}

/// The list as text.
pub(crate) fn text(
    snapshots: &RunSnapshots,
    rows: &[SnapshotRow<'_>],
    rewinds: &[RewindRecord],
) -> String {
    let has_cost =
        rows.iter().any(|row| row.iteration.is_some_and(|record| record.report.spend.is_some()));
    let titles = ["N", "SNAPSHOT", "AGENT", "VERDICT", "CHANGED", "COST"];
    let mut table = vec![titles.map(|title| TableCell::painted(title, DIM)).to_vec()];
    table.extend(rows.iter().map(|row| cells(snapshots, row)));
    if !has_cost {
        table.iter_mut().for_each(|row| row.truncate(titles.len() - 1));
    }
    let run = snapshots.run_dir.run();
    aligned(&table)
        + &rewinds.iter().map(|record| rewind_line(run.as_str(), record)).collect::<String>()
}

fn cells(snapshots: &RunSnapshots, row: &SnapshotRow<'_>) -> Vec<TableCell> {
    let SnapshotRow { point, iteration, changed, is_gone } = row;
    let address = snapshots.address(point).to_string();
    let agent = visible(snapshots.past.history.state.plan.agent_name(point.moment.step()));
    let plan = &snapshots.past.history.state.plan;
    let verdict = match (iteration, is_gone) {
        (_, true) => "gone",
        (Some(record), _) => iteration::verdict(plan.step(record.unit.step), record),
        (None, _) if snapshots.timeline.first() == Ok(*point) => "before the run",
        (None, _) => "before the step",
    };
    let cost = iteration.and_then(|record| record.report.spend).map(spend::cost);
    let changed = changed.map_or_else(String::new, |changed| match changed.files {
        0 => "nothing".to_owned(),
        files => {
            let ChangedLines { added, removed, .. } = changed;
            format!("{}, +{added} -{removed}", text::count(files, "file"))
        }
    });
    vec![
        TableCell::painted(address, NAME),
        TableCell::new(format!("@{}", point.snapshot.number)),
        TableCell::new(agent),
        TableCell::new(verdict),
        TableCell::new(changed),
        TableCell::new(cost.unwrap_or_default()),
    ]
}

fn rewind_line(run: &str, record: &RewindRecord) -> String {
    let number = record.number;
    let before = format!("refs/forkhestra/{run}/before-rewind/{number}");
    format!("Rewind {}: previous state saved as {before}\n", rewind_text(record))
}

/// A rewind, without the word: `to 3 at 2026-11-18 07:27:07 UTC, undone`.
pub(crate) fn rewind_text(record: &RewindRecord) -> String {
    let at = Timestamp::parse(&record.at).map_or_else(|_| record.at.clone(), second_in_zone);
    let address = visible(&record.target.address);
    let files = if record.files_only { " (only files)" } else { "" };
    let state = match record.progress {
        RewindProgress::Started => ", interrupted",
        RewindProgress::Done => "",
        RewindProgress::Undone => ", undone",
    };
    format!("to {address}{files} at {at}{state}")
}

/// The list as JSON.
pub(crate) fn json(
    snapshots: &RunSnapshots,
    rows: &[SnapshotRow<'_>],
    rewinds: &[RewindRecord],
) -> String {
    let view = json!({
        "version": VERSION,
        "run": snapshots.run_dir.run().as_str(),
        "snapshots": rows.iter().map(|row| row_json(snapshots, row)).collect::<Vec<_>>(),
        "rewinds": rewinds.iter().map(rewind_json).collect::<Vec<_>>(),
    });
    let json = serde_json::to_string_pretty(&view).expect("texts and numbers are JSON");
    escaped_json(&json).into_owned() + "\n"
}

fn row_json(snapshots: &RunSnapshots, row: &SnapshotRow<'_>) -> Value {
    let SnapshotRow { point, iteration, changed, is_gone } = row;
    let mut view = json!({
        "address": snapshots.address(point).to_string(),
        "snapshot": point.snapshot.number,
        "commit": point.snapshot.commit,
        "step": point.moment.step(),
        "iteration": point.moment.iteration(),
        "agent": snapshots.past.history.state.plan.agent_name(point.moment.step()),
        "isGone": is_gone,
    });
    if let Some(record) = iteration {
        view["verdict"] = json!(record.verdict());
        if let Some(spend) = &record.report.spend {
            view["spend"] = json!(spend);
        }
    }
    if let Some(ChangedLines { files, added, removed }) = changed {
        view["changes"] = json!({ "files": files, "added": added, "removed": removed });
    }
    view
}

fn rewind_json(record: &RewindRecord) -> Value {
    json!({
        "number": record.number,
        "at": record.at,
        "to": record.target.address,
        "filesOnly": record.files_only,
        "progress": record.progress,
        "saved": record.saved,
    })
}
