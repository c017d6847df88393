//! A run on a screen, shown at once.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use forkhestra_core::event::Event;

use crate::report::run::act::Act;
use crate::report::run::human::HumanReporter;
use crate::report::run::outlet::Outlet;
use crate::report::run::run_screen::RunScreen;

pub(super) struct Shown {
    screen: RunScreen,
    outlet: Arc<Outlet>,
}

impl Shown {
    pub(super) fn new(reporter: HumanReporter, outlet: Arc<Outlet>) -> Self {
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

    fn perform(&self, acts: &[Act]) -> io::Result<()> {
        acts.iter().try_for_each(|act| act.perform(&self.outlet))
    }
}
