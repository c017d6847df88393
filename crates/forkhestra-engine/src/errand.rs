//! What the loop does for checks and hooks.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::thread;

use forkhestra_core::event::{AgentEnd, Answer, Errand};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::{Input, Push, RoomFailure};

use crate::dispatcher::Dispatcher;
use crate::errand_command::{self, ErrandProcess, Prepared};
use crate::errand_tails::{KEPT, both};
use crate::message::Message;
use crate::output::{Reading, Tail, Who};
use crate::performer::Readings;
use crate::process::{Command, Stdin};

/// Where checks run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// In the work tree.
    None,
    /// In a clean room that is being made for the checks of an iteration.
    Wanted(UnitId),
    /// In a clean room.
    Ready(PathBuf),
}

impl Room {
    fn path(&self) -> Option<&Path> {
        match self {
            Self::Ready(path) => Some(path),
            Self::None | Self::Wanted(_) => None,
        }
    }
}

impl Dispatcher<'_> {
    /// Makes a clean room for checks.
    pub(crate) fn prepare_room(&mut self, unit: UnitId) {
        let step = &self.machine.state().plan.steps[unit.step - 1];
        if let Some(room) = &step.clean_room {
            self.room = Room::Wanted(unit);
            self.looker.prepare_room(unit, &room.value);
        }
    }

    /// There is a room, or there is none. One that nobody wants any more is about to be taken away.
    pub(crate) fn room_prepared(&mut self, unit: UnitId, room: Result<PathBuf, RoomFailure>) {
        if self.room != Room::Wanted(unit) {
            return;
        }
        let failure = room.as_ref().err().cloned();
        self.room = room.map_or(Room::None, Room::Ready);
        self.inbox.push_back(Input::RoomPrepared { unit, failure });
    }

    /// Takes the clean room away.
    pub(crate) fn clear_room(&mut self, unit: UnitId) {
        self.room = Room::None;
        self.looker.clear_room(unit);
    }

    /// Sees what was made in a step.
    pub(crate) fn survey(&mut self, step: usize) {
        let before = &self.machine.state().steps[step - 1].before;
        self.looker.survey(step, before);
    }

    /// Runs a check or a hook. Nothing of it is shown, so it need not wait for what is shown.
    pub(crate) fn run_errand(&mut self, errand: Errand) {
        let state = self.machine.state();
        match errand_command::prepare(errand, state, &self.setting, self.room.path()) {
            Prepared::Known(answer) => self.errand_settled(errand, answer),
            Prepared::Slow(work) => self.think(errand, work),
            Prepared::Process(process) => self.start_errand(errand, process),
            Prepared::Impossible(reason) => {
                let end = AgentEnd::NotStarted { reason, transient: false };
                self.errand_never_ran(errand, end);
            }
        }
    }

    /// Has somebody else find out what we must not wait for.
    fn think(&mut self, errand: Errand, work: Box<dyn FnOnce() -> Answer + Send>) {
        let sender = self.sender.clone();
        let thinker = thread::Builder::new().name("check".to_owned()).spawn(move || {
            let answer = work();
            sender.send(Message::Answered { errand, answer });
        });
        match thinker {
            Ok(_) => self.thinking = Some(errand),
            Err(error) => {
                let reason = format!("a thread cannot be started: {error}");
                self.errand_never_ran(errand, AgentEnd::NotStarted { reason, transient: true });
            }
        }
    }

    /// The answer is known, or the result is not needed any more.
    pub(crate) fn answered(&mut self, errand: Errand, answer: Answer) {
        if self.thinking.take_if(|thinking| *thinking == errand).is_some() {
            self.errand_settled(errand, answer);
        }
    }

    fn start_errand(&mut self, errand: Errand, process: ErrandProcess) {
        match self.children.start(&command_of(&process)) {
            Ok(spawned) => {
                let streams = [(); 2].map(|()| Reading::Tail(Tail::new(KEPT)));
                let readings = Readings { streams, progress: None };
                let pid = self.attend(Who::Errand(errand), spawned, readings, process.files);
                self.inbox.push_back(Input::ErrandStarted { errand, pid });
            }
            Err(error) => {
                let (reason, transient) = (error.to_string(), error.is_transient());
                self.errand_never_ran(errand, AgentEnd::NotStarted { reason, transient });
            }
        }
    }

    fn errand_never_ran(&mut self, errand: Errand, end: AgentEnd) {
        self.inbox.push_back(Input::ErrandExited { errand, end });
        self.errand_settled(errand, Answer::default());
    }

    /// Nothing is left of the errand at work, and all it printed has been read.
    pub(crate) fn errand_is_gone(&mut self, errand: Errand) {
        let Some(active) = self.active.take() else { return };
        // What is cut to size afterwards is without secrets: a part of one is not known for what it is.
        let redact = |text: &str| self.setting.logs.redact(text);
        let (stdout, stderr) = (redact(&active.tails.stdout), redact(&active.tails.stderr));
        let answer = errand_command::answer(&stdout, &both(&stdout, &stderr));
        self.errand_settled(errand, answer);
    }

    fn errand_settled(&mut self, errand: Errand, answer: Answer) {
        let redact = |text: String| self.setting.logs.redact(&text);
        let Answer { passed, message, tail } = answer;
        let answer = Answer { passed, message: message.map(redact), tail: tail.map(redact) };
        self.inbox.push_back(Input::ErrandSettled { errand, answer });
    }

    /// Sends a signal to everything an errand started. One that is no process ends at once, and
    /// nobody waits for what may still be found out.
    pub(crate) fn push_errand(&mut self, errand: Errand, push: Push) {
        let ends = push >= Push::Hangup;
        if ends && self.thinking.take_if(|thinking| *thinking == errand).is_some() {
            self.errand_settled(errand, Answer::default());
        } else {
            self.push_active(Who::Errand(errand), push);
        }
    }

    /// Does not wait for this errand any longer.
    pub(crate) fn give_up_errand(&mut self, errand: Errand) {
        self.thinking.take_if(|thinking| *thinking == errand);
        self.give_up(Who::Errand(errand));
    }
}

fn command_of(process: &ErrandProcess) -> Command<'_> {
    Command {
        program: &process.program,
        args: &process.args,
        env: &process.environment,
        directory: &process.directory,
        stdin: process.files.stdin().map_or(Stdin::Null, |file| Stdin::Fd(file.as_fd())),
    }
}
