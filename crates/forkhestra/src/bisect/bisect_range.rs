//! The snapshots among which the first bad one is searched.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::{SnapshotAddress, SnapshotMoment, SnapshotPoint};
use forkhestra_engine::SnapshotReadError;

use crate::cli::args::bisect::BisectArgs;
use crate::cli::command_error::CommandError;
use crate::past_runs::run_snapshots::{RunSnapshots, snapshot_error};

/// Different snapshots in the order of the run. The first one should be good, and the last one bad.
pub(crate) struct BisectRange {
    pub(crate) snapshots: Vec<BisectSnapshot>,
    /// The step of the bad end, from one. Its moment may be one that changed nothing.
    pub(crate) step: usize,
}

/// A snapshot of the range.
pub(crate) struct BisectSnapshot {
    /// The moment that created it: later ones may have the same snapshot.
    pub(crate) point: SnapshotPoint,
    /// None if it is gone.
    pub(crate) tree: Option<String>,
    /// The name of the moment in texts.
    pub(crate) label: String,
}

impl BisectRange {
    /// The snapshots between the named ends.
    pub(crate) fn of(run: &RunSnapshots, args: &BisectArgs) -> Result<Self, CommandError> {
        let points = &run.timeline.points;
        let index = |address: Option<SnapshotAddress>, default: usize| match address {
            Some(address) => {
                let point = run.point(address)?;
                Ok(points.iter().position(|other| other == point).unwrap_or(default))
            }
            None => Ok::<usize, CommandError>(default),
        };
        let good = index(args.good, 0)?;
        let bad = index(args.bad, points.len().saturating_sub(1))?;
        if good > bad {
            return Err(wrong_order(&points[good], &points[bad], run).into());
        }
        let mut distinct: Vec<&SnapshotPoint> = points[good..=bad].iter().collect();
        distinct.dedup_by_key(|point| point.snapshot.number);
        let trees: Vec<_> = distinct.iter().map(|point| &point.snapshot).collect();
        let trees = run.reader.trees(&trees).map_err(|error| snapshot_error(&error))?;
        let snapshots = distinct.into_iter().zip(trees).map(|(point, tree)| BisectSnapshot {
            point: point.clone(),
            tree,
            label: label(point, run),
        });
        let range = Self { snapshots: snapshots.collect(), step: points[bad].moment.step() };
        range.require_different_ends()?;
        Ok(range)
    }

    /// The end that should be good.
    pub(crate) fn good(&self) -> &BisectSnapshot {
        &self.snapshots[0]
    }

    /// The end that should be bad.
    pub(crate) fn bad(&self) -> &BisectSnapshot {
        &self.snapshots[self.snapshots.len() - 1]
    }

    /// A warning about snapshots that cannot be tested.
    pub(crate) fn gone_warning(&self) -> Option<Diagnostic> {
        let gone = self.snapshots.iter().filter(|snapshot| snapshot.tree.is_none());
        let names: Vec<String> = gone.map(BisectSnapshot::name).collect();
        let message = format!("snapshots that are gone are skipped: {}", names.join(", "));
        (!names.is_empty()).then(|| Diagnostic::warning(message))
    }

    fn require_different_ends(&self) -> Result<(), CommandError> {
        let (good, bad) = (self.good(), self.bad());
        for end in [good, bad] {
            if end.tree.is_none() {
                let number = end.point.snapshot.number;
                return Err(snapshot_error(&SnapshotReadError::Gone(number)));
            }
        }
        if good.tree != bad.tree {
            return Ok(());
        }
        let message = match self.snapshots.len() {
            1 => format!("there is only one snapshot, {}: nothing changed in between", good.name()),
            _ => format!("{} and {} have the same files", good.name(), bad.name()),
        };
        let hint = "name two iterations between which files changed, with `--good` and `--bad`";
        Err(CommandError::wrong(Diagnostic::error(message).hint(hint)))
    }
}

impl BisectSnapshot {
    /// Number and moment: `@5 (iteration 7)`.
    pub(crate) fn name(&self) -> String {
        format!("@{} ({})", self.point.snapshot.number, self.label)
    }
}

/// The name of the moment of a point in texts. An attempt that was followed by another one is named
/// by its number as well.
fn label(point: &SnapshotPoint, run: &RunSnapshots) -> String {
    let iteration = moment_label(point.moment, run.past.history.steps.len());
    match (point.moment, run.address(point)) {
        _ if run.timeline.first().is_ok_and(|first| first == point) => "before the run".to_owned(),
        (SnapshotMoment::AfterIteration(unit), SnapshotAddress::Number(_)) => {
            format!("{iteration}, attempt {}", unit.attempt)
        }
        _ => iteration,
    }
}

fn moment_label(moment: SnapshotMoment, steps: usize) -> String {
    match moment {
        SnapshotMoment::BeforeStep(step) => format!("before step {step}"),
        SnapshotMoment::AfterIteration(unit) if steps <= 1 => {
            format!("iteration {}", unit.iteration)
        }
        SnapshotMoment::AfterIteration(unit) => {
            format!("step {}, iteration {}", unit.step, unit.iteration)
        }
    }
}

fn wrong_order(good: &SnapshotPoint, bad: &SnapshotPoint, run: &RunSnapshots) -> Diagnostic {
    let (good, bad) = (run.address(good), run.address(bad));
    Diagnostic::error(format!("`--good {good}` is after `--bad {bad}`"))
        .hint("the good iteration comes first")
        .hint(format!(
            "to find the iteration that fixed something, invert the command: `-- sh -c '{}'`",
            inverted("CMD")
        ))
}

/// A command of the shell that passes where another one fails. Exit codes that mean neither stay.
pub(crate) fn inverted(command: &str) -> String {
    format!("{command}; c=$?; [ $c -lt 125 ] || exit $c; [ $c -ne 0 ]")
}
