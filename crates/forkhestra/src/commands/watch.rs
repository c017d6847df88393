//! `forkhestra watch`: runs on a terminal, as they go on.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::Liveness;
use forkhestra_engine::now;
use forkhestra_engine::signal::{Signal, Signals, stop_ourselves};
use forkhestra_store::{RunDir, history};
use forkhestra_tui::{Remote, Scope, Settings, World};
use typeset::local_time::LocalZone;

use crate::args_steer::WatchArgs;
use crate::error::CliError;
use crate::exit_code;
use crate::find_run::Places;
use crate::program::Program;
use crate::project::Project;
use crate::screen::Screen;
use crate::watch::RealWorld;

/// Watches until the person leaves. The run goes on.
pub(crate) fn execute(args: &WatchArgs, screen: &mut Screen) -> Result<u8, CliError> {
    let project = Project::find(&args.place.project())?;
    let places = Places { project: &project, state_dir: args.place.state_dir.as_deref() };
    let opened = match &args.run {
        Some(name) => Some(places.named(name)?),
        None if args.all => None,
        None => going_on(&places)?,
    };
    require_terminal(&project)?;
    let ink = args.place.color.color.ink_for(&io::stdout());
    let scope = if args.all { Scope::Everywhere } else { Scope::Here };
    let run = opened.as_ref().map(|run| run.run().clone());
    let settings = Settings { ink, now: now().wall, zone: LocalZone::system(), run, scope };
    let world = RealWorld::new(project, args.place.state_dir.clone(), ink, opened.as_ref());
    watch(&(Arc::new(world) as Arc<dyn World>), settings, screen)
}

fn watch(world: &Arc<dyn World>, settings: Settings, screen: &mut Screen) -> Result<u8, CliError> {
    let (remote, inbox) = Remote::new();
    // Before anybody else asks for signals, who would be left without them.
    let signals = Signals::install()?;
    let ended_by = Arc::new(AtomicI32::new(0));
    hear_signals(signals, remote, Arc::clone(&ended_by));
    let farewell = forkhestra_tui::run(world, settings, inbox, &stop_ourselves)?;
    if let Some(farewell) = farewell {
        screen.remark(&format!("{farewell}\n"));
    }
    Ok(match ended_by.load(Ordering::SeqCst) {
        0 => exit_code::COMPLETE,
        signal => exit_code::of_signal(Program::Forkhestra, signal),
    })
}

/// Hands signals on, from a thread that ends with the program.
fn hear_signals(mut signals: Signals, remote: Remote, ended_by: Arc<AtomicI32>) {
    let leave = move |remote: &Remote, signal| {
        ended_by.store(signal, Ordering::SeqCst);
        remote.leave();
    };
    thread::spawn(move || {
        while signals.wait().is_ok() {
            for signal in signals.drain() {
                match signal {
                    Signal::Hangup => leave(&remote, 1),
                    Signal::Interrupt => leave(&remote, 2),
                    Signal::Terminate => leave(&remote, 15),
                    Signal::Stop => remote.suspend(),
                    Signal::Continue => remote.redraw(),
                    // The library that reads keys hears of the window by itself.
                    Signal::Child | Signal::WindowChanged => {}
                }
            }
        }
    });
}

/// The run that is going on in this work tree, if exactly one is.
fn going_on(places: &Places<'_>) -> Result<Option<RunDir>, CliError> {
    let is_alive = |run: &RunDir| run.names_an_owner() && history::liveness(run) == Liveness::Alive;
    let mut alive = places.here()?.into_iter().filter(is_alive);
    let first = alive.next();
    Ok(if alive.next().is_some() { None } else { first })
}

fn require_terminal(project: &Project) -> Result<(), CliError> {
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
    Err(CliError::wrong(
        Diagnostic::error(why)
            .hint("`forkhestra show` prints what happened in a run")
            .hint("`forkhestra events -f` prints what happens as it happens"),
    ))
}
