//! Notifications about a run that failed, or whose runner died.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::RunEnd;
use forkhestra_core::machine::RunState;
use forkhestra_engine::signal::SignalReceiver;
use forkhestra_store::RunDir;
use forkhestra_store::journal::recorded_run;
use typeset::color_mode::ColorMode;

use super::two_processes::print_diagnostics;
use crate::cli::console_output::ConsoleOutput;
use crate::notify::{DeliveryWait, Notification, NotifyDispatcher, NotifyReceiver};

/// The notification for a dead runner, with the state from its journal or else the state at its
/// start.
pub(super) fn killed_notification(death: &str, run: &RunDir, start: &RunState) -> Notification {
    let past = recorded_run::read(run).ok();
    Notification::run_died(death, past.as_ref().map_or(start, |past| &past.history.state))
}

/// How long to wait for the delivery of notifications after a run that ended in this state.
pub(super) fn delivery_wait(state: Option<&RunState>) -> DeliveryWait {
    match state.and_then(|state| state.end.as_ref()) {
        Some(RunEnd::Interrupted(_)) => DeliveryWait::Short,
        _ => DeliveryWait::Usual,
    }
}

/// Notifies that the run failed, with the state from its journal.
pub(super) fn notify_of_failure(dispatcher: Option<&NotifyDispatcher>, why: &str, run: &RunDir) {
    let Some(dispatcher) = dispatcher else { return };
    // Without a journal there is nothing to report.
    if let Ok(past) = recorded_run::read(run) {
        dispatcher.notify(Notification::run_died(why, &past.history.state));
    }
}

/// Waits until notifications are sent.
pub(super) fn finish_notifications(
    dispatcher: NotifyDispatcher,
    delivery_wait: DeliveryWait,
    signals: Option<SignalReceiver>,
    screen: &mut ConsoleOutput,
) {
    let diagnostics = dispatcher
        .finish(delivery_wait, signals, &mut |awaited| print_diagnostics(screen, awaited));
    print_diagnostics(screen, &diagnostics);
}

/// Sends the notification from the guard process.
pub(super) fn send_killed_notification(
    targets: &[NotifyReceiver],
    notice: Notification,
    color: ColorMode,
) {
    if targets.is_empty() {
        return;
    }
    let mut screen = ConsoleOutput::new(color);
    let started = SignalReceiver::reinstall().and_then(|signals| {
        let waker = signals.waker();
        let dispatcher = NotifyDispatcher::start(targets, move || waker.wake())?;
        dispatcher.notify(notice);
        Ok((dispatcher, signals))
    });
    match started {
        Ok((dispatcher, signals)) => {
            finish_notifications(dispatcher, DeliveryWait::Usual, Some(signals), &mut screen);
        }
        Err(error) => {
            let message = format!("no notification could be sent: {error}");
            print_diagnostics(&mut screen, &[Diagnostic::warning(message)]);
        }
    }
}
