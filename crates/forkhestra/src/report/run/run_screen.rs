//! The events of a run on the screen.

use std::time::Duration;

use forkhestra_core::event::{Event, EventKind};

use super::human_reporter::{HumanReporter, ReporterText};
use super::screen::screen_action::ScreenAction;

/// The live line changes no more often than this.
const LEAST_BETWEEN_CHANGES: Duration = Duration::from_millis(100);

/// Shows a run to a person: what to say when something happens, and how the live line stays up to
/// date.
pub(crate) struct RunScreen {
    reporter: HumanReporter,
    /// Whether there is a live line at all.
    is_live: bool,
    last_status: Option<Duration>,
}

impl RunScreen {
    /// Shows what this reporter says, on a screen with or without a live line.
    pub(crate) const fn new(reporter: HumanReporter, is_live: bool) -> Self {
        Self { reporter, is_live, last_status: None }
    }

    /// Takes in what happened in an earlier life of the run, without a word.
    pub(crate) fn absorb(&mut self, event: &Event) {
        self.reporter.absorb(event);
    }

    /// Takes in what happened, and says what to do on the screen.
    pub(crate) fn event(&mut self, event: &Event) -> Vec<ScreenAction> {
        if matches!(event.kind, EventKind::Spent { .. }) {
            // It changes nothing but the live line, and may happen many times a second.
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
        // What the live line said is over. It comes back with the line itself, or with a tick:
        // where much happens at once it would only flicker.
        let status = if self.is_due(event.elapsed) { self.status(event.elapsed) } else { None };
        let before = agent.into_iter().chain(before);
        before
            .chain([ScreenAction::Status(status)])
            .chain(said)
            .chain([ScreenAction::Refresh])
            .collect()
    }

    /// Whether ticks are of any use.
    pub(crate) const fn wants_ticks(&self) -> bool {
        self.is_live
    }

    /// Keeps the live line up to date. `elapsed` is the clock of the run, as events have it.
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
