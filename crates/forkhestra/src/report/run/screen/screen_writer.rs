//! Writes to the screen without blocking on its reader.

use std::io;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::report_output::ReportOutput;
use super::screen_action::ScreenAction;

/// Performs screen actions in order. If a write may block, a thread performs them, so that the run
/// does not wait for a reader.
pub(crate) struct ScreenWriter {
    output: Arc<ReportOutput>,
    thread: Option<Sender<Vec<ScreenAction>>>,
    progress: Arc<WriterProgress>,
}

/// Progress of the thread.
#[derive(Default)]
struct WriterProgress {
    state: Mutex<ScreenWriterState>,
    changed: Condvar,
}

#[derive(Default)]
struct ScreenWriterState {
    waiting: usize,
    /// No further actions are performed, except writes to standard error.
    has_failed: bool,
    failure: Option<io::Error>,
}

impl ScreenWriter {
    /// Creates a writer. If a thread performs the actions, `notify` is called after each batch,
    /// also when it failed.
    pub(crate) fn new(
        output: Arc<ReportOutput>,
        notify: impl Fn() + Send + 'static,
    ) -> io::Result<Self> {
        let progress = Arc::new(WriterProgress::default());
        let thread = if output.may_wait() {
            let (sender, queue) = mpsc::channel::<Vec<ScreenAction>>();
            let (output, progress) = (Arc::clone(&output), Arc::clone(&progress));
            thread::Builder::new().name("screen".to_owned()).spawn(move || {
                for acts in queue {
                    progress.perform(&acts, &output);
                    notify();
                }
            })?;
            Some(sender)
        } else {
            None
        };
        Ok(Self { output, thread, progress })
    }

    /// Queues actions behind all earlier ones.
    pub(crate) fn put(&self, acts: Vec<ScreenAction>) {
        if acts.is_empty() {
            return;
        }
        self.progress.state().waiting += 1;
        match &self.thread {
            None => self.progress.perform(&acts, &self.output),
            Some(thread) => {
                thread
                    .send(acts)
                    .expect("the thread takes what comes as long as there is a writer");
            }
        }
    }

    /// Waits at most `limit` for all actions. Returns whether all were performed.
    pub(crate) fn wait(&self, limit: Duration) -> bool {
        let is_busy = |state: &mut ScreenWriterState| state.waiting > 0;
        let state = self.progress.state();
        let waited = self.progress.changed.wait_timeout_while(state, limit, is_busy);
        waited.unwrap_or_else(PoisonError::into_inner).0.waiting == 0
    }

    /// The write error, returned once.
    pub(crate) fn take_failure(&self) -> Option<io::Error> {
        self.progress.state().failure.take()
    }

    /// Whether writing has failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.progress.state().has_failed
    }
}

impl WriterProgress {
    fn state(&self) -> MutexGuard<'_, ScreenWriterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn perform(&self, acts: &[ScreenAction], output: &ReportOutput) {
        let has_failed = self.state().has_failed;
        // Standard error may still have a reader.
        let mut wanted =
            acts.iter().filter(|act| !has_failed || matches!(act, ScreenAction::ReportError(_)));
        let result = wanted.try_for_each(|act| act.perform(output));
        let mut state = self.state();
        state.waiting -= 1;
        if let Err(error) = result {
            state.has_failed = true;
            state.failure = Some(error);
        }
        self.changed.notify_all();
    }
}
