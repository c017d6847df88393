//! Takes the events of a run: the journal first, then whoever watches.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::{CancelCause, Event, EventKind};
use forkhestra_core::machine::RunState;
use forkhestra_engine::process::BackgroundProcess;
use forkhestra_engine::{EventSink, SinkError, SinkFailure};
use forkhestra_store::{FileError, Journal, format};

use super::control_socket::ControlServer;
use super::view_thread::ViewThread;
use super::{background, tools};
use crate::notify::NotifyDispatcher;
use crate::report::diagnostic;
use crate::report::run::{RunScreen, ScreenAction, ScreenWriter};

/// How often the live line is refreshed.
const REFRESH: Duration = Duration::from_millis(500);

/// Records events and shows them.
pub(super) struct RunSink {
    journal: Journal,
    reporter: RunReporter,
    writer: ScreenWriter,
    views: ViewThread,
    notifier: Option<NotifyDispatcher>,
    /// Lets people steer the run.
    control: ControlServer,
    /// What is still to be done as soon as the run is recorded.
    first_event_actions: Option<FirstEventActions>,
    /// The run knows that nobody reads the output any more.
    is_unread: bool,
}

/// Who is told of a run beside the screen, and who is heard.
pub(super) struct SinkObservers {
    pub(super) views: ViewThread,
    /// Tells people who are not there.
    pub(super) notifier: Option<NotifyDispatcher>,
    /// Lets people steer the run.
    pub(super) control: ControlServer,
}

/// What is done as soon as something of the run is recorded, and not before: whoever is killed until
/// then leaves nothing that looks like a run.
pub(super) struct FirstEventActions {
    /// Where programs for agents are put.
    pub(super) tools: Option<PathBuf>,
    /// Who waits for the run to be recorded.
    pub(super) background: Option<BackgroundProcess>,
}

/// Who watches.
pub(super) enum RunReporter {
    /// A person.
    Human(Box<RunScreen>),
    /// A program, which gets each event as the journal has it.
    Json,
}

impl RunSink {
    pub(super) fn new(
        journal: Journal,
        reporter: RunReporter,
        writer: ScreenWriter,
        company: SinkObservers,
        beginning: FirstEventActions,
    ) -> Self {
        let SinkObservers { views, notifier, control } = company;
        let first_event_actions = Some(beginning);
        Self {
            journal,
            reporter,
            writer,
            views,
            notifier,
            control,
            first_event_actions,
            is_unread: false,
        }
    }

    /// Whoever tells others of the run, for when it is over.
    pub(super) const fn take_notifier(&mut self) -> Option<NotifyDispatcher> {
        self.notifier.take()
    }

    /// Waits until the view is written, and gives what is wrong with it.
    pub(super) fn finish_views(&self) -> Option<Diagnostic> {
        self.views.finish();
        self.views.trouble()
    }

    /// Lets nobody steer the run any more, now that it is over.
    pub(super) fn finish_control(&mut self) {
        self.control.close();
    }

    /// Lets others go on with the run, although the guard has its journal too.
    pub(super) fn release_for_all(self) -> Result<(), FileError> {
        self.journal.release_for_all()
    }

    /// Makes what a run has in its directory beside the journal, as soon as something is recorded, and
    /// gives what is wrong with it.
    fn move_in(&mut self) -> Vec<Diagnostic> {
        let Some(FirstEventActions { tools, background }) = self.first_event_actions.take() else {
            return Vec::new();
        };
        let without_tools =
            tools.and_then(|directory| tools::create_tools_directory(&directory).err());
        let unsteered = self.control.open(&self.journal).err();
        // Whoever waits for this may steer the run at once.
        background.iter().for_each(background::report_started);
        without_tools.into_iter().chain(unsteered).collect()
    }

    /// What to do on the screen about an event.
    fn acts(&mut self, event: &Event, sequence: u64) -> Vec<ScreenAction> {
        match &mut self.reporter {
            RunReporter::Human(screen) => screen.event(event),
            RunReporter::Json => {
                vec![ScreenAction::Data(format!("{}\n", format::encode(event, sequence)))]
            }
        }
    }

    /// Whether these are the last words, and nobody reads the output. That may be known from the
    /// run before it is from writing.
    fn are_last_words_lost(&self, kind: &EventKind) -> bool {
        matches!(kind, EventKind::RunFinished { .. })
            && (self.is_unread || self.writer.has_failed())
    }

    /// Takes the live line away, so that nothing of it stays behind our last words.
    pub(super) fn clear(&self) {
        if matches!(&self.reporter, RunReporter::Human(screen) if screen.wants_ticks()) {
            self.writer.put(vec![ScreenAction::Hide(true)]);
            self.writer.wait(Duration::from_secs(1));
        }
    }
}

impl EventSink for RunSink {
    fn record_event(&mut self, event: &Event, state: &RunState) -> Result<(), SinkError> {
        let sequence = self.journal.next_seq();
        self.journal.append(event).map_err(|error| SinkError::NotRecorded(Box::new(error)))?;
        self.views.send_event(event);
        self.notifier.iter_mut().for_each(|teller| teller.observe_event(event, state));
        // Whatever becomes of the run: it may still complete, or somebody else may want it to end.
        self.is_unread |= event.kind == EventKind::Cancelled { by: CancelCause::OutputClosed };
        let mut acts = self.acts(event, sequence);
        let trouble = self.views.trouble().into_iter().chain(self.move_in());
        acts.extend(trouble.map(|trouble| ScreenAction::Tell(diagnostic::render(&trouble))));
        // The last words must reach somebody, so where nobody reads the output they are complaints.
        if self.are_last_words_lost(&event.kind) {
            acts.iter_mut().for_each(|act| {
                if let ScreenAction::Say(text) = act {
                    *act = ScreenAction::Tell(std::mem::take(text));
                }
            });
        }
        self.writer.put(acts);
        Ok(())
    }

    fn tick(&mut self, elapsed: Duration) {
        if let RunReporter::Human(screen) = &mut self.reporter
            && self.writer.wait(Duration::ZERO)
        {
            let acts = screen.tick(elapsed);
            self.writer.put(acts);
        }
    }

    fn interval(&self) -> Option<Duration> {
        match &self.reporter {
            RunReporter::Human(screen) if screen.wants_ticks() => Some(REFRESH),
            RunReporter::Human(_) | RunReporter::Json => None,
        }
    }

    fn wait_until_shown(&self, limit: Duration) -> bool {
        self.writer.wait(limit)
    }

    fn take_failure(&mut self) -> Option<SinkFailure> {
        let error = self.writer.take_failure()?;
        Some(match error.kind() {
            io::ErrorKind::BrokenPipe => SinkFailure::Closed,
            _ => SinkFailure::Failed(error),
        })
    }
}
