//! Takes the events of a run: the journal first, then whoever watches.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use forkhestra_core::event::Event;
use forkhestra_core::machine::RunState;
use forkhestra_engine::{Sink, SinkError};
use forkhestra_store::{Journal, format};

use crate::report::run::{Outlet, RunScreen};

/// How often the live line is refreshed.
const REFRESH: Duration = Duration::from_millis(500);

/// Records events and shows them.
pub(super) struct RunSink {
    journal: Journal,
    reporter: Reporter,
    /// Nobody reads our output any more, so there is no sense in writing any.
    closed: bool,
}

/// Who watches.
pub(super) enum Reporter {
    /// A person.
    Human(Box<RunScreen>),
    /// A program, which gets each event as the journal has it.
    Json(Arc<Outlet>),
}

impl RunSink {
    pub(super) const fn new(journal: Journal, reporter: Reporter) -> Self {
        Self { journal, reporter, closed: false }
    }

    fn show(&mut self, event: &Event, sequence: u64) -> io::Result<()> {
        match &mut self.reporter {
            Reporter::Human(screen) => screen.event(event),
            Reporter::Json(outlet) => {
                outlet.data(&format!("{}\n", format::encode(event, sequence)))
            }
        }
    }
}

impl Sink for RunSink {
    fn event(&mut self, event: &Event, _: &RunState) -> Result<(), SinkError> {
        let sequence = self.journal.next_seq();
        self.journal.append(event).map_err(|error| SinkError::NotRecorded(Box::new(error)))?;
        if self.closed {
            return Ok(());
        }
        self.show(event, sequence).map_err(|_| {
            self.closed = true;
            SinkError::OutputClosed
        })
    }

    fn tick(&mut self, elapsed: Duration) {
        if let (Reporter::Human(screen), false) = (&mut self.reporter, self.closed) {
            // The next event will find the output closed, and says so.
            let _ = screen.tick(elapsed);
        }
    }

    fn interval(&self) -> Option<Duration> {
        match &self.reporter {
            Reporter::Human(screen) if screen.wants_ticks() => Some(REFRESH),
            Reporter::Human(_) | Reporter::Json(_) => None,
        }
    }
}
