//! `forkhestra stop`, `pause`, `continue`, `tell`, `approve`, `deny`, `skip` and `set`: steer an active run.

mod answer;
mod message;
mod reply_text;
mod send_request;
mod steered_run;

use std::thread;
use std::time::Duration;

use forkhestra_core::control::ControlRequest;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::LimitChanges;
use forkhestra_core::history::Liveness;
use forkhestra_core::id::LaneNumber;
use forkhestra_store::journal::recorded_run;

use self::steered_run::SteeredRun;
use crate::cli::args::steer::{AnswerArgs, SetArgs, SkipArgs, SteerArgs, StopArgs, TellArgs};
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::past_runs::{control_client, pending_message, repair};

/// Interval at which `stop --wait` polls whether the run is over.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Stops a run after its iteration, or at once.
pub(crate) fn stop(args: &StopArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let target = SteeredRun::find(args.steer.run.as_deref(), &args.steer.place)?;
    let request = if args.now { ControlRequest::StopNow } else { ControlRequest::Stop };
    if args.wait && control_client::is_in_run(target.run.run()) {
        let message = "`--wait` cannot be used by a hook: the run waits for the hook to end";
        return Err(CommandError::wrong(Diagnostic::error(message).hint("leave it out")));
    }
    ask(&target, &request, screen)?;
    screen.report(still_paused(&target).filter(|_| !args.now).as_slice());
    if args.wait {
        wait_until_over(&target, screen)?;
    }
    Ok(exit_code::COMPLETE)
}

/// Pauses a run.
pub(crate) fn pause(args: &SteerArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    send_and_report(args, &ControlRequest::Pause, screen)
}

/// Continues a paused run.
pub(crate) fn continue_run(
    args: &SteerArgs,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    send_and_report(args, &ControlRequest::Continue, screen)
}

/// Skips to the next step of a run, or to the stage after a repeated group.
pub(crate) fn skip(args: &SkipArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let request = if args.group { ControlRequest::SkipGroup } else { ControlRequest::Skip };
    send_and_report(&args.steer, &request, screen)
}

/// Approves or denies the open question of a run.
pub(crate) fn answer(
    args: &AnswerArgs,
    approves: bool,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let verb = if approves { "approve" } else { "deny" };
    let words = message::split_run_and_comment(&args.words, verb, &args.place)?;
    let mut answer = || {
        let target = SteeredRun::of_answer(words.run, verb, words.comment.as_deref(), &args.place)?;
        let request = answer::request(&target, approves, args.question, words.comment.clone())?;
        let was_paused = is_paused(&target);
        ask(&target, &request, screen)?;
        if was_paused {
            let run = target.run.run();
            screen.print(&format!("Run {run} was paused, and continues\n"))?;
        }
        Ok::<_, CommandError>(())
    };
    answer().map_err(|error| error.maybe_hint(words.comment_hint))?;
    Ok(exit_code::COMPLETE)
}

/// Sends a message to the next agent of a run.
pub(crate) fn send_message(
    args: &TellArgs,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let (run, text) = message::split_run_and_text(&args.words, &args.place)?;
    let target = SteeredRun::of_message(run, &args.place)?;
    if let Some(lane) = args.lane {
        refuse_ended_lanes(&target, lane)?;
        ask(&target, &ControlRequest::Tell { text, lane: Some(lane) }, screen)?;
        return Ok(exit_code::COMPLETE);
    }
    match pending_message::store_for_resume(&target.run, &target.project, &text)? {
        Some(number) => {
            screen.report(
                pending_message::masked_warning("message", &text, &target.project).as_slice(),
            );
            screen.print(&reply_text::kept_message_text(&target, number))?;
        }
        None => ask(&target, &ControlRequest::tell(text), screen)?,
    }
    Ok(exit_code::COMPLETE)
}

/// Refuses a message for a lane of a run that no process works on: its next agent may be in another
/// lane.
fn refuse_ended_lanes(target: &SteeredRun, lane: LaneNumber) -> Result<(), CommandError> {
    if recorded_run::liveness(&target.run) == Liveness::Alive {
        return Ok(());
    }
    let id = target.run.run();
    let message = format!("no process works on run {id}, so that lane {lane} has no next agent");
    let hint = "without `--lane` the message is kept for the next agent of the resumed run";
    Err(CommandError::wrong(Diagnostic::error(message).hint(hint)))
}

/// Changes the limits of a run.
pub(crate) fn set(args: &SetArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let changes = args.limits.0.clone();
    if changes == LimitChanges::default() {
        return Err(CommandError::wrong(
            Diagnostic::error("no limit is named")
                .hint("name one, as in `forkhestra set --max-iterations 20 --max-cost 5`"),
        ));
    }
    let target = SteeredRun::find(args.steer.run.as_deref(), &args.steer.place)?;
    ask(&target, &ControlRequest::Set(changes.clone()), screen)?;
    // Without the journal nothing is known of the steps; `show` reports what is wrong with it.
    if let Ok(past) = recorded_run::read(&target.run) {
        screen.report(&past.history.state.quota_warnings(&changes));
    }
    Ok(exit_code::COMPLETE)
}

fn send_and_report(
    args: &SteerArgs,
    request: &ControlRequest,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let target = SteeredRun::find(args.run.as_deref(), &args.place)?;
    ask(&target, request, screen)?;
    Ok(exit_code::COMPLETE)
}

fn ask(
    target: &SteeredRun,
    request: &ControlRequest,
    screen: &mut ConsoleOutput,
) -> Result<(), CommandError> {
    let accepted = send_request::send_request(target, request, screen)?;
    screen.print(&reply_text::accepted_text(target.run.run(), request, accepted))?;
    Ok(())
}

/// Whether the journal has a pause that nothing has ended.
fn is_paused(target: &SteeredRun) -> bool {
    recorded_run::read(&target.run).is_ok_and(|past| {
        past.history.state.end.is_none() && past.history.steering.paused.is_some()
    })
}

/// Warning that a paused run does not stop, because its iteration does not end.
fn still_paused(target: &SteeredRun) -> Option<Diagnostic> {
    let run = target.run.run();
    is_paused(target).then(|| {
        Diagnostic::warning(format!("run {run} is paused, and does that when it continues"))
            .hint(format!("to continue: forkhestra continue {run}"))
    })
}

/// Waits until no process works on the run, then prints its end.
fn wait_until_over(target: &SteeredRun, screen: &mut ConsoleOutput) -> Result<(), CommandError> {
    while recorded_run::liveness(&target.run) == Liveness::Alive {
        thread::sleep(POLL_INTERVAL);
    }
    let past = recorded_run::read(&target.run)
        .map_err(|error| repair::refused(&error, &target.run, &target.project))?;
    screen.print(&reply_text::ended_text(target.run.run(), &past.history))?;
    Ok(())
}
