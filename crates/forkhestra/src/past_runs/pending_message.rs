//! Messages that are stored for a run until it is resumed.

use forkhestra_core::control::RefusedRequest;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::RunEnd;
use forkhestra_core::history::Liveness;
use forkhestra_core::machine::RunState;
use forkhestra_engine::now;
use forkhestra_store::journal::recorded_run;
use forkhestra_store::{FileError, JournalLock, RunDir, pending_messages, store_pending_message};

use crate::cli::command_error::CommandError;
use crate::past_runs::{control_client, repair};
use crate::project::project_location::ProjectLocation;
use crate::supervise::output::run_secrets::inherited_secrets;
use crate::supervise::{LockRequest, acquire_journal_lock};

/// Stores a message for a run that can be resumed and has no process. Returns its number, or `None`
/// if the run is active.
pub(crate) fn store_for_resume(
    run: &RunDir,
    project: &ProjectLocation,
    text: &str,
) -> Result<Option<u32>, CommandError> {
    if recorded_run::liveness(run) == Liveness::Alive {
        return Ok(None);
    }
    control_client::refuse_within(run.run())?;
    let tree = run.work_tree();
    let lock_request =
        LockRequest { tree: &tree, run: run.run(), since: now().wall, without_lock: true };
    let lock = acquire_journal_lock(run, &lock_request)?;
    // While the lock is held, no other process writes to the journal.
    let past = recorded_run::read(run).map_err(|error| repair::refused(&error, run, project))?;
    let state = &past.history.state;
    if state.end == Some(RunEnd::Complete) {
        let id = run.run();
        let complete =
            Diagnostic::error(format!("run {id} is complete: no agent of it will run again"));
        return Err(CommandError::wrong(
            complete.hint("start another run, with the message in its prompt"),
        ));
    }
    store_message(run, &lock, state, &masked(text, project)).map(Some)
}

/// The text of a message without the secrets of this process. An active run masks the messages that
/// it records; a message for a run that is over is stored as it is.
pub(crate) fn masked(text: &str, project: &ProjectLocation) -> String {
    inherited_secrets(&project.environment.inherited).masked(text)
}

/// Warning that a text, which is called `what`, is stored without its secrets.
pub(crate) fn masked_warning(
    what: &str,
    text: &str,
    project: &ProjectLocation,
) -> Option<Diagnostic> {
    (masked(text, project) != text).then(|| {
        let message = format!(
            "the {what} contains a secret of the environment; it is stored with `*` in its place"
        );
        Diagnostic::warning(message).hint("name the variable or the file that holds it")
    })
}

/// Number of stored messages that wait for the run to be resumed.
pub(crate) fn pending_count(run: &RunDir, state: &RunState) -> Result<usize, FileError> {
    Ok(pending_messages(run, state.last_message())?.len())
}

/// Stores a message next to the journal and returns its number.
pub(crate) fn store_message(
    run: &RunDir,
    lock: &JournalLock,
    state: &RunState,
    text: &str,
) -> Result<u32, CommandError> {
    let kept = pending_messages(run, state.last_message())?;
    let message = state.accept_message(&kept, text).map_err(refused)?;
    store_pending_message(run, lock, &message)?;
    Ok(message.number)
}

pub(crate) fn refused(why: RefusedRequest) -> CommandError {
    CommandError::wrong(Diagnostic::error(why.to_string()).maybe_hint(hint(why).map(str::to_owned)))
}

/// A hint for a refused message or change.
pub(crate) const fn hint(why: RefusedRequest) -> Option<&'static str> {
    match why {
        RefusedRequest::ManyMessages => Some("they are given to the next agent that is started"),
        RefusedRequest::HoldsMarker => {
            Some("an agent may repeat the message, and that would count as a completion claim")
        }
        RefusedRequest::NoLane => {
            Some("lanes count from 1, and `forkhestra show` names them; leave `--lane` out for any")
        }
        RefusedRequest::NoLoop => Some("the other limits hold for steps that run once, too"),
        RefusedRequest::NoRounds => Some("groups are repeated as in `(builder:20 -> reviewer):3`"),
        RefusedRequest::NoGroupLimits => Some(
            "`--max-time` and `--max-cost` hold for the run, `--step-time` and `--step-cost` for steps",
        ),
        _ => None,
    }
}
