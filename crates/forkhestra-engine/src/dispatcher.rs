//! The loop: wait for something to happen, tell the machine, do what it says.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use forkhestra_core::control::Request;
use forkhestra_core::cost::UnusableFigure;
use forkhestra_core::event::{Cancel, Errand, RunEnd};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::{Effect, Input, Machine, RunState};
use forkhestra_core::output_stream::OutputStream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::active::Active;
use crate::agent::Fact;
use crate::clock::{Clock, now};
use crate::errand::Room;
use crate::look::{About, Looker};
use crate::message::{Message, Sender};
use crate::output::{self, Pump, Who};
use crate::performer::redacted;
use crate::process::{Children, end_all_descendants};
use crate::recorder::Progress;
use crate::requests::Desk;
use crate::setting::{EngineError, Setting, Sink, SinkError, SinkTrouble};
use crate::signal::Signal;
use crate::tools::put_first;
use crate::unheard::Unheard;

/// How long we try to end what is left before we leave it to whoever watches over us.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often we look around while we wait for a reader.
const GLANCE: Duration = Duration::from_millis(100);

/// Runs a machine to its end, and gives what its events add up to. Whatever comes of it, no process
/// that the run started is left.
pub fn run(
    machine: Machine,
    setting: Setting,
    sink: &mut dyn Sink,
) -> Result<RunState, EngineError> {
    let mut dispatcher = Dispatcher::new(machine, setting, sink)?;
    let result = dispatcher.run();
    dispatcher.desk.dismiss();
    dispatcher.leave_nothing();
    dispatcher.let_readers_catch_up();
    dispatcher.desk.close();
    result.map(|()| dispatcher.machine.state().clone())
}

/// Everything the loop has in its hands.
pub(crate) struct Dispatcher<'a> {
    pub(crate) machine: Machine,
    pub(crate) setting: Setting,
    pub(crate) sink: &'a mut dyn Sink,
    pub(crate) children: Arc<Children>,
    pub(crate) stdout: Pump,
    pub(crate) stderr: Pump,
    pub(crate) looker: Looker,
    pub(crate) inbox: VecDeque<Input>,
    pub(crate) active: Option<Active>,
    /// An agent that is to be started as soon as what was said before has been shown.
    pub(crate) held: Option<UnitId>,
    /// Where checks run now.
    pub(crate) room: Room,
    /// An errand at work that is no process.
    pub(crate) thinking: Option<Errand>,
    /// Streams to which nothing has been printed yet.
    pub(crate) unheard: Vec<Unheard>,
    pub(crate) sender: Sender,
    messages: Receiver<Message>,
    desk: Desk,
    clock: Clock,
    next_tick: Duration,
    guard_lost: bool,
    output_closed: bool,
    /// How often somebody wanted the run to end.
    asked: u32,
    /// How far the agent at work is recorded.
    pub(crate) recording: Progress,
}

impl<'a> Dispatcher<'a> {
    fn new(
        machine: Machine,
        mut setting: Setting,
        sink: &'a mut dyn Sink,
    ) -> Result<Self, EngineError> {
        if let Some(tools) = &setting.tools {
            put_first(&mut setting.environment, tools);
        }
        let desk = Desk::new(setting.requests.take());
        let (sender, messages) = channel();
        let sender = Sender::new(sender, setting.signals.waker());
        let children = Arc::new(Children::default());
        let pump = |stream| {
            let sender = sender.clone();
            Pump::start(stream, Arc::clone(&setting.outlet), move |message| {
                sender.send(Message::Output(message));
            })
            .map_err(|source| EngineError::System { action: "start a thread", source })
        };
        Ok(Self {
            stdout: pump(OutputStream::Stdout)?,
            stderr: pump(OutputStream::Stderr)?,
            looker: Looker::new(&setting, machine.state(), Arc::clone(&children), sender.clone()),
            machine,
            setting,
            sink,
            children,
            inbox: VecDeque::from([Input::Begin]),
            active: None,
            held: None,
            room: Room::None,
            thinking: None,
            unheard: Vec::new(),
            sender,
            messages,
            desk,
            clock: Clock::start(),
            next_tick: Duration::ZERO,
            guard_lost: false,
            output_closed: false,
            asked: 0,
            recording: Progress::default(),
        })
    }

