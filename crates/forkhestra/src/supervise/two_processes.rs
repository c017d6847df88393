//! Executes a run as two processes: the runner works, the guard watches it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::time::Duration;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::notification_watch::run_end_trigger;
use forkhestra_core::event::{ProcessEnd, RunEnd};
use forkhestra_core::history::RunHistory;
use forkhestra_core::machine::Machine;
use forkhestra_engine::EventSink;
use forkhestra_engine::process::{
    BackgroundProcess, GuardLink, GuardReport, GuardRole, RunMark, protect, split,
};
use forkhestra_engine::signal::SignalReceiver;
use forkhestra_store::control;
use forkhestra_store::recording::Recording;
use forkhestra_store::{Journal, LockProof, RunDir};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::background;
use super::compose::ComposedRun;
use super::killed_notification::{
    delivery_wait, finish_notifications, killed_notification, notify_of_failure,
    send_killed_notification,
};
use super::tools;
use super::view_thread::rebuild_in_time;
use crate::cli::args::forkhestra_cli::OutputArgs;
use crate::cli::command_error::{CommandError, in_full};
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::notify::NotifyReceiver;
use crate::past_runs::resume_command::resume_command;
use crate::project::project_location::ProjectLocation;
use crate::report::text::run_commands::RunCommands;

/// A run that is ready to start or to be resumed.
pub(crate) struct Execution<'a> {
    pub(crate) machine: Machine,
    /// The history of a resumed run.
    pub(crate) history: Option<RunHistory>,
    pub(crate) run_dir: RunDir,
    pub(crate) lock: LockProof,
    pub(crate) journal: Journal,
    pub(crate) output: &'a OutputArgs,
    pub(crate) project: &'a ProjectLocation,
    /// Whether a view is written to the working directory.
    pub(crate) has_view: bool,
    /// Where agents are recorded, if requested.
    pub(crate) recording: Option<Recording>,
    /// Set for a detached run; it is notified when the run is recorded.
    pub(crate) background: Option<BackgroundProcess>,
    /// Receivers of notifications.
    pub(crate) notify: Vec<NotifyReceiver>,
}

/// Executes the run and returns the exit code. It returns in the process that the user started,
/// which is the guard; the runner process ends inside.
pub(crate) fn execute(execution: Execution<'_>) -> Result<u8, CommandError> {
    if let Some(background) = &execution.background
        && let Err(error) = background::redirect_output(background, &execution.run_dir)
    {
        release(execution.lock);
        return Err(error);
    }
    let role = protect().and_then(|()| split()).map_err(|error| {
        CommandError::wrong(Diagnostic::error(format!("no second process can be started: {error}")))
    })?;
    match role {
        GuardRole::Guard(report) => Ok(execution.watched(&report)),
        GuardRole::Runner(guard) => {
            let code = execution.work(guard);
            #[expect(clippy::exit, reason = "what is above us on the stack belongs to the guard")]
            std::process::exit(i32::from(code))
        }
    }
}

