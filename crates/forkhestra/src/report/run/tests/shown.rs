//! A run on a screen, shown at once.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use forkhestra_core::event::Event;

use crate::report::run::act::ScreenAction;
use crate::report::run::human::HumanReporter;
use crate::report::run::outlet::ReportOutput;
use crate::report::run::run_screen::RunScreen;

pub(super) struct ShownRun {
    screen: RunScreen,
    outlet: Arc<ReportOutput>,
}

impl ShownRun {
    pub(super) fn new(reporter: HumanReporter, outlet: Arc<ReportOutput>) -> Self {
        Self { screen: RunScreen::new(reporter, outlet.has_status()), outlet }
    }

    pub(super) fn event(&mut self, event: &Event) -> io::Result<()> {
        let acts = self.screen.event(event);
        self.perform(&acts)
    }

    pub(super) fn tick(&mut self, elapsed: Duration) -> io::Result<()> {
        let acts = self.screen.tick(elapsed);
        self.perform(&acts)
    }

    pub(super) fn wants_ticks(&self) -> bool {
        self.screen.wants_ticks()
    }

    fn perform(&self, acts: &[ScreenAction]) -> io::Result<()> {
        acts.iter().try_for_each(|act| act.perform(&self.outlet))
    }
}