    fn run(&mut self) -> Result<(), EngineError> {
        if self.machine.state().last_unit().is_some() {
            self.looker.take_up();
        }
        // The next agent's baseline replaces that of the one that was cut off.
        if self.machine.cut_off().is_some()
            && let Some(changes) = self.looker.task_changes()
        {
            self.machine.note_changes_when_cut_off(changes);
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
                self.note_for_recording(&event.kind);
                match self.sink.event(&event, self.machine.state()) {
                    Ok(()) => {}
                    Err(SinkError::OutputClosed) => self.close_output(),
                    Err(SinkError::NotRecorded(error)) => {
                        return Err(EngineError::NotRecorded(error));
                    }
                }
            }
            Effect::Look { step } => self.look(About::Step(step)),
            Effect::AskTasks { step } => self.looker.ask_tasks(step, self.machine.state()),
            Effect::LookAfter { unit } => self.look(About::Unit(unit)),
            Effect::Spawn { unit } => {
                self.held = Some(unit);
                self.begin_recording(unit);
                self.start_held();
            }
            Effect::Push { unit, push } => self.push(unit, push),
            Effect::Probe { unit } => self.probe(unit),
            Effect::GiveUp { unit } => self.give_up(Who::Agent(unit)),
            Effect::PrepareRoom { unit } => self.prepare_room(unit),
            Effect::ClearRoom { unit } => self.clear_room(unit),
            Effect::Run { errand } => self.run_errand(errand),
            Effect::PushErrand { errand, push } => self.push_errand(errand, push),
            Effect::GiveUpErrand { errand } => self.give_up_errand(errand),
            Effect::CompareTasks { unit } => self.looker.compare_tasks(unit),
            Effect::Survey { step } => self.survey(step),
            Effect::Answer { ticket, reply } => self.desk.answer(ticket, reply),
            Effect::StopOurselves => self.stop_ourselves(),
        }
        Ok(())
    }

    /// Waits until something happens or something is due.
    fn wait(&mut self) -> Result<(), EngineError> {
        let timeout = self.timeout().map(|timeout| {
            Timespec::try_from(timeout).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 })
        });
        let mut files = vec![PollFd::new(&self.setting.signals, PollFlags::IN)];
        let guard = self.setting.guard.as_ref().filter(|_| !self.guard_lost);
        let watched = self.setting.watched.as_ref().filter(|_| !self.output_closed);
        files.extend(guard.map(|guard| PollFd::new(guard, PollFlags::IN)));
        // Asked for nothing, a pipe still says when its reader is gone.
        files.extend(watched.map(|watched| PollFd::new(watched, PollFlags::empty())));
        files.extend(self.unheard.iter().map(|unheard| PollFd::new(unheard, PollFlags::IN)));
        match poll(&mut files, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => {
                return Err(EngineError::System { action: "wait", source: errno.into() });
            }
        }
        let over = PollFlags::HUP | PollFlags::ERR;
        let mut others = files[1..].iter().map(PollFd::revents);
        let mut is_over = || others.next().is_some_and(|events| events.intersects(over));
        let guard_lost = guard.is_some() && is_over();
        let output_closed = watched.is_some() && is_over();
        let heard: Vec<bool> = others.map(|events| !events.is_empty()).collect();
        if guard_lost {
            self.guard_lost = true;
            self.inbox.push_back(Input::Cancel(Cancel::GuardLost));
        }
        if output_closed {
            self.close_output();
        }
        self.hear(&heard);
        Ok(())
    }

    fn timeout(&self) -> Option<Duration> {
        let tick = self.sink.interval().map(|_| self.next_tick);
        let due = [self.machine.deadline(), tick].into_iter().flatten().min();
        due.map(|due| due.saturating_sub(now().awake))
    }

    /// Turns what has happened into inputs.
    fn collect(&mut self) {
        for signal in self.setting.signals.drain() {
            match signal {
                Signal::Interrupt => self.cancel(Cancel::Interrupt),
                Signal::Terminate => self.cancel(Cancel::Terminate),
                Signal::Hangup => self.cancel(Cancel::Hangup),
                Signal::Stop => self.inbox.push_back(Input::Pause),
                Signal::Continue => self.inbox.push_back(Input::Continue),
                Signal::Child => self.reap(),
                Signal::WindowChanged => self.next_tick = Duration::ZERO,
            }
        }
        while let Ok(message) = self.messages.try_recv() {
            self.take_message(message);
        }
        while let Some((ticket, request)) = self.desk.next() {
            self.asked += u32::from(request == Request::StopNow);
            self.inbox.push_back(Input::Asked { ticket, request });
        }
        if let Some(trouble) = self.sink.trouble() {
            self.note_trouble(trouble);
        }
        self.start_held();
        self.settle();
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

    fn take_message(&mut self, message: Message) {
        match message {
            Message::Answered { errand, answer } => self.answered(errand, answer),
            Message::Looked { about, sight } => self.looked(about, sight),
            Message::TasksChanged { unit, changes } => {
                self.inbox.push_back(Input::TasksChanged { unit, changes });
            }
            Message::RecordingBegun { unit } => self.recording_begun(unit),
            Message::Noticed(message) => self.inbox.push_back(Input::Noticed(message)),
            Message::TasksTold { step, work } => {
                self.inbox.push_back(Input::TasksTold { step, work });
            }
            Message::RoomPrepared { unit, room } => self.room_prepared(unit, room),
            Message::Surveyed { step, work } => {
                self.inbox.push_back(Input::Surveyed { step, work });
            }
            Message::Output(message) => self.take_output(message),
        }
    }

    fn take_output(&mut self, message: output::Message) {
        match message {
            output::Message::Marker { who: Who::Agent(unit), sighting } => {
                self.inbox.push_back(Input::Marker { unit, sighting });
            }
            output::Message::Fact { who: Who::Agent(unit), fact } => {
                self.inbox.push_back(match fact {
                    Fact::Marker(sighting) => Input::Marker { unit, sighting },
                    Fact::Concluded(sighting) => Input::Concluded { unit, sighting },
                    Fact::WentOn => Input::WentOn { unit },
                    Fact::Spent(spend) => Input::Spent { unit, spend },
                    Fact::UnusableFigure(figure) => {
                        let value = self.setting.logs.redact(&figure.value);
                        let figure = UnusableFigure { value, ..figure };
                        Input::UnusableFigure { unit, figure }
                    }
                    Fact::Futile(outcome) => {
                        let outcome = redacted(outcome, &*self.setting.logs);
                        Input::Futile { unit, outcome }
                    }
                });
            }
            // Nobody asks errands for markers, nor understands what they print.
            output::Message::Marker { who: Who::Errand(_), .. }
            | output::Message::Fact { who: Who::Errand(_), .. } => {}
            output::Message::Ended(ended) => self.output_ended(ended),
            output::Message::OutletClosed(OutputStream::Stdout) => self.close_output(),
            output::Message::OutletFailed(stream, error) => {
                self.note_failure(stream, &error);
                if stream == OutputStream::Stdout {
                    self.close_output();
                }
            }
            // Nobody reads complaints any more, which stops no work.
            output::Message::OutletClosed(OutputStream::Stderr) => {}
        }
    }

    fn cancel(&mut self, by: Cancel) {
        self.asked += 1;
        self.inbox.push_back(Input::Cancel(by));
    }

    fn note_trouble(&mut self, trouble: SinkTrouble) {
        if let SinkTrouble::Failed(error) = trouble {
            self.note_failure(OutputStream::Stdout, &error);
        }
        self.close_output();
    }

    /// Says why a stream cannot be written to, once: pumps and screen find the same.
    fn note_failure(&mut self, stream: OutputStream, error: &io::Error) {
        if stream == OutputStream::Stderr || !self.output_closed {
            self.inbox.push_back(Input::Noticed(format!("cannot write to {stream}: {error}")));
        }
    }

    pub(crate) fn close_output(&mut self) {
        if !std::mem::replace(&mut self.output_closed, true) {
            self.inbox.push_back(Input::Cancel(Cancel::OutputClosed));
        }
    }

    /// Waits for slow readers, who are to lose nothing, until they have everything or somebody wants
    /// us to go. Whoever cancelled the run does not want to wait for long, and without a guard nobody
    /// is there any more.
    fn let_readers_catch_up(&mut self) {
        let cancelled = matches!(self.machine.end(), None | Some(RunEnd::Interrupted(_)));
        let deadline = now().awake + PATIENCE;
        while self.asked < 2 && !self.sink.wait_until_shown(GLANCE) {
            let is_asked = self.setting.signals.drain().into_iter().any(|signal| {
                matches!(signal, Signal::Interrupt | Signal::Terminate | Signal::Hangup)
            });
            let is_asked = self.desk.turn_away() || is_asked;
            let is_late = cancelled && now().awake >= deadline;
            if is_asked || is_late || self.guard_lost || self.is_guard_gone() {
                return;
            }
        }
    }

    fn is_guard_gone(&self) -> bool {
        let Some(guard) = &self.setting.guard else { return false };
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut files = [PollFd::new(guard, PollFlags::IN)];
        poll(&mut files, Some(&at_once)).is_ok_and(|count| count > 0)
    }

    /// Ends whatever is left of what we started, and removes our files.
    fn leave_nothing(&mut self) {
        self.looker.stop();
        if self.children.has_any_process() {
            // What cannot be ended here is left to the guard, which tells.
            end_all_descendants(&self.children, &[], PATIENCE);
        }
        self.looker.leave_nothing();
        if matches!(self.machine.end(), Some(RunEnd::Complete)) {
            // Nobody will make another room in which these caches were of use.
            let _ = fs::remove_dir_all(self.setting.kept.join("caches"));
        }
        // What was never made, or is gone, is clean.
        let _ = fs::remove_dir_all(&self.setting.scratch);
    }
}
