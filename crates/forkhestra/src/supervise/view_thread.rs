//! A thread that keeps the view of a run up to date.
//!
//! The thread applies the events to its own history and writes files at a limited rate. The run
//! waits for it only at its end, and only for a short time: a view can be rebuilt, and an
//! unresponsive disk must not block a finished run.

use std::io;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::Event;
use forkhestra_core::history::RunHistory;
use forkhestra_store::journal::recorded_run;
use forkhestra_store::view::{ViewDir, ViewFacts, ViewWriter};
use forkhestra_store::{FileError, RunDir, run_notes};

use crate::cli::command_error::in_full;
use crate::past_runs::resume_command;
use crate::project::project_location::ProjectLocation;
use crate::report::summary_page;

/// Delay before the first write, so that the first events are written together.
const FIRST_WRITE_DELAY: Duration = Duration::from_millis(300);
/// Minimum interval between writes.
const MIN_WRITE_INTERVAL: Duration = Duration::from_secs(1);
/// Writing takes at most one part in this many of the time.
const WRITE_TIME_DIVISOR: u32 = 100;
/// How long the end of a run waits for its view.
const FINISH_TIMEOUT: Duration = Duration::from_secs(5);

/// Handle of the thread that writes the view of one run.
pub(super) struct ViewThread {
    /// `None` once no more events follow.
    events: Option<Sender<Event>>,
    thread: Thread,
    is_done: Receiver<()>,
    problem: Arc<Mutex<Option<Diagnostic>>>,
}

impl ViewThread {
    /// Starts the thread. `history` is that of a resumed run so far. There is no `writer` if no view
    /// is requested.
    pub(super) fn start(
        run_dir: RunDir,
        history: Option<RunHistory>,
        writer: Option<ViewWriter>,
    ) -> io::Result<Self> {
        let (events, queued) = mpsc::channel();
        let (done, is_done) = mpsc::channel();
        let trouble = Arc::new(Mutex::new(None));
        let mut keeper = ViewWorker {
            run_dir,
            history,
            writer,
            problem: Arc::clone(&trouble),
            failures: 0,
            has_warned: false,
        };
        let thread = thread::Builder::new().name("view".to_owned()).spawn(move || {
            keeper.keep(&queued);
            // After a timeout there is no receiver any more.
            let _ = done.send(());
        })?;
        let thread = thread.thread().clone();
        Ok(Self { events: Some(events), thread, is_done, problem: trouble })
    }

    /// Queues an event that is recorded.
    pub(super) fn send_event(&self, event: &Event) {
        // The thread takes events until it is finished.
        self.events.iter().for_each(|events| drop(events.send(event.clone())));
    }

    /// Takes the problem of the view, which is reported once.
    pub(super) fn trouble(&self) -> Option<Diagnostic> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Waits until everything is written, up to [`FINISH_TIMEOUT`].
    pub(super) fn finish(&mut self) {
        self.events = None;
        self.thread.unpark();
        if self.is_done.recv_timeout(FINISH_TIMEOUT).is_err() {
            let warning = stale_view_warning("writing it takes too long");
            *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(warning);
        }
    }
}

/// State of the thread.
struct ViewWorker {
    run_dir: RunDir,
    history: Option<RunHistory>,
    writer: Option<ViewWriter>,
    problem: Arc<Mutex<Option<Diagnostic>>>,
    /// Number of consecutive failed writes.
    failures: u32,
    /// Only the first problem is reported.
    has_warned: bool,
}

impl ViewWorker {
    /// Writes the view until no more events follow. The thread sleeps until the next write is due,
    /// and then takes all events since the last one: a wake-up for each event would slow the run.
    fn keep(&mut self, queued: &Receiver<Event>) {
        let mut due = Instant::now() + FIRST_WRITE_DELAY;
        while let Ok(first) = queued.recv() {
            self.take(&first);
            loop {
                if !self.take_queued(queued) {
                    return self.finish();
                }
                let left = due.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                thread::park_timeout(left);
            }
            let begun = Instant::now();
            self.update();
            due = Instant::now() + MIN_WRITE_INTERVAL.max(begun.elapsed() * WRITE_TIME_DIVISOR);
        }
        self.finish();
    }

