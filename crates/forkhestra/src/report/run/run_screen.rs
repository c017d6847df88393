//! Turns the events of a run into screen actions.

use std::time::Duration;

use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::history::{RunActivity, RunHistory};

use super::human_reporter::{HumanReporter, ReporterText};
use super::live_line::live_line;
use super::screen::screen_action::ScreenAction;
use crate::report::agent::ToolRules;

/// Minimum time between two updates of the live line.
const MIN_REDRAW_INTERVAL: Duration = Duration::from_millis(100);

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

    /// The screen actions for an event. `run` includes it.
    pub(crate) fn event(&mut self, event: &Event, run: &RunHistory) -> Vec<ScreenAction> {
        if matches!(event.kind, EventKind::Spent { .. }) {
            // Spend events change only the live line and may occur many times a second.
            return self.tick(event.elapsed, run);
        }
        let action = self.reporter.event(event, run).map(|action| match action {
            ReporterText::Out(text) => ScreenAction::Report(text),
            ReporterText::Err(text) => ScreenAction::ReportError(text),
        });
        let agent = match &event.kind {
            EventKind::IterationStarted { unit, .. } => {
                let direct =
                    run.state.plan.step(unit.step).and_then(|step| step.agent.kind.direct());
                direct.map(|direct| ScreenAction::AgentBegins(event.lane, ToolRules::of(direct)))
            }
            EventKind::AgentFinished { .. } | EventKind::IterationFinished { .. } => {
                Some(ScreenAction::AgentIsGone(event.lane))
            }
            _ => None,
        };
        if !self.is_live {
            return agent.into_iter().chain(action).collect();
        }
        let before = match &event.kind {
            EventKind::Paused => Some(ScreenAction::Hide(true)),
            EventKind::Continued => Some(ScreenAction::Hide(false)),
            _ => None,
        };
        // The previous status is outdated. The live line returns with this output or, within the
        // minimum interval, with the next tick; otherwise it would flicker.
        // The run's clock is paused while a person is asked, so no tick would follow.
        let is_asking = matches!(run.activity, RunActivity::Asking { .. });
        let is_due = is_asking || self.is_due(event.elapsed);
        let status = if is_due { self.status(event.elapsed, run) } else { None };
        let before = agent.into_iter().chain(before);
        before
            .chain([ScreenAction::Status(status)])
            .chain(action)
            .chain([ScreenAction::Refresh])
            .collect()
    }

    /// Whether [`Self::tick`] has any effect.
    pub(crate) const fn wants_ticks(&self) -> bool {
        self.is_live
    }

    /// Updates the live line. `elapsed` is on the clock of the run.
    pub(crate) fn tick(&mut self, elapsed: Duration, run: &RunHistory) -> Vec<ScreenAction> {
        if !self.is_live || !self.is_due(elapsed) {
            return Vec::new();
        }
        vec![ScreenAction::Status(self.status(elapsed, run)), ScreenAction::Refresh]
    }

    fn is_due(&self, elapsed: Duration) -> bool {
        self.last_status.is_none_or(|last| elapsed.abs_diff(last) >= MIN_REDRAW_INTERVAL)
    }

    fn status(&mut self, elapsed: Duration, run: &RunHistory) -> Option<String> {
        self.last_status = Some(elapsed);
        live_line(run, self.reporter.commands(), elapsed)
    }
}
