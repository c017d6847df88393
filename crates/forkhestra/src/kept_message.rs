//! A message that is kept for a run until it is resumed.

use forkhestra_core::control::Refused;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::machine::RunState;
use forkhestra_store::{JournalLock, RunDir, keep_message, pending_messages};

use crate::error::CliError;

/// Keeps a message beside the journal, and gives its number.
pub(crate) fn keep(
    run: &RunDir,
    lock: &JournalLock,
    state: &RunState,
    text: &str,
) -> Result<u32, CliError> {
    let kept = pending_messages(run, state.last_message())?;
    let message = state.accept_message(&kept, text).map_err(refused)?;
    keep_message(run, lock, &message)?;
    Ok(message.number)
}

fn refused(why: Refused) -> CliError {
    let hint = match why {
        Refused::ManyMessages => Some("they are given to the next agent that is started"),
        Refused::HoldsMarker => Some("an agent repeats what it is told, and would seem to be done"),
        _ => None,
    };
    CliError::wrong(Diagnostic::error(why.to_string()).maybe_hint(hint.map(str::to_owned)))
}