    /// Takes all events that are queued; `false` if no more follow.
    fn take_queued(&mut self, queued: &Receiver<Event>) -> bool {
        loop {
            match queued.try_recv() {
                Ok(event) => self.take(&event),
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }

    fn take(&mut self, event: &Event) {
        if let Err(why) = RunHistory::advance(&mut self.history, event) {
            self.warn_once(&format!("an event {why}"));
        }
    }

    fn update(&mut self) {
        if let (Some(writer), Some(history)) = (&mut self.writer, &self.history) {
            match writer.update(history) {
                Ok(()) => self.failures = 0,
                // An agent that cleans up may remove the directory during a write. The next write
                // creates it again; a second failure is reported.
                Err(error) => {
                    self.failures += 1;
                    if self.failures > 1 {
                        self.warn_once(&in_full(&error));
                    }
                }
            }
        }
    }

    /// Writes the final state when the run is over or its process abandons it.
    fn finish(&mut self) {
        let Some(history) = self.history.take() else { return };
        // The notes are next to the journal, so they do not depend on the work tree's disk.
        self.report_failure(note(&history, &self.run_dir));
        if let Some(writer) = &mut self.writer {
            // A run that ended by a limit needs a higher limit to resume.
            writer.change_resume(|command| {
                resume_command::raised(command, &history.state, history.updated)
            });
            // The cause of the first failure may be gone.
            let written = finish(writer, &history).or_else(|_| finish(writer, &history));
            self.report_failure(written);
        }
    }

    fn report_failure(&mut self, written: Result<(), FileError>) {
        if let Err(error) = written {
            self.warn_once(&in_full(&error));
        }
    }

    fn warn_once(&mut self, why: &str) {
        if !std::mem::replace(&mut self.has_warned, true) {
            let warning = stale_view_warning(why);
            *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(warning);
        }
    }
}

fn stale_view_warning(why: &str) -> Diagnostic {
    let message = format!("the view of the run is not up to date: {why}");
    Diagnostic::warning(message).hint(
        "the run continues and is recorded elsewhere; `forkhestra runs rebuild` makes the view again",
    )
}

/// Rebuilds the view of a run without a process, with a time limit. Errors are ignored: `forkhestra
/// runs rebuild` reports them.
pub(super) fn rebuild_in_time(run: &RunDir, project: &ProjectLocation) {
    let (run, project) = (run.clone(), project.clone());
    let (done, is_done) = mpsc::channel();
    let started = thread::Builder::new().name("view".to_owned()).spawn(move || {
        let _ = rebuild(&run, &project);
        let _ = done.send(());
    });
    if started.is_ok() {
        let _ = is_done.recv_timeout(FINISH_TIMEOUT);
    }
}

/// Rebuilds the view of a run without a process from its journal. Returns the view directory.
pub(crate) fn rebuild(run: &RunDir, project: &ProjectLocation) -> Result<ViewDir, String> {
    let past = recorded_run::read(run).map_err(|error| in_full(&error))?;
    let plan = &past.history.state.plan;
    let directory = ViewDir::of(Path::new(&plan.working_directory));
    let resume =
        Some(resume_command::raising(run, &past.history.state, project, past.history.updated));
    let facts = ViewFacts { journal: run.journal(), resume };
    let mut writer = ViewWriter::new(directory.clone(), facts);
    let written = finish(&mut writer, &past.history).and_then(|()| match past.history.state.end {
        // The run may have been resumed since it was read.
        Some(_) => run_notes::write_if_unchanged(&past.history, run, &past.recorded),
        None => Ok(()),
    });
    written.map_err(|error| in_full(&error))?;
    Ok(directory)
}

fn finish(writer: &mut ViewWriter, history: &RunHistory) -> Result<(), FileError> {
    let summary = summary_page::render(history, writer.facts());
    writer.finish(history, &summary)
}

/// Writes the notes of a finished run, which lists of runs and statistics read.
pub(super) fn note(history: &RunHistory, run: &RunDir) -> Result<(), FileError> {
    match history.state.end {
        Some(_) => run_notes::write(history, run),
        None => Ok(()),
    }
}
