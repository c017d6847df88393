//! The main loop: wait for inputs, pass them to the machine, perform its effects.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use forkhestra_core::control::ControlRequest;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{CancelCause, Event, RunEnd};
use forkhestra_core::id::LaneNumber;
use forkhestra_core::machine::{Effect, Input, Machine, RunState};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::aux_job::search_path::SearchPath;
use crate::clock::{SleepClock, now};
use crate::output;
use crate::ports::{EngineError, EnginePorts, EventSink, SinkError, SinkFailure};
use crate::process::{ChildProcesses, end_all_descendants};
use crate::run_loop::lane_executor::LaneExecutor;
use crate::run_loop::loop_context::{LaneInput, LoopContext};
use crate::run_loop::loop_message::{LaneMessage, LoopMessage, LoopSender};
use crate::run_loop::request_queue::{RequestQueue, TERMINAL_TICKET};
use crate::run_loop::watched_files::WatchedFiles;
use crate::signal::{self, ReceivedSignal};

/// Upper bound for displaying the last events before a suspension.
const DISPLAY_TIMEOUT: Duration = Duration::from_secs(1);

/// Upper bound for ending leftover processes before the guard takes over.
const SWEEP_TIMEOUT: Duration = Duration::from_secs(5);

/// How often signals are checked while the loop waits for a slow reader.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Runs a machine to its end and returns the final state. No process that the run started is left,
/// whatever the result.
pub fn run(
    machine: Machine,
    ports: EnginePorts,
    sink: &mut dyn EventSink,
) -> Result<RunState, EngineError> {
    let mut dispatcher = Dispatcher::new(machine, ports, sink)?;
    let result = dispatcher.run();
    dispatcher.requests.reject_pending();
    dispatcher.clean_up();
    dispatcher.wait_for_readers();
    dispatcher.requests.close();
    result.map(|()| dispatcher.machine.state().clone())
}

/// The state of the loop.
pub(crate) struct Dispatcher<'a> {
    machine: Machine,
    ports: EnginePorts,
    sink: &'a mut dyn EventSink,
    children: Arc<ChildProcesses>,
    /// The executors of the places of work: that of the user's own work tree has no lane.
    executors: BTreeMap<Option<LaneNumber>, LaneExecutor>,
    inbox: VecDeque<LaneInput>,
    messages: Receiver<LaneMessage>,
    requests: RequestQueue,
    clock: SleepClock,
    next_tick: Duration,
    guard_lost: bool,
    output_closed: bool,
    /// How many requests to end the run have arrived.
    end_requests: u32,
    sandbox_hints: BTreeSet<String>,
    watched_files: WatchedFiles,
}

impl<'a> Dispatcher<'a> {
    fn new(
        machine: Machine,
        mut ports: EnginePorts,
        sink: &'a mut dyn EventSink,
    ) -> Result<Self, EngineError> {
        let watched_files =
            WatchedFiles::new(&ports.config_files, ports.sandbox.start.unprotected());
        let queue = RequestQueue::new(ports.requests.take());
        let (sender, messages) = channel();
        let sender = LoopSender::new(sender, ports.signals.waker());
        let children = Arc::new(ChildProcesses::default());
        let executor = LaneExecutor::start(&ports, machine.state(), Arc::clone(&children), sender)
            .map_err(|source| EngineError::System { action: "start a thread", source })?;
        Ok(Self {
            machine,
            ports,
            sink,
            children,
            executors: BTreeMap::from([(None, executor)]),
            inbox: VecDeque::from([LaneInput { lane: None, input: Input::Begin }]),
            messages,
            requests: queue,
            clock: SleepClock::start(),
            next_tick: Duration::ZERO,
            guard_lost: false,
            output_closed: false,
            end_requests: 0,
            sandbox_hints: BTreeSet::new(),
            watched_files,
        })
    }

