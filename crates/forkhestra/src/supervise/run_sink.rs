//! The event sink of a run: writes the journal first, then informs reporters.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

use forkhestra_core::control::{ControlReply, ControlRequest};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::{CancelCause, Event, EventKind};
use forkhestra_core::history::RunHistory;
use forkhestra_engine::process::BackgroundProcess;
use forkhestra_engine::{EventSink, SinkError, SinkFailure};
use forkhestra_store::output_log::Secrets;
use forkhestra_store::{FileError, Journal};

use super::background;
use super::control_socket::ControlServer;
use super::question_prompt::TerminalPrompt;
use super::view_thread::ViewThread;
use crate::notify::NotifyDispatcher;
use crate::report::diagnostic;
use crate::report::run::{RunScreen, ScreenAction, ScreenWriter};

/// Refresh interval of the live line.
const REFRESH_INTERVAL: Duration = Duration::from_millis(500);

/// Records events, then reports them to screen, views and notifications. Nothing of it gets to see
/// a secret.
pub(super) struct RunSink {
    pub(super) journal: Journal,
    pub(super) secrets: Arc<Secrets>,
    /// The recorded events, folded; none before the first one.
    pub(super) history: Option<RunHistory>,
    pub(super) reporter: RunReporter,
    pub(super) writer: ScreenWriter,
    pub(super) views: ViewThread,
    pub(super) notifier: Option<NotifyDispatcher>,
    pub(super) control: ControlServer,
    /// Asks the user at the terminal; none if the plan has no question, or there is no terminal.
    pub(super) prompt: Option<TerminalPrompt>,
    /// Actions that are pending until the first event is recorded.
    pub(super) first_event_actions: Option<FirstEventActions>,
    /// The run was cancelled because its output was closed.
    pub(super) is_output_closed: bool,
}

/// Actions that run after the first event is recorded. If the process is killed earlier, nothing is
/// left that looks like a run.
pub(super) struct FirstEventActions {
    /// The background process that reports the start to the foreground.
    pub(super) background: Option<BackgroundProcess>,
}

/// The format of the output.
pub(super) enum RunReporter {
    /// Text for a person.
    Human(Box<RunScreen>),
    /// JSON lines, identical to those of the journal.
    Json,
}

impl RunSink {
    /// Takes the notification dispatcher out, to be used after the run is over.
    pub(super) const fn take_notifier(&mut self) -> Option<NotifyDispatcher> {
        self.notifier.take()
    }

    /// Waits until the view is written. Returns its problem, if there is one.
    pub(super) fn finish_views(&mut self) -> Option<Diagnostic> {
        self.views.finish();
        self.views.trouble()
    }

    /// Closes the control socket at the end of the run.
    pub(super) fn finish_control(&mut self) {
        self.control.close();
    }

    /// Releases the journal lock although the guard process holds it too, so that the run can be
    /// resumed.
    pub(super) fn release_for_all(self) -> Result<(), FileError> {
        self.journal.release_for_all()
    }

    /// Creates the control socket once the first event is recorded. Returns the warning if that fails.
    fn set_up_run_dir(&mut self) -> Option<Diagnostic> {
        let FirstEventActions { background } = self.first_event_actions.take()?;
        let unsteered = self.control.open(&self.journal).err();
        // The foreground process may steer the run as soon as this is reported.
        background.iter().for_each(background::report_started);
        unsteered
    }

    /// Folds a recorded event, and sends it to the notifier. Returns the screen actions for it.
    fn observe(&mut self, event: &Event) -> Vec<ScreenAction> {
        let history = RunHistory::advance(&mut self.history, event);
        let history = history.expect("the machine has folded the event into the same state");
        self.notifier.iter_mut().for_each(|dispatcher| dispatcher.observe_event(event, history));
        match &mut self.reporter {
            RunReporter::Human(screen) => screen.event(event, history),
            RunReporter::Json => {
                // The machine's events are JSON, which is text.
                let line = String::from_utf8_lossy(self.journal.last_line());
                vec![ScreenAction::Data(format!("{line}\n"))]
            }
        }
    }

