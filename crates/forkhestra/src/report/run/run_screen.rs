//! The events of a run on the screen.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use forkhestra_core::event::{Event, EventKind};

use super::human::{HumanReporter, Said};
use super::outlet::Outlet;

/// The live line changes no more often than this.
const LEAST_BETWEEN_CHANGES: Duration = Duration::from_millis(100);

/// Shows a run to a person: says what happens, and keeps the live line up to date.
pub(crate) struct RunScreen {
    reporter: HumanReporter,
    outlet: Arc<Outlet>,
    last_status: Option<Duration>,
}

impl RunScreen {
    /// Shows what this reporter says through this outlet.
    pub(crate) fn new(reporter: HumanReporter, outlet: Arc<Outlet>) -> Self {
        Self { reporter, outlet, last_status: None }
    }

    /// Takes in what happened in an earlier life of the run, without a word.
    pub(crate) fn absorb(&mut self, event: &Event) {
        self.reporter.absorb(event);
    }

    /// Shows what happened.
    pub(crate) fn event(&mut self, event: &Event) -> io::Result<()> {
        match &event.kind {
            EventKind::IterationFinished { .. } => self.outlet.agent_is_gone(),
            EventKind::Paused => self.outlet.hide_status(true)?,
            EventKind::Continued => self.outlet.hide_status(false)?,
            _ => {}
        }
        let said = self.reporter.event(event);
        // What the live line said is over. It comes back with the line itself, or with a tick:
        // where much happens at once it would only flicker.
        let status = if self.is_due(event.elapsed) { self.status(event.elapsed) } else { None };
        self.outlet.set_status(status);
        match said {
            None => {}
            Some(Said::Out(text)) => self.outlet.say(&text)?,
            Some(Said::Err(text)) => self.outlet.tell(&text)?,
        }
        self.outlet.refresh_status()
    }

    /// Whether ticks are of any use.
    pub(crate) fn wants_ticks(&self) -> bool {
        self.outlet.has_status()
    }

    /// Keeps the live line up to date. `elapsed` is the clock of the run, as events have it.
    pub(crate) fn tick(&mut self, elapsed: Duration) -> io::Result<()> {
        if !self.is_due(elapsed) {
            return Ok(());
        }
        let status = self.status(elapsed);
        self.outlet.set_status(status);
        self.outlet.refresh_status()
    }

    fn is_due(&self, elapsed: Duration) -> bool {
        self.last_status.is_none_or(|last| elapsed.abs_diff(last) >= LEAST_BETWEEN_CHANGES)
    }

    fn status(&mut self, elapsed: Duration) -> Option<String> {
        self.last_status = Some(elapsed);
        if self.outlet.has_status() { self.reporter.status(elapsed) } else { None }
    }
}
