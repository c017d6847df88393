//! Notifications about a run that failed, or whose runner died.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::RunEnd;
use forkhestra_core::machine::RunState;
use forkhestra_engine::signal::Signals;
use forkhestra_store::{RunDir, history};
use typeset::color::Color;

use super::two_processes::say;
use crate::notify::{Notice, Patience, Target, Teller};
use crate::screen::Screen;

/// The notice of a dead runner, with the state that its journal has, or else the state at its start.
pub(super) fn death_notice(death: &str, run: &RunDir, start: &RunState) -> Notice {
    let past = history::read(run).ok();
    Notice::of_death(death, past.as_ref().map_or(start, |past| &past.history.state))
}

/// How long to wait for notifications about a run that ended in this state.
pub(super) fn patience_after(state: Option<&RunState>) -> Patience {
    match state.and_then(|state| state.end.as_ref()) {
        Some(RunEnd::Interrupted(_)) => Patience::Short,
        _ => Patience::Usual,
    }
}

/// Notifies that a run failed, with what its journal has.
pub(super) fn tell_of_failure(teller: Option<&Teller>, why: &str, run: &RunDir) {
    let Some(teller) = teller else { return };
    // Without a journal there is nothing to report.
    if let Ok(past) = history::read(run) {
        teller.tell(Notice::of_death(why, &past.history.state));
    }
}

/// Waits until notifications are sent.
pub(super) fn finish_telling(
    teller: Teller,
    patience: Patience,
    signals: Option<Signals>,
    screen: &mut Screen,
) {
    let said = teller.finish(patience, signals, &mut |awaited| say(screen, awaited));
    say(screen, &said);
}

/// Sends the notice from the guard.
pub(super) fn send_death_notice(targets: &[Target], notice: Notice, color: Color) {
    if targets.is_empty() {
        return;
    }
    let mut screen = Screen::new(color);
    let told = Signals::install_again().and_then(|signals| {
        let waker = signals.waker();
        let teller = Teller::start(targets, move || waker.wake())?;
        teller.tell(notice);
        Ok((teller, signals))
    });
    match told {
        Ok((teller, signals)) => {
            finish_telling(teller, Patience::Usual, Some(signals), &mut screen);
        }
        Err(error) => {
            let message = format!("no notification could be sent: {error}");
            say(&mut screen, &[Diagnostic::warning(message)]);
        }
    }
}