    fn run(&mut self) -> Result<(), EngineError> {
        self.begin();
        loop {
            while let Some(LaneInput { lane, input }) = self.inbox.pop_front() {
                for effect in self.machine.handle(now(), addressed(lane, input)) {
                    self.perform(None, effect)?;
                }
            }
            if self.machine.end().is_some() {
                return Ok(());
            }
            self.wait()?;
            self.collect();
        }
    }

    /// What an earlier process of the run has left to do.
    fn begin(&mut self) {
        let Some(executor) = self.executors.get(&None) else { return };
        let observer = &executor.observer;
        if self.machine.state().last_unit().is_some() {
            observer.release_interrupted_tasks();
        }
        // The next agent's baseline replaces that of the interrupted one.
        if self.machine.interrupted_unit().is_some()
            && let Some(changes) = observer.task_changes()
        {
            self.machine.record_interrupted_changes(changes);
        }
        if self.machine.state().plan.runs_aux_jobs() {
            observer.report_once(SearchPath::of(&self.ports.environment).notice());
        }
    }

    /// Adds an input that concerns no lane.
    fn push(&mut self, input: Input) {
        self.inbox.push_back(LaneInput { lane: None, input });
    }

    /// Runs an action in the executor of a lane. Messages to a lane that is closed are dropped.
    fn in_executor(
        &mut self,
        lane: Option<LaneNumber>,
        action: impl FnOnce(&mut LaneExecutor, &mut LoopContext<'_>),
    ) {
        let Some(executor) = self.executors.get_mut(&lane) else { return };
        let mut context = LoopContext {
            lane,
            state: state_of(&self.machine, lane),
            ports: &self.ports,
            sink: &*self.sink,
            children: &self.children,
            inbox: &mut self.inbox,
            sandbox_hints: &mut self.sandbox_hints,
            watched_files: &mut self.watched_files,
        };
        action(executor, &mut context);
    }

    /// Runs an action in every executor.
    fn in_each_executor(&mut self, action: impl Fn(&mut LaneExecutor, &mut LoopContext<'_>)) {
        let lanes: Vec<Option<LaneNumber>> = self.executors.keys().copied().collect();
        for lane in lanes {
            self.in_executor(lane, &action);
        }
    }

    fn perform(&mut self, lane: Option<LaneNumber>, effect: Effect) -> Result<(), EngineError> {
        match effect {
            Effect::Emit(event) => self.record(&event)?,
            Effect::Reply { ticket: TERMINAL_TICKET, reply } => self.sink.show_reply(reply),
            Effect::Reply { ticket, reply } => self.requests.reply(ticket, reply),
            Effect::SuspendSelf => self.suspend_self(),
            effect => {
                self.in_executor(lane, |executor, context| executor.perform(effect, context));
            }
        }
        Ok(())
    }

    /// Passes an event to the sink. It says itself in which lane it arose.
    fn record(&mut self, event: &Event) -> Result<(), EngineError> {
        if let Some(executor) = self.executors.get_mut(&event.lane) {
            executor.record_input(&event.kind);
        }
        match self.sink.record_event(event) {
            Ok(()) => Ok(()),
            Err(SinkError::OutputClosed) => {
                self.close_output();
                Ok(())
            }
            Err(SinkError::NotRecorded(error)) => Err(EngineError::NotRecorded(error)),
        }
    }

    /// Suspends this process and all descendants until it is continued.
    fn suspend_self(&mut self) {
        // Nothing must be printed after the shell has taken the terminal back.
        self.sink.wait_until_shown(DISPLAY_TIMEOUT);
        signal::suspend_self();
        self.push(Input::Continue);
    }

    /// Waits for an event on a descriptor or for the next timeout.
    fn wait(&mut self) -> Result<(), EngineError> {
        self.sink.before_wait();
        let timeout = self.timeout().map(|timeout| {
            Timespec::try_from(timeout).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 })
        });
        let mut files = vec![PollFd::new(&self.ports.signals, PollFlags::IN)];
        let guard = self.ports.guard.as_ref().filter(|_| !self.guard_lost);
        let watched = self.ports.watched_reader.as_ref().filter(|_| !self.output_closed);
        files.extend(guard.map(|guard| PollFd::new(guard, PollFlags::IN)));
        // Even without requested events, `poll` reports that the reader of a pipe is gone.
        files.extend(watched.map(|watched| PollFd::new(watched, PollFlags::empty())));
        let terminal = self.sink.terminal();
        let has_terminal = terminal.is_some();
        files.extend(terminal.map(|terminal| PollFd::from_borrowed_fd(terminal, PollFlags::IN)));
        for executor in self.executors.values() {
            files.extend(
                executor.waited_files().map(|file| PollFd::from_borrowed_fd(file, PollFlags::IN)),
            );
        }
        match poll(&mut files, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => {
                return Err(EngineError::System {
                    action: "wait for events",
                    source: errno.into(),
                });
            }
        }
        let over = PollFlags::HUP | PollFlags::ERR;
        let mut others = files[1..].iter().map(PollFd::revents);
        let mut is_over = || others.next().is_some_and(|events| events.intersects(over));
        let guard_lost = guard.is_some() && is_over();
        let output_closed = watched.is_some() && is_over();
        // Ctrl-C and Ctrl-Z come before what is typed after them.
        let has_signal = !files[0].revents().is_empty();
        let has_input = has_terminal && others.next().is_some_and(|events| !events.is_empty());
        let mut are_readable =
            others.map(|events| !events.is_empty()).collect::<Vec<_>>().into_iter();
        if guard_lost {
            self.guard_lost = true;
            self.push(Input::Cancel(CancelCause::GuardLost));
        }
        if output_closed {
            self.close_output();
        }
        for executor in self.executors.values_mut() {
            executor.start_copying(&mut are_readable);
        }
        if has_input
            && !has_signal
            && let Some(request) = self.sink.read_terminal()
        {
            self.push(Input::ControlRequested { ticket: TERMINAL_TICKET, request });
        }
        Ok(())
    }

