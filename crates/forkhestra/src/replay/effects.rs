//! Applies an agent's recorded changes to the work tree.

use forkhestra_engine::effects::{ReplayTarget, apply};
use forkhestra_engine::signal::BlockedSignals;
use forkhestra_store::recording::UnitRecording;

use super::replay_error::ReplayError;
use crate::cli::command_error::in_full;

/// Applies the recorded changes of a unit. Signals are blocked meanwhile, so that the changes are
/// not left incomplete.
pub(super) fn apply_effects(
    unit: &UnitRecording,
    target: ReplayTarget<'_>,
) -> Result<(), ReplayError> {
    let Some(effects) = &unit.record.effects else { return Ok(()) };
    let _held_off =
        BlockedSignals::begin().map_err(|error| ReplayError::Cannot(error.to_string()))?;
    let read_file = |name: &str| unit.file(name).map_err(|error| in_full(&error));
    apply(effects, &read_file, target).map_err(|error| ReplayError::Cannot(in_full(&error)))
}
