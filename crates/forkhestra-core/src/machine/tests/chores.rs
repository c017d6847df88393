//! Checks, hooks, clean rooms and surveys in a world that is only numbers.

use std::time::Duration;

use super::simulation::{Agent, Simulation, there};
use crate::event::{
    AgentEnd, Answer, Commit, Errand, Fingerprint, Paths, Sight, Signals, Snapshot, Work,
};
use crate::id::UnitId;
use crate::machine::{Input, Push, RoomFailure, RunState, StepStatus};
use crate::policy::TaskWork;

/// How an errand behaves. Times are milliseconds after its start.
#[derive(Debug, Clone)]
pub(super) struct Chore {
    /// It takes no process, as what we can look at ourselves.
    pub(super) is_known: bool,
    pub(super) exits_at: Option<u64>,
    pub(super) end: AgentEnd,
    /// The mildest push that ends it, if any does.
    pub(super) obeys: Option<Push>,
    /// What it leaves behind goes at this push.
    pub(super) stragglers_obey: Option<Push>,
    /// What it printed is not read before this.
    pub(super) read_at: u64,
    pub(super) answer: Answer,
}

impl Chore {
    pub(super) fn exiting(code: i32) -> Self {
        Self {
            is_known: false,
            exits_at: Some(100),
            end: AgentEnd::Exited(code),
            obeys: Some(Push::Hangup),
            stragglers_obey: Some(Push::Continue),
            read_at: 0,
            answer: Answer::default(),
        }
    }

    pub(super) fn hanging() -> Self {
        Self { exits_at: None, ..Self::exiting(0) }
    }

    /// One that does not even hear SIGTERM.
    pub(super) fn deaf() -> Self {
        Self { obeys: Some(Push::Kill), ..Self::hanging() }
    }

    pub(super) fn impossible() -> Self {
        let reason = "no".to_owned();
        Self { end: AgentEnd::NotStarted { reason, transient: false }, ..Self::exiting(0) }
    }

    pub(super) fn known(passed: bool) -> Self {
        let answer = Answer { passed: Some(passed), ..Answer::default() };
        Self { is_known: true, answer, ..Self::exiting(0) }
    }

    /// One that says so in its last line.
    pub(super) fn saying(passed: bool, message: &str, code: i32) -> Self {
        let message = Some(message.to_owned());
        let answer = Answer { passed: Some(passed), message, tail: None };
        Self { answer, ..Self::exiting(code) }
    }
}

/// What becomes of a clean room.
#[derive(Debug, Clone)]
pub(super) enum Room {
    /// It is there after so many milliseconds.
    After(u64),
    /// There is none.
    Failing(RoomFailure),
    /// Nobody ever answers.
    Never,
}

/// What errands do, and what there is beside them.
pub(super) struct Chores {
    pub(super) script: Box<dyn Fn(Errand) -> Chore>,
    pub(super) room: Box<dyn Fn(UnitId) -> Room>,
    /// After how many milliseconds a survey is answered, if it is.
    pub(super) survey_after: Option<u64>,
    /// How it stands with the tasks, by the step and how many of its iterations are finished; and after
    /// how many milliseconds that is told.
    pub(super) tasks: Box<dyn Fn(usize, u32) -> (TaskWork, u64)>,
    /// What was told last, before which unit.
    pub(super) told: Option<(usize, u32, TaskWork)>,
    /// The tasks that are open when a step begins.
    pub(super) open_tasks: Option<Vec<String>>,
    /// There is a repository, so that there are signals, surveys and snapshots.
    pub(super) repository: bool,
    /// What was run, in order.
    pub(super) ran: Vec<Errand>,
    pub(super) pushes: Vec<(Duration, Push)>,
    pub(super) given_up: Vec<Errand>,
    pub(super) doing: Option<Doing>,
    /// The clean room that is there, and how many there were.
    pub(super) open_room: Option<UnitId>,
    pub(super) rooms: usize,
    pub(super) surveys: usize,
}

impl Default for Chores {
    fn default() -> Self {
        Self {
            script: Box::new(|_| Chore::exiting(0)),
            room: Box::new(|_| Room::After(50)),
            survey_after: Some(20),
            tasks: Box::new(|_, _| (TaskWork::NoDatabase, 5)),
            open_tasks: None,
            told: None,
            repository: false,
            ran: Vec::new(),
            pushes: Vec::new(),
            given_up: Vec::new(),
            doing: None,
            open_room: None,
            rooms: 0,
            surveys: 0,
        }
    }
}

/// An errand at work.
pub(super) struct Doing {
    errand: Errand,
    chore: Chore,
    started: Duration,
    exited: bool,
    gone: bool,
}

impl Chores {
    pub(super) fn is_settled(&mut self, errand: Errand) {
        self.doing.take_if(|doing| doing.errand == errand);
    }

    /// What is seen after an agent.
    pub(super) fn seen(&self, step: usize, agent: &Agent, state: &RunState) -> Sight {
        let plan = &state.plan.steps[step - 1];
        let files = agent.tree.map(|tree| Fingerprint(tree.to_string()));
        let paths = |is_there: bool| Paths::of(is_there.then(|| "a.txt".to_owned()));
        let signals = files.clone().filter(|_| self.repository).map(signals);
        let snapshots = self.repository && state.plan.snapshots;
        Sight {
            done_file: agent.done_file.then(there),
            tree: files,
            signals,
            protected: plan.protect.as_ref().map(|_| paths(agent.spoils)),
            uncommitted: plan.clean_room.as_ref().map(|_| paths(agent.forgets)),
            snapshot: snapshots
                .then(|| Snapshot { number: state.snapshots, commit: "c".to_owned() }),
            open_tasks: None,
        }
    }
}

