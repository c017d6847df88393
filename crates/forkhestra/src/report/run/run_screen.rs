//! Turns the events of a run into screen actions.

use std::time::Duration;

use forkhestra_core::event::{Event, EventKind};

use super::human_reporter::{HumanReporter, ReporterText};
use super::screen::screen_action::ScreenAction;

/// Minimum time between two updates of the live line.
const LEAST_BETWEEN_CHANGES: Duration = Duration::from_millis(100);

/// Shows a run to a person: output for each event, and an up-to-date live line.
pub(crate) struct RunScreen {
    reporter: HumanReporter,
    is_live: bool,
    last_status: Option<Duration>,
}

impl RunScreen {
    /// Creates a screen for this reporter, with or without a live line.
    pub(crate) const fn new(reporter: HumanReporter, is_live: bool) -> Self {
        Self { reporter, is_live, last_status: None }
    }

    /// Applies an event from before the run was resumed, without output.
    pub(crate) fn absorb(&mut self, event: &Event) {
        self.reporter.absorb(event);
    }

    /// Applies an event and returns the screen actions for it.
    pub(crate) fn event(&mut self, event: &Event) -> Vec<ScreenAction> {
        if matches!(event.kind, EventKind::Spent { .. }) {
            // Spend events change only the live line and may occur many times a second.
            self.reporter.absorb(event);
            return self.tick(event.elapsed);
        }
        let said = self.reporter.event(event).map(|said| match said {
            ReporterText::Out(text) => ScreenAction::Say(text),
            ReporterText::Err(text) => ScreenAction::Tell(text),
        });
        let agent = match &event.kind {
            EventKind::IterationStarted { unit } => {
                self.reporter.tool_rules(unit.step).map(ScreenAction::AgentBegins)
            }
            EventKind::AgentFinished { .. } | EventKind::IterationFinished { .. } => {
                Some(ScreenAction::AgentIsGone)
            }
            _ => None,
        };
        if !self.is_live {
            return agent.into_iter().chain(said).collect();
        }
        let before = match &event.kind {
            EventKind::Paused => Some(ScreenAction::Hide(true)),
            EventKind::Continued => Some(ScreenAction::Hide(false)),
            _ => None,
        };
        // The previous status is outdated. The live line returns with this output or, within the
        // minimum interval, with the next tick; otherwise it would flicker.
        let status = if self.is_due(event.elapsed) { self.status(event.elapsed) } else { None };
        let before = agent.into_iter().chain(before);
        before
            .chain([ScreenAction::Status(status)])
            .chain(said)
            .chain([ScreenAction::Refresh])
            .collect()
    }

    /// Whether [`Self::tick`] has any effect.
    pub(crate) const fn wants_ticks(&self) -> bool {
        self.is_live
    }

    /// Updates the live line. `elapsed` is on the clock of the run.
    pub(crate) fn tick(&mut self, elapsed: Duration) -> Vec<ScreenAction> {
        if !self.is_live || !self.is_due(elapsed) {
            return Vec::new();
        }
        vec![ScreenAction::Status(self.status(elapsed)), ScreenAction::Refresh]
    }

    fn is_due(&self, elapsed: Duration) -> bool {
        self.last_status.is_none_or(|last| elapsed.abs_diff(last) >= LEAST_BETWEEN_CHANGES)
    }

    fn status(&mut self, elapsed: Duration) -> Option<String> {
        self.last_status = Some(elapsed);
        self.reporter.status(elapsed)
    }
}
