//! The protected files of a step within which a fork continues.

use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::{ForkPoint, SnapshotMoment, SnapshotPoint};
use forkhestra_engine::{OriginBaseline, OriginStep};

use crate::cli::command_error::CommandError;
use crate::past_runs::run_snapshots::{RunSnapshots, snapshot_error};

/// The state of protected files when the first step of the fork began in the original run; none if it begins with a
/// later step, or if nothing is protected.
pub(super) fn origin_baseline(
    source: &RunSnapshots,
    point: &SnapshotPoint,
    is_clone: bool,
) -> Result<Option<OriginBaseline>, CommandError> {
    let state = &source.past.history.state;
    let fork = ForkPoint::of(&source.past.history, point);
    // A group begins again with its first step.
    let number = fork.next_step();
    let step = state.plan.step(number).zip(state.step(number));
    let Some((plan, state)) = step.filter(|_| number <= fork.origin.step) else { return Ok(None) };
    let Some(protection) = &plan.protect else { return Ok(None) };
    let baselines = state.before.baselines.as_ref();
    if number < fork.origin.step && baselines.is_none() {
        // Its condition did not hold.
        return Ok(None);
    }
    let baseline = OriginBaseline::read(OriginStep {
        number,
        protection: &protection.value,
        digest: baselines.and_then(|digests| digests.protected.as_deref()),
        persistent_directory: &source.run_dir.kept(),
    });
    let baseline = match baseline {
        Ok(baseline) => baseline,
        // The snapshot is that state.
        Err(_) if is_clone && fork.origin.iteration == 0 => return Ok(None),
        Err(error) => {
            let run = source.run_dir.run();
            let message = format!(
                "run {run} cannot be forked there: the state of its protected files when step {number} began \
                 is lost: {error}"
            );
            let hint = format!("`--at {number}.0` continues from the state before the step");
            return Err(CommandError::wrong(Diagnostic::error(message).hint(hint)));
        }
    };
    // In later rounds, the step began with what an earlier one was refused for.
    let mut points = source.timeline.points.iter();
    let first = points.find(|point| point.moment == SnapshotMoment::BeforeStep(number));
    let first = first.map(|point| &point.snapshot).or(state.before.snapshot.as_ref());
    let Some(first) = first.filter(|_| is_clone) else { return Ok(Some(baseline)) };
    let directory = Path::new(&source.past.history.state.plan.working_directory);
    let baseline = baseline.in_clone(&source.reader, directory, (first, &point.snapshot));
    Ok(Some(baseline.map_err(|error| snapshot_error(&error))?))
}
