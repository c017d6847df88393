//! What the screens are told, and what they want done about it. The one who tells and does is the
//! loop around them; they read no file and no clock.

use crossterm::event::Event as TerminalEvent;
use forkhestra_core::control::{ControlReply, ControlRequest};
use forkhestra_core::event::Event;
use forkhestra_core::history::Liveness;
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::time::Timestamp;

use crate::output::BufferPatch;
use crate::run_source::{
    IterationChanges, OutputRendering, RunListItem, RunScope, TaskBoard, TaskDetails,
};

/// Something that the screens are told.
#[derive(Debug, Clone)]
pub enum Msg {
    /// A person did something: a key, the mouse, a paste, another size of the window.
    Terminal(TerminalEvent),
    /// The runs there are, as asked for by [`Cmd::ListRuns`], and again whenever they have changed.
    Runs(Result<Vec<RunListItem>, String>),
    /// What has happened in the run that is open.
    News(RunNews),
    /// More of the output that was asked for by [`Cmd::Follow`].
    Output {
        /// Whose run.
        run: RunId,
        /// Whose output.
        unit: UnitId,
        /// In which form.
        form: OutputRendering,
        /// What is different now; an error says in one line why there is nothing.
        patch: Result<BufferPatch, String>,
    },
    /// The tasks of the project of the run that is open; none if it has no task database.
    Tasks {
        /// Whose run.
        run: RunId,
        /// The tasks.
        board: Option<Result<TaskBoard, String>>,
    },
    /// The task that was asked for by [`Cmd::ReadTask`], and again whenever it has changed; none if it
    /// does not exist.
    Task {
        /// Whose run.
        run: RunId,
        /// The id of the task.
        id: String,
        /// The task; an error says in one line why it cannot be read.
        task: Result<Option<Box<TaskDetails>>, String>,
    },
    /// What a finished iteration changed in the repository.
    Changes {
        /// Whose run.
        run: RunId,
        /// Which iteration.
        unit: UnitId,
        /// What it changed; an error says in one line why that is unknown.
        changes: Result<IterationChanges, String>,
    },
    /// The last message of an agent, as asked for by [`Cmd::ReadIteration`]; none if there is none.
    LastMessage {
        /// Whose run.
        run: RunId,
        /// Whose message.
        unit: UnitId,
        /// The message; an error says in one line why it cannot be read.
        message: Result<Option<String>, String>,
    },
    /// What came of [`Cmd::Resume`].
    Resumed {
        /// Which run.
        run: RunId,
        /// An error says why it was not resumed, in as many lines as it takes.
        result: Result<(), String>,
    },
    /// What came of [`Cmd::SendRequest`].
    Replied {
        /// Who was asked.
        run: RunId,
        /// What.
        request: ControlRequest,
        /// What it said; an error says in one line why it said nothing.
        result: Result<ControlReply, String>,
    },
    /// It is so late. Wanted about every second while [`App::has_clock`](crate::app::App::has_clock).
    Tick(Timestamp),
}

/// What has happened in a run since the last time.
#[derive(Debug, Clone)]
pub struct RunNews {
    /// Which one.
    pub run: RunId,
    /// What happened, oldest first.
    pub events: Vec<Event>,
    /// Whether somebody is at work on it.
    pub liveness: Liveness,
    /// Whether there is no more by now. Before that, no screen shows what is not true any more.
    pub is_caught_up: bool,
    /// What is wrong with what there is to read, in one line: a run that was removed, a damaged journal.
    pub trouble: Option<String>,
    /// The command that goes on with the run once it is over, if it can go on.
    pub resume: Option<String>,
}

/// Something that the screens want done.
#[derive(Debug, Clone, PartialEq)]
pub enum Cmd {
    /// List runs, now and whenever they change, until a run is opened.
    ListRuns(RunScope),
    /// Read a run from its beginning, and go on reading it: [`Msg::RunNews`].
    OpenRun(RunId),
    /// Stop reading the run that is open.
    CloseRun,
    /// Read what an agent of the run that is open printed, beginning near its end, and go on with it.
    /// Nothing else is read any more.
    Follow {
        /// Whose output.
        unit: UnitId,
        /// In which form.
        form: OutputRendering,
    },
    /// Read some of what comes before the first line of what is being followed.
    LoadEarlier,
    /// Read a task in full, now and whenever it changes; none ends that.
    ReadTask(Option<String>),
    /// Read the last message of an agent, and what its iteration changed.
    ReadIteration(UnitId),
    /// Resume a run in the background.
    Resume(RunId),
    /// Copy a text to the clipboard of the terminal.
    Copy(String),
    /// Take the mouse, or leave it to the terminal so that text can be selected with it.
    CaptureMouse(bool),
    /// Ask something of a run.
    SendRequest {
        /// Of which.
        run: RunId,
        /// What.
        request: ControlRequest,
    },
    /// Stand aside for the shell that we were started from.
    Suspend,
    /// Draw everything anew, whatever somebody else has written on the screen.
    Redraw,
    /// Leave. The run goes on.
    Quit,
}