fn signals(files: Fingerprint) -> Signals {
    Signals { head: None, index: Fingerprint("i".to_owned()), files, tasks: None }
}

impl Simulation {
    /// Has errands do this.
    pub(super) fn with_chores(mut self, script: impl Fn(Errand) -> Chore + 'static) -> Self {
        self.chores.script = Box::new(script);
        self
    }

    /// Has clean rooms be like this.
    pub(super) fn with_rooms(mut self, room: impl Fn(UnitId) -> Room + 'static) -> Self {
        self.chores.room = Box::new(room);
        self
    }

    /// Has all this happen in a repository.
    pub(super) fn in_repository(mut self, survey_after: Option<u64>) -> Self {
        self.chores.repository = true;
        self.chores.survey_after = survey_after;
        self
    }

    /// What is seen before a step, or before it goes on.
    pub(super) fn seen_before(&self, step: usize) -> Sight {
        let state = self.machine.state();
        let of_step = &state.steps[step - 1];
        let unit = of_step.unchecked.as_ref().map(|unchecked| unchecked.0);
        let agent = unit.map(|unit| (self.script)(unit));
        let signals = self.chores.repository.then(|| signals(Fingerprint("begin".to_owned())));
        match (agent, &of_step.status) {
            (Some(agent), StepStatus::Open) => self.chores.seen(step, &agent, state),
            _ => Sight { signals, open_tasks: self.chores.open_tasks.clone(), ..Sight::default() },
        }
    }

    pub(super) fn prepare_room(&mut self, unit: UnitId) {
        assert!(self.chores.open_room.is_none(), "two rooms at once");
        self.chores.open_room = Some(unit);
        self.chores.rooms += 1;
        match (self.chores.room)(unit) {
            Room::After(at) => {
                let prepared = Input::RoomPrepared { unit, failure: None };
                self.later(Duration::from_millis(at), prepared);
            }
            Room::Failing(why) => {
                self.later(Duration::ZERO, Input::RoomPrepared { unit, failure: Some(why) });
            }
            Room::Never => {}
        }
    }

    pub(super) fn clear_room(&mut self, unit: UnitId) {
        assert_eq!(self.chores.open_room.take(), Some(unit), "there is no such room");
    }

    pub(super) fn survey(&mut self, step: usize) {
        self.chores.surveys += 1;
        let commit = Commit { id: "1".to_owned(), subject: "Do it".to_owned() };
        let work = Work { commits: vec![commit], ..Work::default() };
        if self.machine.state().steps[step - 1].before.signals.is_none() {
            self.later(Duration::ZERO, Input::Surveyed { step, work: None });
        } else if let Some(after) = self.chores.survey_after {
            self.later(Duration::from_millis(after), Input::Surveyed { step, work: Some(work) });
        }
    }

    pub(super) fn run_errand(&mut self, errand: Errand) {
        let is_free = !self.is_at_work() && self.chores.doing.is_none();
        assert!(is_free || self.lenient, "two processes at once");
        self.chores.ran.push(errand);
        if let Errand::Check { unit, .. } | Errand::Setup { unit } = errand {
            let plan = &self.machine.state().plan.steps[unit.step - 1];
            let room = plan.clean_room.as_ref().map(|_| unit);
            assert!(self.lenient || self.chores.open_room == room, "checked in a wrong place");
        }
        let chore = (self.chores.script)(errand);
        if chore.is_known {
            let answer = chore.answer.clone();
            self.later(Duration::ZERO, Input::ErrandSettled { errand, answer });
        } else if let AgentEnd::NotStarted { .. } = chore.end {
            self.later(Duration::ZERO, Input::ErrandExited { errand, end: chore.end.clone() });
        } else {
            self.later(Duration::ZERO, Input::ErrandStarted { errand, pid: 2 });
            if let Some(at) = chore.exits_at {
                let end = chore.end.clone();
                self.later(Duration::from_millis(at), Input::ErrandExited { errand, end });
            }
        }
        let started = self.now;
        self.chores.doing = Some(Doing { errand, chore, started, exited: false, gone: false });
    }

    fn doing(&mut self, errand: Errand) -> Option<&mut Doing> {
        self.chores.doing.as_mut().filter(|doing| doing.errand == errand)
    }

    pub(super) fn push_errand(&mut self, errand: Errand, push: Push) {
        self.chores.pushes.push((self.now, push));
        let Some(doing) = self.doing(errand) else { return };
        let ends = |obeys: Option<Push>| push >= Push::Hangup && obeys.is_some_and(|o| push >= o);
        let is_process = !doing.chore.is_known;
        if is_process && !doing.exited && ends(doing.chore.obeys) {
            let end =
                if push == Push::Kill { AgentEnd::Signaled(9) } else { doing.chore.end.clone() };
            self.later(Duration::from_millis(1), Input::ErrandExited { errand, end });
        } else if doing.exited && !doing.gone && ends(doing.chore.stragglers_obey) {
            self.later(Duration::from_millis(1), Input::ErrandGone { errand });
        }
    }

    pub(super) fn note_errand_exit(&mut self, errand: Errand) {
        let Some(doing) = self.doing(errand) else { return };
        let first = !std::mem::replace(&mut doing.exited, true);
        if first && doing.chore.stragglers_obey == Some(Push::Continue) {
            self.later(Duration::ZERO, Input::ErrandGone { errand });
        }
    }

    pub(super) fn note_errand_gone(&mut self, errand: Errand) {
        let now = self.now;
        let Some(doing) = self.doing(errand) else { return };
        if std::mem::replace(&mut doing.gone, true) {
            return;
        }
        let read_at = doing.started + Duration::from_millis(doing.chore.read_at);
        let answer = doing.chore.answer.clone();
        self.later(read_at.saturating_sub(now), Input::ErrandSettled { errand, answer });
    }
}
