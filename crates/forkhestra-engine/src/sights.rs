//! Does, in a thread, what takes a while around a work tree: looking, clean rooms, surveys.

use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use forkhestra_core::event::{Sight, Stamp, Work};
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::{Limit, Time};
use forkhestra_core::machine::RoomFailure;
use forkhestra_core::policy::TaskQuestion;

use crate::git::GitError;
use crate::look::About;
use crate::message::{Message, Sender};
use crate::notices::Notices;
use crate::protected::{Protected, Verified};
use crate::recorder::Deeds;
use crate::repository::{NoRoom, Rooms, Session};
use crate::scribe::Scribe;
use crate::task_desk::TaskDesk;
use crate::wanted::Wanted;
use crate::work_tree::{Seen, WorkTree};

/// Nobody waits longer until everything is checked out.
const PATIENCE: Duration = Duration::from_secs(600);

/// What is to be done.
#[derive(Debug)]
pub(crate) enum Request {
    /// See what a step wants to know, if it wants to know anything.
    Look {
        about: About,
        done_file: Option<Stamp>,
        wanted: Option<Box<Wanted>>,
        /// Whether the open tasks are to be listed.
        tasks: bool,
    },
    /// Give back the tasks that an agent has left, before anybody looks, and report what it changed in
    /// the task database.
    GiveBack { unit: UnitId },
    /// Forget the files of the last look: an agent is about to be started.
    ForgetTree,
    /// See whether there are tasks to do for a step.
    AskTasks { step: usize, question: TaskQuestion },
    /// Make a clean room.
    PrepareRoom { unit: UnitId, keep: Vec<String>, timeout: Limit<Time> },
    /// Take the clean room away.
    ClearRoom,
    /// See what was made since a step began.
    Survey { step: usize, before: Box<Sight> },
    /// Record what is there before an agent.
    BeginRecording { unit: UnitId },
    /// Record what an agent did.
    EndRecording { unit: UnitId, deeds: Box<Deeds> },
}

/// Whoever does it.
pub(crate) struct Sights {
    tree: WorkTree,
    protected: Protected,
    rooms: Rooms,
    tasks: TaskDesk,
    notices: Notices,
    scribe: Scribe,
}

/// Starts a thread that answers all requests, in order.
pub(crate) fn start(mut sights: Sights, sender: Sender) -> mpsc::Sender<Request> {
    let (requests, queue) = mpsc::channel::<Request>();
    thread::spawn(move || {
        for request in queue {
            if let Some(message) = sights.answer(request) {
                sender.send(message);
            }
        }
    });
    requests
}

impl Sights {
    pub(crate) fn new(
        tree: WorkTree,
        rooms: Rooms,
        tasks: TaskDesk,
        notices: Notices,
        scribe: Scribe,
    ) -> Self {
        let places = tree.places();
        let protected = Protected::new(&places.directory, &places.kept);
        Self { tree, protected, rooms, tasks, notices, scribe }
    }

    fn answer(&mut self, request: Request) -> Option<Message> {
        match request {
            Request::Look { about, done_file, wanted, tasks } => {
                let seen = wanted.map(|wanted| self.look(&wanted)).unwrap_or_default();
                let open_tasks = if tasks { self.tasks.open_tasks() } else { None };
                Some(Message::Looked { about, sight: Sight { done_file, open_tasks, ..seen } })
            }
            Request::GiveBack { unit } => {
                self.give_back();
                let changes = self.tasks.changes();
                changes.map(|changes| Message::TasksChanged { unit, changes })
            }
            Request::ForgetTree => {
                self.tree.forget_tree();
                None
            }
            Request::AskTasks { step, question } => {
                // Checks and hooks may have taken some, too.
                self.give_back();
                Some(Message::TasksTold { step, work: self.tasks.work(&question) })
            }
            Request::PrepareRoom { unit, keep, timeout } => {
                let room = self.prepare_room(&keep, timeout);
                Some(Message::RoomPrepared { unit, room })
            }
            Request::ClearRoom => {
                self.clear_room();
                None
            }
            Request::Survey { step, before } => {
                let work = self.survey(step, &before);
                Some(Message::Surveyed { step, work })
            }
            Request::BeginRecording { unit } => {
                self.scribe.begin(&mut self.tree, unit);
                Some(Message::RecordingBegun { unit })
            }
            Request::EndRecording { unit, deeds } => {
                self.scribe.end(&mut self.tree, unit, *deeds);
                None
            }
        }
    }

    fn give_back(&self) {
        self.notices.extend(self.tasks.give_back().err());
    }

    fn look(&mut self, wanted: &Wanted) -> Sight {
        let protected = self.protected(wanted);
        let Seen { tree, signals, uncommitted, snapshot, notices } = self.tree.look(wanted);
        self.notices.extend(notices);
        Sight { tree, signals, protected, uncommitted, snapshot, ..Sight::default() }
    }

    fn protected(&mut self, wanted: &Wanted) -> Option<forkhestra_core::event::Paths> {
        let protection = wanted.protection.as_ref()?;
        let ours = &self.tree.places().ours;
        let Verified { changed, notice } = if wanted.begins {
            self.protected.begin(wanted.step, protection, ours, self.tree.git())
        } else {
            self.protected.verify(wanted.step, protection, ours)
        };
        self.notices.extend(notice);
        Some(changed)
    }

    fn prepare_room(
        &mut self,
        keep: &[String],
        timeout: Limit<Time>,
    ) -> Result<PathBuf, RoomFailure> {
        // Whoever asked for it waits no longer, and what is asked for next must not wait for it.
        let patience = match timeout {
            Limit::At(limit) => limit.duration().min(PATIENCE),
            Limit::Off => PATIENCE,
        };
        let deadline = Instant::now() + patience;
        let broken = |error: GitError| RoomFailure::OfTheMachine(error.to_string());
        let repository = self.tree.repository(deadline).map_err(broken)?;
        let outside = || format!("there can be no clean room: {}", self.tree.outside());
        let repository = repository.ok_or_else(|| RoomFailure::OfTheMachine(outside()))?;
        let session = Session { git: self.tree.git(), repository: &repository, deadline };
        let directory = &self.tree.places().directory;
        let room = self.rooms.prepare(&session, directory, keep).map_err(NoRoom::into_failure)?;
        if self.rooms.lacks_submodules() {
            let notice =
                "submodules are not checked out in clean rooms; a `setup` command can do that";
            self.notices.extend([notice.to_owned()]);
        }
        Ok(room)
    }

    fn clear_room(&self) {
        // When the run is over, whoever ends it clears the room.
        let cleared = self.tree.git().prepare(|| Ok(self.rooms.clear()));
        if let Ok(Err(error)) = cleared {
            self.notices.extend([format!("the clean room cannot be taken away whole: {error}")]);
        }
    }

    fn survey(&mut self, step: usize, before: &Sight) -> Option<Work> {
        match self.tree.survey(before) {
            Ok(work) => work,
            Err(error) if error.is_over() => None,
            Err(error) => {
                let notice = format!("what was made in step {step} is not known: {error}");
                self.notices.extend([notice]);
                None
            }
        }
    }
}
