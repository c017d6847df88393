//! `forkhestra stop`, `pause`, `continue`, `tell`, `skip` and `set`: steers a run that is going on.

mod asking;
mod message;
mod target;
mod words;

use std::thread;
use std::time::Duration;

use forkhestra_core::control::Request;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::LimitChanges;
use forkhestra_core::history::Liveness;
use forkhestra_store::history;

use self::target::Target;
use crate::args_steer::{SetArgs, SteerArgs, StopArgs, TellArgs};
use crate::error::CliError;
use crate::screen::Screen;
use crate::{exit_code, kept_message, repair};

/// How often we look whether a run is over.
const GLANCE: Duration = Duration::from_millis(50);

/// Ends a run, after its iteration or now.
pub(crate) fn stop(args: &StopArgs, screen: &mut Screen) -> Result<u8, CliError> {
    let target = Target::find(args.steer.run.as_deref(), &args.steer.place)?;
    let request = if args.now { Request::StopNow } else { Request::Stop };
    ask(&target, &request, screen)?;
    screen.tell(still_paused(&target).filter(|_| !args.now).as_slice());
    if args.wait {
        wait_until_over(&target, screen)?;
    }
    Ok(exit_code::COMPLETE)
}

/// Lets a run stand still.
pub(crate) fn pause(args: &SteerArgs, screen: &mut Screen) -> Result<u8, CliError> {
    plainly(args, &Request::Pause, screen)
}

/// Lets a run go on that stands still.
pub(crate) fn go_on(args: &SteerArgs, screen: &mut Screen) -> Result<u8, CliError> {
    plainly(args, &Request::Continue, screen)
}

/// Has a run go on with its next step.
pub(crate) fn skip(args: &SteerArgs, screen: &mut Screen) -> Result<u8, CliError> {
    plainly(args, &Request::Skip, screen)
}

/// Tells the next agent of a run something.
pub(crate) fn tell(args: &TellArgs, screen: &mut Screen) -> Result<u8, CliError> {
    let (run, text) = message::taken_apart(&args.words, &args.place)?;
    let target = Target::of_message(run, &args.place)?;
    match kept_message::keep_for_resume(&target.run, &target.project, &text)? {
        Some(number) => screen.print(&words::kept(&target, number))?,
        None => ask(&target, &Request::Tell(text), screen)?,
    }
    Ok(exit_code::COMPLETE)
}

/// Changes limits of a run.
pub(crate) fn set(args: &SetArgs, screen: &mut Screen) -> Result<u8, CliError> {
    let changes = args.limits.0.clone();
    if changes == LimitChanges::default() {
        return Err(CliError::wrong(
            Diagnostic::error("no limit is named")
                .hint("name one, as in `forkhestra set --max-iterations 20 --max-cost 5`"),
        ));
    }
    let target = Target::find(args.steer.run.as_deref(), &args.steer.place)?;
    ask(&target, &Request::Set(changes), screen)?;
    Ok(exit_code::COMPLETE)
}

fn plainly(args: &SteerArgs, request: &Request, screen: &mut Screen) -> Result<u8, CliError> {
    let target = Target::find(args.run.as_deref(), &args.place)?;
    ask(&target, request, screen)?;
    Ok(exit_code::COMPLETE)
}

fn ask(target: &Target, request: &Request, screen: &mut Screen) -> Result<(), CliError> {
    let accepted = asking::ask(target, request)?;
    screen.print(&words::accepted(target.run.run(), request, accepted))?;
    Ok(())
}

/// Says that an iteration does not come to its end as long as the run stands still.
fn still_paused(target: &Target) -> Option<Diagnostic> {
    let history = history::read(&target.run).ok()?.history;
    let is_paused = history.state.end.is_none() && history.steering.paused.is_some();
    let run = target.run.run();
    is_paused.then(|| {
        Diagnostic::warning(format!("run {run} is paused, and does that when it continues"))
            .hint(format!("to continue: forkhestra continue {run}"))
    })
}

/// Waits until nobody is at work on a run, and says what became of it.
fn wait_until_over(target: &Target, screen: &mut Screen) -> Result<(), CliError> {
    while history::liveness(&target.run) == Liveness::Alive {
        thread::sleep(GLANCE);
    }
    let past = history::read(&target.run)
        .map_err(|error| repair::refused(&error, &target.run, &target.project))?;
    screen.print(&words::ended(target.run.run(), &past.history))?;
    Ok(())
}