    fn timeout(&self) -> Option<Duration> {
        let tick = self.sink.interval().map(|_| self.next_tick);
        let due = [self.machine.deadline(), tick].into_iter().flatten().min();
        due.map(|due| due.saturating_sub(now().awake))
    }

    /// Converts signals and messages into inputs of the machine.
    fn collect(&mut self) {
        for signal in self.ports.signals.drain() {
            match signal {
                ReceivedSignal::Interrupt => self.cancel(CancelCause::Interrupt),
                ReceivedSignal::Terminate => self.cancel(CancelCause::Terminate),
                ReceivedSignal::Hangup => self.cancel(CancelCause::Hangup),
                ReceivedSignal::Suspend => self.push(Input::Pause),
                ReceivedSignal::Continue => self.push(Input::Continue),
                ReceivedSignal::Child => self.reap(),
                ReceivedSignal::WindowChanged => self.next_tick = Duration::ZERO,
            }
        }
        while let Ok(message) = self.messages.try_recv() {
            let LaneMessage { lane, message } = message;
            self.take_message(lane, message);
        }
        while let Some((ticket, request)) = self.requests.next() {
            self.end_requests += u32::from(request == ControlRequest::StopNow);
            self.push(Input::ControlRequested { ticket, request });
        }
        if let Some(trouble) = self.sink.take_failure() {
            self.note_trouble(trouble);
        }
        self.in_each_executor(|executor, context| {
            executor.take_reported_end(context);
            executor.start_held(context);
            executor.check_settled(context);
        });
        if let Some(duration) = self.clock.slept() {
            self.push(Input::Slept(duration));
        }
        let awake = now().awake;
        if self.machine.deadline().is_some_and(|deadline| deadline <= awake) {
            self.push(Input::Tick);
        }
        if let Some(interval) = self.sink.interval().filter(|_| self.next_tick <= awake) {
            self.sink.tick(self.machine.elapsed(now()));
            self.next_tick = awake + interval;
        }
    }

    /// Reaps the processes that have ended.
    fn reap(&mut self) {
        for (pid, end) in self.children.reap() {
            self.in_each_executor(|executor, context| executor.note_end(pid, &end, context));
        }
    }

