//! The main loop: wait for inputs, pass them to the machine, perform its effects.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use forkhestra_core::control::ControlRequest;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{CancelCause, Event, EventKind, RunEnd};
use forkhestra_core::machine::{Effect, Input, LanesEffect, Machine, RunState, Workplace};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::aux_job::search_path::SearchPath;
use crate::clock::{SleepClock, now};
use crate::launch::workplace_settings::WorkplaceSettings;
use crate::output;
use crate::ports::{EngineError, EnginePorts, EventSink, SinkError, SinkFailure};
use crate::process::{ChildProcesses, end_all_descendants};
use crate::run_loop::lane_service::LaneServiceThread;
use crate::run_loop::loop_context::{LoopContext, WorkplaceInput};
use crate::run_loop::loop_message::{LoopMessage, LoopSender, WorkplaceMessage};
use crate::run_loop::request_queue::{RequestQueue, TERMINAL_TICKET};
use crate::run_loop::shared_thread_state::SharedThreadState;
use crate::run_loop::watched_files::WatchedFiles;
use crate::run_loop::workplace_executor::WorkplaceExecutor;
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
    shared: SharedThreadState,
    /// The executors of the places of work, by the place: that of the user's own work tree has none.
    executors: BTreeMap<Option<Workplace>, WorkplaceExecutor>,
    lane_service: LaneServiceThread,
    inbox: VecDeque<WorkplaceInput>,
    messages: Receiver<WorkplaceMessage>,
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
        let shared = SharedThreadState::new(LoopSender::new(sender, ports.signals.waker()));
        let children = Arc::new(ChildProcesses::default());
        let mut dispatcher = Self {
            machine,
            ports,
            sink,
            children,
            shared,
            executors: BTreeMap::new(),
            lane_service: LaneServiceThread::default(),
            inbox: VecDeque::from([WorkplaceInput { place: None, input: Input::Begin }]),
            messages,
            requests: queue,
            clock: SleepClock::start(),
            next_tick: Duration::ZERO,
            guard_lost: false,
            output_closed: false,
            end_requests: 0,
            sandbox_hints: BTreeSet::new(),
            watched_files,
        };
        let settings = WorkplaceSettings::of_run(&dispatcher.ports, dispatcher.machine.state());
        dispatcher.open(settings)?;
        Ok(dispatcher)
    }

    /// Starts the executor of a place of work.
    fn open(&mut self, settings: WorkplaceSettings) -> Result<(), EngineError> {
        let (place, children) = (settings.place, Arc::clone(&self.children));
        let state = state_of(&self.machine, place);
        let started =
            WorkplaceExecutor::start(settings, &self.ports, state, children, &self.shared);
        self.executors.insert(place, started.map_err(no_thread)?);
        Ok(())
    }

    /// Starts the executor of a lane or the merge queue, unless there is one.
    fn open_elsewhere(&mut self, place: Workplace) -> Result<(), EngineError> {
        if self.executors.contains_key(&Some(place)) {
            return Ok(());
        }
        let location = self.ports.lanes.location(place, self.machine.state());
        let location = location.ok_or_else(|| EngineError::System {
            action: "find the directory of a lane",
            source: io::ErrorKind::NotFound.into(),
        })?;
        let state = state_of(&self.machine, Some(place));
        self.open(WorkplaceSettings::elsewhere(place, location, &self.ports, state))
    }

    /// Ends the executors of lanes that are about to be removed, and that of the merge queue.
    fn close_lanes(&mut self) {
        for (_, executor) in self.executors.extract_if(.., |place, _| place.is_some()) {
            executor.observer.stop();
            executor.observer.remove_leftovers();
        }
    }

    fn run(&mut self) -> Result<(), EngineError> {
        self.begin();
        loop {
            while let Some(input) = self.inbox.pop_front() {
                for effect in self.machine.handle(now(), input.addressed()) {
                    self.perform(effect)?;
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

    /// Adds an input that concerns the whole run.
    fn push(&mut self, input: Input) {
        self.inbox.push_back(WorkplaceInput { place: None, input });
    }

    /// Runs an action in the executor of a place. What concerns a lane that is closed is dropped.
    fn in_executor(
        &mut self,
        place: Option<Workplace>,
        action: impl FnOnce(&mut WorkplaceExecutor, &mut LoopContext<'_>),
    ) {
        let Some(executor) = self.executors.get_mut(&place) else { return };
        let mut context = LoopContext {
            place,
            state: state_of(&self.machine, place),
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
    fn in_each_executor(&mut self, action: impl Fn(&mut WorkplaceExecutor, &mut LoopContext<'_>)) {
        let places: Vec<Option<Workplace>> = self.executors.keys().copied().collect();
        for place in places {
            self.in_executor(place, &action);
        }
    }

    fn perform(&mut self, effect: Effect) -> Result<(), EngineError> {
        match effect {
            Effect::Emit(event) => self.record(&event)?,
            Effect::Reply { ticket: TERMINAL_TICKET, reply } => self.sink.show_reply(reply),
            Effect::Reply { ticket, reply } => self.requests.reply(ticket, reply),
            Effect::SuspendSelf => self.suspend_self(),
            Effect::Lanes(effect) => {
                match effect {
                    LanesEffect::CloseLanes => self.close_lanes(),
                    // The survey of the step looks at the user's work tree again.
                    LanesEffect::BringForward { .. } => {
                        if let Some(user) = self.executors.get_mut(&None) {
                            user.observer.invalidate_tree();
                        }
                    }
                    _ => {}
                }
                let (lanes, sender) = (&self.ports.lanes, &self.shared.sender);
                let queued = self.lane_service.perform(effect, lanes, &self.children, sender);
                queued.map_err(no_thread)?;
            }
            Effect::At { place, effect } => {
                self.open_elsewhere(place)?;
                self.perform_in(Some(place), &effect);
            }
            effect => self.perform_in(None, &effect),
        }
        Ok(())
    }

    fn perform_in(&mut self, place: Option<Workplace>, effect: &Effect) {
        self.in_executor(place, |executor, context| executor.perform(effect, context));
    }

    /// Passes an event to the sink.
    fn record(&mut self, event: &Event) -> Result<(), EngineError> {
        if let EventKind::RunFinished { end, .. } = &event.kind
            && !matches!(end, RunEnd::Interrupted(_))
        {
            // A run whose end is recorded is not resumed, so nothing would remove its lanes.
            self.finish_lanes();
        }
        if let Some(executor) = self.executors.get_mut(&event.lane.map(Workplace::Lane)) {
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
            let WorkplaceMessage { place, message } = message;
            self.take_message(place, message);
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

    fn take_message(&mut self, place: Option<Workplace>, message: LoopMessage) {
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
                self.in_executor(place, |executor, context| {
                    executor.take_message(message, context);
                });
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

    /// Waits until lanes that are not needed any more are removed, or until a request to end arrives, for
    /// which `runs rm` removes what is left.
    fn finish_lanes(&mut self) {
        while !self.lane_service.finish(POLL_INTERVAL) {
            if self.is_end_requested() || self.guard_lost || self.is_guard_gone() {
                return;
            }
        }
    }

    /// Waits until slow readers have received everything, or until a request to end arrives. After
    /// a cancellation the wait is short, and it ends if the guard is gone.
    fn wait_for_readers(&mut self) {
        let cancelled = matches!(self.machine.end(), None | Some(RunEnd::Interrupted(_)));
        let deadline = now().awake + SWEEP_TIMEOUT;
        while self.end_requests < 2 && !self.sink.wait_until_shown(POLL_INTERVAL) {
            let is_asked = self.is_end_requested();
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

    /// Waits until lanes that the run does not need any more are removed, or until another request to
    /// end arrives. What is left then is removed with the run.
    fn wait_for_lanes(&mut self) {
        if matches!(self.machine.end(), None | Some(RunEnd::Interrupted(_))) {
            return;
        }
        while !self.lane_service.finish(POLL_INTERVAL) {
            if self.is_end_requested() || self.guard_lost || self.is_guard_gone() {
                return;
            }
        }
    }

    /// Whether a signal or a control request has asked to end the run since the last look.
    fn is_end_requested(&mut self) -> bool {
        let is_asked = self.ports.signals.drain().into_iter().any(|signal| {
            matches!(
                signal,
                ReceivedSignal::Interrupt | ReceivedSignal::Terminate | ReceivedSignal::Hangup
            )
        });
        self.requests.reject_new() || is_asked
    }

    /// Ends all leftover processes and removes temporary files.
    fn clean_up(&mut self) {
        self.wait_for_lanes();
        self.ports.lanes.stop();
        self.executors.values().for_each(|executor| executor.observer.stop());
        if self.children.has_any_process() {
            // The guard takes care of processes that cannot be ended here, and reports them.
            end_all_descendants(&self.children, &[], SWEEP_TIMEOUT);
        }
        self.executors.values().for_each(|executor| executor.observer.remove_leftovers());
        if matches!(self.machine.end(), Some(RunEnd::Complete)) {
            // No further clean room will use these caches. They may never have been created.
            for executor in self.executors.values() {
                let caches = executor.settings.persistent_directory.join("caches");
                let _ = fs::remove_dir_all(caches);
            }
        }
        // The directory may never have been created.
        let _ = fs::remove_dir_all(&self.ports.scratch);
    }
}

/// The progress of a lane, or else of the run.
fn state_of(machine: &Machine, place: Option<Workplace>) -> &RunState {
    let run = machine.state();
    let progress = match place {
        Some(Workplace::Lane(lane)) => {
            run.lanes.as_ref().and_then(|lanes| lanes.lane(lane)).map(|lane| &lane.progress)
        }
        Some(Workplace::MergeQueue) | None => None,
    };
    progress.unwrap_or(run)
}

const fn no_thread(source: io::Error) -> EngineError {
    EngineError::System { action: "start a thread", source }
}
