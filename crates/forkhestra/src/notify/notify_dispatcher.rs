//! Turns the events of a run into notifications and dispatches them to workers.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::notification_watch::NotificationWatch;
use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::history::RunHistory;
use forkhestra_core::text;
use forkhestra_engine::signal::{ReceivedSignal, SignalReceiver};
use forkhestra_store::RunDir;
use rustix::process::{Pid, getppid};

use super::notification::Notification;
use super::notify_receiver::NotifyReceiver;
use super::notify_worker::{DeliveryCallback, NotifyWorker};
use crate::report::run_report::RunReport;
use crate::report::text::run_commands::RunCommands;

/// After this time the pending deliveries are printed.
const PENDING_NOTICE_DELAY: Duration = Duration::from_secs(2);

/// How long to wait for pending deliveries after the end of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DeliveryWait {
    /// The normal limit.
    Usual,
    /// The run was interrupted, so the process should end soon.
    Short,
}

impl DeliveryWait {
    const fn limit(self) -> Duration {
        match self {
            Self::Usual => Duration::from_secs(30),
            // The guard kills a runner that does not end in time.
            Self::Short => Duration::from_secs(10),
        }
    }
}

/// Dispatches notifications to all receivers of a run.
pub(crate) struct NotifyDispatcher {
    watch: NotificationWatch,
    /// The run directory, which holds the output of agents.
    run_dir: Option<RunDir>,
    /// The commands that steer and resume the run.
    commands: Option<RunCommands>,
    workers: Vec<NotifyWorker>,
    /// The run was resumed with the answer to its question.
    has_resume_answer: bool,
    /// The final notification, for receivers that must wait until the run is over.
    last: Option<Arc<Notification>>,
    parent: Option<Pid>,
}

impl NotifyDispatcher {
    /// Starts a worker thread for each receiver. Each worker calls `wake` after a delivery.
    pub(crate) fn start(
        targets: &[NotifyReceiver],
        wake: impl Fn() + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let wake: DeliveryCallback = Arc::new(wake);
        let start =
            |target: &NotifyReceiver| NotifyWorker::start(target.clone(), Arc::clone(&wake));
        let workers = targets.iter().map(start).collect::<io::Result<_>>()?;
        let watch = NotificationWatch::default();
        Ok(Self {
            watch,
            run_dir: None,
            commands: None,
            workers,
            has_resume_answer: false,
            last: None,
            parent: getppid(),
        })
    }

    /// Adds the directory of the run, and the commands about it.
    #[must_use]
    pub(crate) fn of_run(mut self, run_dir: RunDir, commands: RunCommands) -> Self {
        self.run_dir = Some(run_dir);
        self.commands = Some(commands);
        self
    }

    /// Leaves out the first question: the run brings its answer.
    #[must_use]
    pub(crate) const fn with_resume_answer(mut self, has_resume_answer: bool) -> Self {
        self.has_resume_answer = has_resume_answer;
        self
    }

    /// Whether an event is a question that is answered at once.
    fn is_answered(&mut self, event: &Event, history: &RunHistory) -> bool {
        let is_question = matches!(event.kind, EventKind::Asked { .. });
        is_question
            && (history.state.plan.approves_all || std::mem::take(&mut self.has_resume_answer))
    }

    /// Processes a recorded event. `history` includes it.
    pub(crate) fn observe_event(&mut self, event: &Event, history: &RunHistory) {
        if self.is_answered(event, history) {
            return;
        }
        let Some(kind) = self.watch.trigger_for(&event.kind) else { return };
        let mut report = RunReport::of(history);
        if let Some(run_dir) = &self.run_dir {
            report = report.with_output(run_dir);
        }
        let notice = Notification::of_event(kind, event, history, &report, self.commands.as_ref());
        let Some(notice) = notice else { return };
        let notice = Arc::new(notice);
        if matches!(event.kind, EventKind::RunFinished { .. }) {
            self.give(&notice, |target| !target.waits_for_run_end());
            self.last = Some(notice);
        } else {
            self.give(&notice, |_| true);
        }
    }

    /// Sends a notification that has no event, after the end of the run.
    pub(crate) fn notify(&self, notice: Notification) {
        self.give(&Arc::new(notice), |_| true);
    }

    fn give(&self, notice: &Arc<Notification>, may: impl Fn(&NotifyReceiver) -> bool) {
        let wanting =
            |worker: &&NotifyWorker| worker.target.accepts(notice.kind) && may(&worker.target);
        self.workers.iter().filter(wanting).for_each(|worker| worker.enqueue(notice));
    }

    /// Waits until everything is delivered, up to a limit or a signal, and returns the failures.
    /// The run must be over. Without a signal receiver only the limit ends the wait.
    pub(crate) fn finish(
        mut self,
        delivery_wait: DeliveryWait,
        mut signals: Option<SignalReceiver>,
        say: &mut dyn FnMut(&[Diagnostic]),
    ) -> Vec<Diagnostic> {
        if let Some(notice) = self.last.take() {
            self.give(&notice, NotifyReceiver::waits_for_run_end);
        }
        if !self.is_done() {
            let begun = Instant::now();
            if !self.wait(begun + PENDING_NOTICE_DELAY, &mut signals) {
                say(&[self.pending_notice()]);
                self.wait(begun + delivery_wait.limit(), &mut signals);
            }
        }
        self.workers.into_iter().filter_map(NotifyWorker::abandon).collect()
    }

    fn is_done(&self) -> bool {
        self.workers.iter().all(NotifyWorker::is_done)
    }

    /// Waits until `deadline`. Returns `true` if everything is delivered or a signal ended the
    /// wait.
    fn wait(&self, deadline: Instant, signals: &mut Option<SignalReceiver>) -> bool {
        while !self.is_done() {
            let now = Instant::now();
            if now >= deadline {
                return false;
            }
            let Some(signals) = signals else {
                std::thread::sleep(Duration::from_millis(50));
                continue;
            };
            if signals.wait_until(Some(deadline)).is_err() {
                return true;
            }
            if signals.drain().iter().any(|signal| self.is_the_end(*signal)) {
                return true;
            }
        }
        true
    }

    fn is_the_end(&self, signal: ReceivedSignal) -> bool {
        match signal {
            ReceivedSignal::Interrupt | ReceivedSignal::Terminate | ReceivedSignal::Hangup => true,
            // The system sends `SIGCONT` when the guard is gone.
            ReceivedSignal::Continue => getppid() != self.parent,
            ReceivedSignal::Suspend | ReceivedSignal::Child | ReceivedSignal::WindowChanged => {
                false
            }
        }
    }

    fn pending_notice(&self) -> Diagnostic {
        let left = self.workers.iter().filter(|worker| !worker.is_done());
        let left: Vec<String> = left.map(|worker| worker.target.to_string()).collect();
        let message = format!("the run is over, but {} not notified yet", is_or_are(&left));
        Diagnostic::warning(message).hint("Ctrl-C gives up")
    }
}

fn is_or_are(names: &[String]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", text::join_with_and(names))
}
