//! The main loop: wait for inputs, pass them to the machine, perform its effects.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use forkhestra_core::control::ControlRequest;
use forkhestra_core::cost::UnusableFigure;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{AuxJob, CancelCause, RunEnd};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::{Effect, Input, Machine, RunState};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::agent::StreamFact;
use crate::aux_job::search_path::SearchPath;
use crate::clock::{SleepClock, now};
use crate::output::silent_stream::SilentStream;
use crate::output::{self, OutputOwner, OutputPump};
use crate::ports::{EngineError, EnginePorts, EventSink, SinkError, SinkFailure};
use crate::process::{ChildProcesses, end_all_descendants};
use crate::recording::unit_recorder::RecordingProgress;
use crate::run_loop::agents::redact_outcome;
use crate::run_loop::aux_jobs::CheckRoom;
use crate::run_loop::loop_message::{LoopMessage, LoopSender};
use crate::run_loop::request_queue::{RequestQueue, TERMINAL_TICKET};
use crate::run_loop::running_process::RunningProcess;
use crate::run_loop::watched_files::WatchedFiles;
use crate::signal::ReceivedSignal;
use crate::work_tree::observer::{ObservationSubject, WorkTreeObserver};

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
    pub(crate) machine: Machine,
    pub(crate) ports: EnginePorts,
    pub(crate) sink: &'a mut dyn EventSink,
    pub(crate) children: Arc<ChildProcesses>,
    pub(crate) stdout: OutputPump,
    pub(crate) stderr: OutputPump,
    pub(crate) observer: WorkTreeObserver,
    pub(crate) inbox: VecDeque<Input>,
    pub(crate) active: Option<RunningProcess>,
    /// An agent that waits to be started until all earlier events are displayed.
    pub(crate) held_agent: Option<UnitId>,
    /// Where checks run now.
    pub(crate) room: CheckRoom,
    /// A running aux job that is a thread and not a process.
    pub(crate) job_in_thread: Option<AuxJob>,
    /// Streams without output so far.
    pub(crate) silent_streams: Vec<SilentStream>,
    pub(crate) sender: LoopSender,
    messages: Receiver<LoopMessage>,
    requests: RequestQueue,
    clock: SleepClock,
    next_tick: Duration,
    guard_lost: bool,
    output_closed: bool,
    /// How many requests to end the run have arrived.
    end_requests: u32,
    /// Hints about the sandbox that were reported. Every iteration may cause the same one.
    pub(crate) sandbox_hints: BTreeSet<String>,
    /// The state of the recording of the running agent.
    pub(crate) recording: RecordingProgress,
    pub(crate) watched_files: WatchedFiles,
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
        let no_thread = |source| EngineError::System { action: "start a thread", source };
        let pump = |stream| {
            let sender = sender.clone();
            OutputPump::start(stream, Arc::clone(&ports.output_sink), move |message| {
                sender.send(LoopMessage::Output(message));
            })
            .map_err(no_thread)
        };
        Ok(Self {
            stdout: pump(OutputStream::Stdout)?,
            stderr: pump(OutputStream::Stderr)?,
            observer: WorkTreeObserver::new(
                &ports,
                machine.state(),
                Arc::clone(&children),
                sender.clone(),
            )
            .map_err(no_thread)?,
            machine,
            ports,
            sink,
            children,
            inbox: VecDeque::from([Input::Begin]),
            active: None,
            held_agent: None,
            room: CheckRoom::None,
            job_in_thread: None,
            silent_streams: Vec::new(),
            sender,
            messages,
            requests: queue,
            clock: SleepClock::start(),
            next_tick: Duration::ZERO,
            guard_lost: false,
            output_closed: false,
            end_requests: 0,
            sandbox_hints: BTreeSet::new(),
            recording: RecordingProgress::default(),
            watched_files,
        })
    }

    fn run(&mut self) -> Result<(), EngineError> {
        if self.machine.state().last_unit().is_some() {
            self.observer.release_interrupted_tasks();
        }
        // The next agent's baseline replaces that of the interrupted one.
        if self.machine.interrupted_unit().is_some()
            && let Some(changes) = self.observer.task_changes()
        {
            self.machine.record_interrupted_changes(changes);
        }
        if self.machine.state().plan.runs_aux_jobs() {
            self.observer.report_once(SearchPath::of(&self.ports.environment).notice());
        }
        loop {
            while let Some(input) = self.inbox.pop_front() {
                for effect in self.machine.handle(now(), input) {
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

    fn perform(&mut self, effect: Effect) -> Result<(), EngineError> {
        match effect {
            Effect::Emit(event) => {
                self.record_input(&event.kind);
                match self.sink.record_event(&event) {
                    Ok(()) => {}
                    Err(SinkError::OutputClosed) => self.close_output(),
                    Err(SinkError::NotRecorded(error)) => {
                        return Err(EngineError::NotRecorded(error));
                    }
                }
            }
            Effect::Observe { step } => self.observe(ObservationSubject::Step(step)),
            Effect::PollTasks { step } => self.observer.poll_tasks(step, self.machine.state()),
            Effect::ObserveWork { unit } => self.observe(ObservationSubject::Unit(unit)),
            Effect::Spawn { unit } => {
                self.held_agent = Some(unit);
                self.begin_recording(unit);
                self.start_held();
            }
            Effect::SignalAgent { unit, signal } => self.signal_agent(unit, signal),
            Effect::Probe { unit } => self.probe(unit),
            Effect::AbandonAgent { unit } => self.abandon(OutputOwner::Agent(unit)),
            Effect::PrepareCleanRoom { unit } => self.prepare_room(unit),
            Effect::ClearCleanRoom { .. } => self.clear_room(),
            Effect::RunAuxJob { aux_job } => self.run_aux_job(aux_job),
            Effect::SignalAuxJob { aux_job, signal } => self.signal_aux_job(aux_job, signal),
            Effect::AbandonAuxJob { aux_job } => self.abandon_aux_job(aux_job),
            Effect::CompareTasks { unit } => self.observer.compare_tasks(unit),
            Effect::SurveyWork { step } => self.survey(step),
            Effect::Reply { ticket: TERMINAL_TICKET, reply } => self.sink.show_reply(reply),
            Effect::Reply { ticket, reply } => self.requests.reply(ticket, reply),
            Effect::SuspendSelf => self.suspend_self(),
            Effect::At { .. } | Effect::Lanes(_) => {}
        }
        Ok(())
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
        files.extend(self.silent_streams.iter().map(|stream| PollFd::new(stream, PollFlags::IN)));
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
        let are_readable: Vec<bool> = others.map(|events| !events.is_empty()).collect();
        if guard_lost {
            self.guard_lost = true;
            self.inbox.push_back(Input::Cancel(CancelCause::GuardLost));
        }
        if output_closed {
            self.close_output();
        }
        self.start_copying(&are_readable);
        if has_input
            && !has_signal
            && let Some(request) = self.sink.read_terminal()
        {
            self.inbox.push_back(Input::ControlRequested { ticket: TERMINAL_TICKET, request });
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
                ReceivedSignal::Suspend => self.inbox.push_back(Input::Pause),
                ReceivedSignal::Continue => self.inbox.push_back(Input::Continue),
                ReceivedSignal::Child => self.reap(),
                ReceivedSignal::WindowChanged => self.next_tick = Duration::ZERO,
            }
        }
        while let Ok(message) = self.messages.try_recv() {
            self.take_message(message);
        }
        while let Some((ticket, request)) = self.requests.next() {
            self.end_requests += u32::from(request == ControlRequest::StopNow);
            self.inbox.push_back(Input::ControlRequested { ticket, request });
        }
        if let Some(trouble) = self.sink.take_failure() {
            self.note_trouble(trouble);
        }
        self.start_held();
        self.check_settled();
        if let Some(duration) = self.clock.slept() {
            self.inbox.push_back(Input::Slept(duration));
        }
        let awake = now().awake;
        if self.machine.deadline().is_some_and(|deadline| deadline <= awake) {
            self.inbox.push_back(Input::Tick);
        }
        if let Some(interval) = self.sink.interval().filter(|_| self.next_tick <= awake) {
            self.sink.tick(self.machine.elapsed(now()));
            self.next_tick = awake + interval;
        }
    }

    fn take_message(&mut self, message: LoopMessage) {
        match message {
            LoopMessage::Input(input) => self.inbox.push_back(input),
            LoopMessage::AuxJobResultReady { aux_job, answer } => {
                self.aux_job_result_ready(aux_job, answer);
            }
            LoopMessage::RecordingBegun { unit } => self.recording_begun(unit),
            LoopMessage::CleanRoomPrepared { unit, room } => self.room_prepared(unit, room),
            LoopMessage::Output(message) => self.take_output(message),
        }
    }

    fn take_output(&mut self, message: output::PumpMessage) {
        match message {
            output::PumpMessage::Marker { owner: OutputOwner::Agent(unit), marker_match } => {
                self.inbox.push_back(Input::Marker { unit, marker_match });
            }
            output::PumpMessage::Fact { owner: OutputOwner::Agent(unit), fact } => {
                self.inbox.push_back(match fact {
                    StreamFact::Marker(marker_match) => Input::Marker { unit, marker_match },
                    StreamFact::Concluded(marker_match) => Input::Concluded { unit, marker_match },
                    StreamFact::WentOn => Input::WentOn { unit },
                    StreamFact::Spent(spend) => Input::Spent { unit, spend },
                    StreamFact::Quota(reading) => Input::QuotaReported { unit, reading },
                    StreamFact::UnusableFigure(figure) => {
                        let value = self.ports.logs.redact(&figure.value);
                        let figure = UnusableFigure { value, ..figure };
                        Input::UnusableFigure { unit, figure }
                    }
                    StreamFact::Futile(outcome) => {
                        let outcome = redact_outcome(outcome, &*self.ports.logs);
                        Input::Futile { unit, outcome }
                    }
                });
            }
            // The output of aux jobs is not scanned for markers or facts.
            output::PumpMessage::Marker { owner: OutputOwner::AuxJob(_), .. }
            | output::PumpMessage::Fact { owner: OutputOwner::AuxJob(_), .. } => {}
            output::PumpMessage::Ended(ended) => self.output_ended(ended),
            output::PumpMessage::SinkClosed(OutputStream::Stdout) => self.close_output(),
            output::PumpMessage::SinkFailed(stream, error) => {
                self.note_failure(stream, &error);
                if stream == OutputStream::Stdout {
                    self.close_output();
                }
            }
            // Without a reader of standard error the run goes on.
            output::PumpMessage::SinkClosed(OutputStream::Stderr) => {}
        }
    }

    fn cancel(&mut self, by: CancelCause) {
        self.end_requests += 1;
        self.inbox.push_back(Input::Cancel(by));
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
            self.inbox
                .push_back(Input::OperatorNotice(format!("cannot write to {stream}: {error}")));
        }
    }

    pub(crate) fn close_output(&mut self) {
        if !std::mem::replace(&mut self.output_closed, true) {
            self.inbox.push_back(Input::Cancel(CancelCause::OutputClosed));
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
        self.observer.stop();
        if self.children.has_any_process() {
            // The guard takes care of processes that cannot be ended here, and reports them.
            end_all_descendants(&self.children, &[], SWEEP_TIMEOUT);
        }
        self.observer.remove_leftovers();
        if matches!(self.machine.end(), Some(RunEnd::Complete)) {
            // No further clean room will use these caches.
            let _ = fs::remove_dir_all(self.ports.persistent_directory.join("caches"));
        }
        // The directory may never have been created.
        let _ = fs::remove_dir_all(&self.ports.scratch);
    }
}
