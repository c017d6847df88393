//! The protected files of a step within which a fork continues.

use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::{ForkPoint, SnapshotPoint};
use forkhestra_engine::{OriginBaseline, OriginStep};

use crate::cli::command_error::CommandError;
use crate::past_runs::run_snapshots::{RunSnapshots, snapshot_error};

/// The state of protected files when the step began in the original run; none if the fork begins with another
/// step, or if nothing is protected.
pub(super) fn origin_baseline(
    source: &RunSnapshots,
    point: &SnapshotPoint,
    is_clone: bool,
) -> Result<Option<OriginBaseline>, CommandError> {
    let state = &source.past.history.state;
    let fork = ForkPoint::of(&source.past.history, point);
    let number = fork.origin.step;
    let step = state.plan.step(number).zip(state.step(number));
    let Some((plan, state)) = step.filter(|_| fork.next_step() == number) else { return Ok(None) };
    let Some(protection) = &plan.protect else { return Ok(None) };
    let baselines = state.before.baselines.as_ref();
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
    let Some(first) = state.before.snapshot.as_ref().filter(|_| is_clone) else {
        return Ok(Some(baseline));
    };
    let directory = Path::new(&source.past.history.state.plan.working_directory);
    let baseline = baseline.in_clone(&source.reader, directory, (first, &point.snapshot));
    Ok(Some(baseline.map_err(|error| snapshot_error(&error))?))
}
