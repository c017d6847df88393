//! `forkhestra watch`: shows runs live in the terminal.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::Liveness;
use forkhestra_engine::now;
use forkhestra_engine::signal::{ReceivedSignal, SignalReceiver, suspend_self};
use forkhestra_store::RunDir;
use forkhestra_store::journal::recorded_run;
use forkhestra_tui::{LoopRemote, RunScope, RunSource, WatchSettings};
use typeset::local_time::LocalZone;

use crate::cli::args::steer::WatchArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::cli::started_program::StartedProgram;
use crate::past_runs::run_finder::RunFinder;
use crate::project::project_location::ProjectLocation;
use crate::watch::LocalRunSource;

/// Shows the terminal interface until the user leaves. Leaving does not stop the run.
pub(crate) fn execute(args: &WatchArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let project = ProjectLocation::find(&args.place.project())?;
    let finder = RunFinder { project: &project, state_dir: args.place.state_dir.as_deref() };
    let opened = match &args.run {
        Some(name) => Some(finder.find_named(name)?),
        None if args.all => None,
        None => single_active_run(&finder)?,
    };
    require_terminal(&project)?;
    let style = args.place.color.color.style_for(&io::stdout());
    let scope = if args.all { RunScope::Everywhere } else { RunScope::Here };
    let run = opened.as_ref().map(|run| run.run().clone());
    let settings = WatchSettings { style, now: now().wall, zone: LocalZone::system(), run, scope };
    let source = LocalRunSource::new(project, args.place.state_dir.clone(), style, opened.as_ref());
    watch(&(Arc::new(source) as Arc<dyn RunSource>), settings, screen)
}

fn watch(
    source: &Arc<dyn RunSource>,
    settings: WatchSettings,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let (remote, inbox) = LoopRemote::new();
    // Installed before the terminal library installs its signal handlers: a later installation
    // would replace those.
    let signals = SignalReceiver::install()?;
    let ended_by = Arc::new(AtomicI32::new(0));
    forward_signals(signals, remote, Arc::clone(&ended_by))?;
    let exit_message = forkhestra_tui::run(source, settings, inbox, &suspend_self)?;
    if let Some(exit_message) = exit_message {
        screen.remark(&format!("{exit_message}\n"));
    }
    Ok(match ended_by.load(Ordering::SeqCst) {
        0 => exit_code::COMPLETE,
        signal => exit_code::of_signal(StartedProgram::Forkhestra, signal),
    })
}

/// Forwards signals from a thread that ends with the program.
fn forward_signals(
    mut signals: SignalReceiver,
    remote: LoopRemote,
    ended_by: Arc<AtomicI32>,
) -> io::Result<()> {
    let leave = move |remote: &LoopRemote, signal| {
        ended_by.store(signal, Ordering::SeqCst);
        remote.leave();
    };
    let forward = move || {
        while signals.wait().is_ok() {
            for signal in signals.drain() {
                match signal {
                    ReceivedSignal::Hangup => leave(&remote, 1),
                    ReceivedSignal::Interrupt => leave(&remote, 2),
                    ReceivedSignal::Terminate => leave(&remote, 15),
                    ReceivedSignal::Suspend => remote.suspend(),
                    ReceivedSignal::Continue => remote.redraw(),
                    // The terminal library observes the window size itself.
                    ReceivedSignal::Child | ReceivedSignal::WindowChanged => {}
                }
            }
        }
    };
    thread::Builder::new().spawn(forward).map(drop)
}

/// The active run of this work tree, if there is exactly one.
fn single_active_run(finder: &RunFinder<'_>) -> Result<Option<RunDir>, CommandError> {
    let is_alive =
        |run: &RunDir| run.has_owner_file() && recorded_run::liveness(run) == Liveness::Alive;
    let mut alive = finder.work_tree_runs()?.into_iter().filter(is_alive);
    let first = alive.next();
    Ok(if alive.next().is_some() { None } else { first })
}

fn require_terminal(project: &ProjectLocation) -> Result<(), CommandError> {
    let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let term = project.environment.term.as_ref().filter(|term| !term.is_empty());
    let why = match term {
        _ if !is_terminal => "`forkhestra watch` needs a terminal, for its input and its output",
        None => "`forkhestra watch` needs a terminal that TERM names",
        Some(term) if term == "dumb" => {
            "`forkhestra watch` needs more of a terminal than one that TERM calls dumb"
        }
        Some(_) => return Ok(()),
    };
    Err(CommandError::wrong(
        Diagnostic::error(why)
            .hint("`forkhestra show` prints what happened in a run")
            .hint("`forkhestra events -f` prints what happens as it happens"),
    ))
}