    fn take_message(&mut self, lane: Option<LaneNumber>, message: LoopMessage) {
        match message {
            LoopMessage::Output(output::PumpMessage::SinkClosed(OutputStream::Stdout)) => {
                self.close_output();
            }
            // Without a reader of standard error the run goes on.
            LoopMessage::Output(output::PumpMessage::SinkClosed(OutputStream::Stderr)) => {}
            LoopMessage::Output(output::PumpMessage::SinkFailed(stream, error)) => {
                self.note_failure(stream, &error);
                if stream == OutputStream::Stdout {
                    self.close_output();
                }
            }
            message => {
                self.in_executor(lane, |executor, context| executor.take_message(message, context));
            }
        }
    }

    fn cancel(&mut self, by: CancelCause) {
        self.end_requests += 1;
        self.push(Input::Cancel(by));
    }

    fn note_trouble(&mut self, trouble: SinkFailure) {
        if let SinkFailure::Failed(error) = trouble {
            self.note_failure(OutputStream::Stdout, &error);
        }
        self.close_output();
    }

    /// Reports once why a stream cannot be written to: the pumps and the event sink find the same
    /// error.
    fn note_failure(&mut self, stream: OutputStream, error: &io::Error) {
        if stream == OutputStream::Stderr || !self.output_closed {
            self.push(Input::OperatorNotice(format!("cannot write to {stream}: {error}")));
        }
    }

    fn close_output(&mut self) {
        if !std::mem::replace(&mut self.output_closed, true) {
            self.push(Input::Cancel(CancelCause::OutputClosed));
        }
    }

    /// Waits until slow readers have received everything, or until a request to end arrives. After
    /// a cancellation the wait is short, and it ends if the guard is gone.
    fn wait_for_readers(&mut self) {
        let cancelled = matches!(self.machine.end(), None | Some(RunEnd::Interrupted(_)));
        let deadline = now().awake + SWEEP_TIMEOUT;
        while self.end_requests < 2 && !self.sink.wait_until_shown(POLL_INTERVAL) {
            let is_asked = self.ports.signals.drain().into_iter().any(|signal| {
                matches!(
                    signal,
                    ReceivedSignal::Interrupt | ReceivedSignal::Terminate | ReceivedSignal::Hangup
                )
            });
            let is_asked = self.requests.reject_new() || is_asked;
            let is_late = cancelled && now().awake >= deadline;
            if is_asked || is_late || self.guard_lost || self.is_guard_gone() {
                return;
            }
        }
    }

    fn is_guard_gone(&self) -> bool {
        let Some(guard) = &self.ports.guard else { return false };
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut files = [PollFd::new(guard, PollFlags::IN)];
        poll(&mut files, Some(&at_once)).is_ok_and(|count| count > 0)
    }

    /// Ends all leftover processes and removes temporary files.
    fn clean_up(&mut self) {
        self.executors.values().for_each(|executor| executor.observer.stop());
        if self.children.has_any_process() {
            // The guard takes care of processes that cannot be ended here, and reports them.
            end_all_descendants(&self.children, &[], SWEEP_TIMEOUT);
        }
        self.executors.values().for_each(|executor| executor.observer.remove_leftovers());
        if matches!(self.machine.end(), Some(RunEnd::Complete)) {
            // No further clean room will use these caches.
            let _ = fs::remove_dir_all(self.ports.persistent_directory.join("caches"));
        }
        // The directory may never have been created.
        let _ = fs::remove_dir_all(&self.ports.scratch);
    }
}

/// The input for the machine.
fn addressed(lane: Option<LaneNumber>, input: Input) -> Input {
    match lane {
        None | Some(_) => input,
    }
}

/// The progress of a lane, or of the run.
fn state_of(machine: &Machine, lane: Option<LaneNumber>) -> &RunState {
    let run = machine.state();
    let progress = lane.and_then(|lane| Some(&run.lanes.as_ref()?.lane(lane)?.progress));
    progress.unwrap_or(run)
}