    /// Whether this is the last event and standard output has no reader. A cancelled run may show
    /// that before a write fails.
    fn is_end_unread(&self, kind: &EventKind) -> bool {
        matches!(kind, EventKind::RunFinished { .. })
            && (self.is_output_closed || self.writer.has_failed())
    }

    /// Clears the live line before the final messages.
    pub(super) fn clear(&self) {
        if matches!(&self.reporter, RunReporter::Human(screen) if screen.wants_ticks()) {
            self.writer.put(vec![ScreenAction::Hide(true)]);
            self.writer.wait(Duration::from_secs(1));
        }
    }
}

/// Warning that a run cannot be resumed without the secrets of its plan.
fn masked_plan_warning() -> Diagnostic {
    let message = "a prompt, an argument or a command of this run contains a secret of the environment; \
                   files have `*` in its place, and the run cannot be resumed";
    Diagnostic::warning(message)
        .hint("agents and checks inherit the environment: name the variable, and not its value")
}

impl EventSink for RunSink {
    fn record_event(&mut self, event: &Event) -> Result<(), SinkError> {
        let masked = self.secrets.masked_event(event);
        let event = masked.as_ref().unwrap_or(event);
        self.journal.append(event).map_err(|error| SinkError::NotRecorded(Box::new(error)))?;
        self.views.send_event(event);
        // The flag stays set even if the run still completes or ends for another reason.
        self.is_output_closed |=
            event.kind == EventKind::Cancelled { by: CancelCause::OutputClosed };
        let mut acts = self.observe(event);
        let is_masked_plan =
            matches!(&event.kind, EventKind::RunStarted { plan, .. } if plan.is_masked);
        let masked_plan = is_masked_plan.then(masked_plan_warning);
        let trouble = self.views.trouble().into_iter().chain(self.set_up_run_dir());
        let trouble = masked_plan.into_iter().chain(trouble);
        let trouble = trouble.chain(self.control.take_warnings());
        acts.extend(trouble.map(|trouble| ScreenAction::ReportError(diagnostic::render(&trouble))));
        if let Some(prompt) = &mut self.prompt {
            let mut before = prompt.observe_event(&event.kind);
            if acts.iter().any(ScreenAction::has_text) {
                before.extend(prompt.clear());
            }
            acts.splice(..0, before);
        }
        // If standard output has no reader, the final report goes to standard error.
        if self.is_end_unread(&event.kind) {
            acts.iter_mut().for_each(|act| {
                if let ScreenAction::Report(text) = act {
                    *act = ScreenAction::ReportError(std::mem::take(text));
                }
            });
        }
        self.writer.put(acts);
        Ok(())
    }

    fn tick(&mut self, elapsed: Duration) {
        if let (RunReporter::Human(screen), Some(history)) = (&mut self.reporter, &self.history)
            && self.writer.wait(Duration::ZERO)
        {
            let acts = screen.tick(elapsed, history);
            self.writer.put(acts);
        }
    }

    fn interval(&self) -> Option<Duration> {
        let prompt = self.prompt.as_ref();
        match &self.reporter {
            // The prompt is in the place of the live line.
            _ if prompt.is_some_and(TerminalPrompt::is_shown) => None,
            RunReporter::Human(screen) if screen.wants_ticks() => Some(REFRESH_INTERVAL),
            RunReporter::Human(_) | RunReporter::Json => prompt.and_then(TerminalPrompt::interval),
        }
    }

    fn before_wait(&mut self) {
        // What was typed before everything else is on the screen does not answer the question.
        if let Some(prompt) = &mut self.prompt
            && prompt.is_due()
            && self.writer.wait(Duration::ZERO)
        {
            self.writer.put(prompt.show());
        }
    }

    fn terminal(&self) -> Option<BorrowedFd<'_>> {
        let shown = self.prompt.as_ref().filter(|prompt| prompt.is_shown())?;
        self.writer.wait(Duration::ZERO).then(|| shown.as_fd())
    }

    fn read_terminal(&mut self) -> Option<ControlRequest> {
        let (acts, request) = self.prompt.as_mut()?.read();
        self.writer.put(acts);
        request
    }

    fn show_reply(&mut self, reply: ControlReply) {
        if let Some(prompt) = &mut self.prompt {
            self.writer.put(prompt.take_reply(reply));
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
