//! A run shown on a screen without a writer thread.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use forkhestra_core::event::Event;
use forkhestra_core::history::RunHistory;

use crate::report::run::human_reporter::HumanReporter;
use crate::report::run::run_screen::RunScreen;
use crate::report::run::screen::report_output::ReportOutput;
use crate::report::run::screen::screen_action::ScreenAction;

pub(crate) struct ShownRun {
    screen: RunScreen,
    history: Option<RunHistory>,
    outlet: Arc<ReportOutput>,
}

impl ShownRun {
    pub(crate) fn new(reporter: HumanReporter, output: Arc<ReportOutput>) -> Self {
        Self {
            screen: RunScreen::new(reporter, output.has_status()),
            history: None,
            outlet: output,
        }
    }

    pub(crate) fn event(&mut self, event: &Event) -> io::Result<()> {
        let run = RunHistory::advance(&mut self.history, event).expect("it can have happened");
        let acts = self.screen.event(event, run);
        self.perform(&acts)
    }

    pub(crate) fn tick(&mut self, elapsed: Duration) -> io::Result<()> {
        let run = self.history.as_ref().expect("it has begun");
        let acts = self.screen.tick(elapsed, run);
        self.perform(&acts)
    }

    pub(crate) fn wants_ticks(&self) -> bool {
        self.screen.wants_ticks()
    }

    fn perform(&self, acts: &[ScreenAction]) -> io::Result<()> {
        acts.iter().try_for_each(|act| act.perform(&self.outlet))
    }
}