impl Execution<'_> {
    /// The guard's part after the runner ended: reports a death and cleans up.
    fn watched(self, report: &GuardReport) -> u8 {
        let mut diagnostics = Vec::new();
        if !report.left.is_empty() {
            let pids: Vec<String> = report.left.iter().map(ToString::to_string).collect();
            diagnostics.push(Diagnostic::warning(format!(
                "processes that cannot be ended are left: {}",
                pids.join(", ")
            )));
        }
        let error = exit_code::error(self.project.program);
        let (death, code) = match (&report.runner, report.cut_short) {
            (ProcessEnd::Exited(code), _) => (None, u8::try_from(*code).unwrap_or(error)),
            (ProcessEnd::Signaled(_), Some(by)) => {
                let why = "the runner did not end when it was asked to, and was killed";
                (Some(why.to_owned()), by.exit_code())
            }
            (ProcessEnd::Signaled(signal), None) => {
                let why = format!("the runner was killed by signal {signal}");
                (Some(why), exit_code::of_signal(self.project.program, *signal))
            }
            (ProcessEnd::NotStarted { .. }, _) => (None, error),
        };
        let was_killed = death.is_some();
        let by_person =
            report.cut_short.is_some_and(|by| run_end_trigger(&RunEnd::Interrupted(by)).is_none());
        let notice = death
            .as_ref()
            .filter(|_| !by_person)
            .map(|death| killed_notification(death, &self.run_dir, self.machine.state()));
        diagnostics.extend(death.map(|death| {
            Diagnostic::error(death)
                .hint("every process that it had started has been ended")
                .hint(format!("to resume: {}", self.resume_command()))
        }));
        if was_killed {
            self.clear_live_line();
        }
        print_diagnostics(&mut ConsoleOutput::new(self.output.color.color), &diagnostics);
        let (targets, color) = (self.notify.clone(), self.output.color.color);
        if was_killed {
            self.clean_up_after_kill();
        }
        if let Some(notice) = notice {
            send_killed_notification(&targets, notice, color);
        }
        code
    }

    /// Clears the live line that a killed runner left, if the terminal accepts output. A failure
    /// only makes the next message harder to read.
    fn clear_live_line(&self) {
        if is_writable_soon(io::stdout().as_fd())
            && let Ok(output) = self.report_output()
        {
            let _ = output.clear_abandoned_status();
        }
    }

    /// Does the cleanup that a killed runner missed.
    fn clean_up_after_kill(self) {
        // If the runner was killed after its run was over, another process may have resumed the
        // run.
        if self.journal.is_exclusive() {
            // A socket that is left is recognised as stale.
            let _ = control::remove(self.journal.lock());
            if self.has_view {
                rebuild_in_time(&self.run_dir, self.project);
            }
        }
        release(self.lock);
    }

    /// The runner's part: composes and executes the run, then reports its end.
    fn work(self, guard: GuardLink) -> u8 {
        let program = self.project.program;
        let error = exit_code::error(program);
        let mut screen = ConsoleOutput::new(self.output.color.color);
        let hint = format!("every agent has been ended; to resume: {}", self.resume_command());
        let run_dir = self.run_dir.clone();
        let mark = RunMark::of(run_dir.run().as_str().as_ref());
        // Without the mark, leftovers are found by their environment only.
        let _ = mark.apply();
        let own_program = tools::own_program(&scratch(&self.run_dir))
            .map_err(|diagnostic| screen.report(&[diagnostic]))
            .ok();
        let ComposedRun { machine, ports, mut sink, lock: work_tree_lock } =
            match self.compose(guard, own_program) {
                Ok(composed) => composed,
                Err(failure) => {
                    screen.report(&failure.diagnostics());
                    return error;
                }
            };
        let ran = forkhestra_engine::run(machine, ports, &mut sink);
        sink.finish_control();
        let dispatcher = sink.take_notifier();
        // From here on a signal ends the process at once.
        let signals = dispatcher.as_ref().and_then(|_| SignalReceiver::reinstall().ok());
        let wait = delivery_wait(ran.as_ref().ok());
        let (code, last_words) = match ran {
            Ok(state) => {
                let unread = "the end of the output was not read";
                let is_unread = !sink.wait_until_shown(Duration::ZERO);
                let warning = is_unread.then(|| Diagnostic::warning(unread).hint(hint));
                let code = state.end.map_or(error, |end| exit_code::of_end(program, &end));
                (code, warning)
            }
            Err(failure) => {
                sink.clear();
                let why = in_full(&failure);
                notify_of_failure(dispatcher.as_ref(), &why, &run_dir);
                (error, Some(Diagnostic::error(why).hint(hint)))
            }
        };
        let diagnostics: Vec<Diagnostic> =
            last_words.into_iter().chain(sink.finish_views()).collect();
        print_diagnostics(&mut screen, &diagnostics);
        // From here on the run can be resumed, which ends leftovers. A mark can always be removed.
        let _ = mark.remove();
        // The journal is released last: while it names this process, a resumed run does the
        // remaining cleanup.
        let Some(dispatcher) = dispatcher else {
            release(work_tree_lock);
            drop(sink);
            return code;
        };
        // Locks are released before notifications are delivered, so that neither `stop --wait` nor
        // a resumed run waits for the delivery. If releasing fails, they wait.
        if let LockProof::Locked(lock) = work_tree_lock {
            let _ = lock.release_for_all();
        }
        let _ = sink.release_for_all();
        finish_notifications(dispatcher, wait, signals, &mut screen);
        code
    }

    pub(super) fn commands(&self) -> RunCommands {
        RunCommands::new(&self.run_dir, &self.machine.state().plan, self.project)
    }

    pub(super) fn resume_command(&self) -> String {
        resume_command(&self.run_dir, &self.machine.state().plan, self.project)
    }
}

/// The directory for temporary files of a run.
pub(super) fn scratch(run: &RunDir) -> PathBuf {
    run.path().join("scratch")
}

/// The directory for temporary files of a rewind.
pub(crate) fn rewind_scratch(run: &RunDir) -> PathBuf {
    run.path().join("scratch-of-rewind")
}

/// Releases the lock, which also records that there are no leftovers. If that fails, the next run
/// searches for leftovers and finds none.
pub(crate) fn release(work_tree_lock: LockProof) {
    if let LockProof::Locked(lock) = work_tree_lock {
        let _ = lock.release();
    }
}

/// Prints diagnostics, unless standard error has no reader: a reader that is stuck must not block
/// the end of the run.
pub(super) fn print_diagnostics(screen: &mut ConsoleOutput, diagnostics: &[Diagnostic]) {
    if !diagnostics.is_empty() && is_writable_soon(io::stderr().as_fd()) {
        screen.report(diagnostics);
    }
}

/// Whether a few lines can be written within a second without waiting for a reader.
fn is_writable_soon(stream: BorrowedFd<'_>) -> bool {
    let moment = Timespec { tv_sec: 1, tv_nsec: 0 };
    let mut files = [PollFd::from_borrowed_fd(stream, PollFlags::OUT)];
    // If `poll` fails, writing does not block.
    poll(&mut files, Some(&moment)) != Ok(0)
}
