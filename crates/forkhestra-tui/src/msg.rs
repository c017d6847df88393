//! Messages to the screens and commands from them. The event loop sends the former and executes the
//! latter; the screens read no file and no clock.

use crossterm::event::Event as TerminalEvent;
use forkhestra_core::control::{ControlReply, ControlRequest};
use forkhestra_core::event::Event;
use forkhestra_core::history::{Liveness, SnapshotAddress};
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::time::Timestamp;

use crate::output::{BufferPatch, OutputLine};
use crate::run_source::{
    IterationChanges, OutputRendering, RunListItem, RunScope, TaskBoard, TaskDetails,
};

/// A message to the screens.
#[derive(Debug, Clone)]
pub enum Msg {
    /// Input of the user: a key, the mouse, a paste, a resize.
    Terminal(TerminalEvent),
    /// The list of runs requested by [`Cmd::ListRuns`], sent again whenever it changes.
    Runs(Result<Vec<RunListItem>, String>),
    /// New events of the open run.
    News(RunNews),
    /// More of the output requested by [`Cmd::Follow`].
    Output {
        run: RunId,
        unit: UnitId,
        form: OutputRendering,
        /// The changes; an error states in one line why there is no output.
        patch: Result<BufferPatch, String>,
    },
    /// Tasks of the open run's project; none without a task database.
    Tasks { run: RunId, board: Option<Result<TaskBoard, String>> },
    /// The task requested by [`Cmd::ReadTask`], sent again whenever it changes; none if it does not
    /// exist.
    Task {
        run: RunId,
        id: String,
        /// The task; an error states in one line why it cannot be read.
        task: Result<Option<Box<TaskDetails>>, String>,
    },
    /// Changes of a finished iteration in the repository.
    Changes {
        run: RunId,
        unit: UnitId,
        /// The changes; an error states in one line why they are unknown.
        changes: Result<IterationChanges, String>,
    },
    /// The last message of an agent, requested by [`Cmd::ReadIteration`]; none if there is none.
    LastMessage {
        run: RunId,
        unit: UnitId,
        /// The message; an error states in one line why it cannot be read.
        message: Result<Option<String>, String>,
    },
    /// The diff of an iteration, requested by [`Cmd::ReadDiff`].
    Diff {
        run: RunId,
        unit: UnitId,
        /// The lines; an error states in one line why there are none.
        lines: Result<Vec<OutputLine>, String>,
    },
    /// The result of [`Cmd::Rewind`]: what was done, or why nothing was. Both may have several lines.
    Rewound(Result<String, String>),
    /// The result of [`Cmd::Resume`].
    Resumed {
        run: RunId,
        /// The error may have several lines.
        result: Result<(), String>,
    },
    /// The result of [`Cmd::SendRequest`].
    Replied {
        run: RunId,
        request: ControlRequest,
        /// The reply; an error states in one line why there is none.
        result: Result<ControlReply, String>,
    },
    /// The current time. Expected about every second while
    /// [`App::has_clock`](crate::app::App::has_clock).
    Tick(Timestamp),
}

/// News of a run since the last message.
#[derive(Debug, Clone)]
pub struct RunNews {
    pub run: RunId,
    /// New events, oldest first.
    pub events: Vec<Event>,
    /// Whether a process works on the run.
    pub liveness: Liveness,
    /// Whether all recorded events have been sent. Until then screens do not show the outdated
    /// state as current.
    pub is_caught_up: bool,
    /// The read error in one line: a removed run, a damaged journal.
    pub trouble: Option<String>,
    /// The command that resumes the run once it has ended, if possible.
    pub resume: Option<String>,
}

/// A command from the screens.
#[derive(Debug, Clone, PartialEq)]
pub enum Cmd {
    /// List runs, now and whenever they change, until a run is opened.
    ListRuns(RunScope),
    /// Read a run from its beginning and follow it: [`Msg::News`].
    OpenRun(RunId),
    /// Stop reading the open run.
    CloseRun,
    /// Read the output of an agent of the open run, starting near its end, and follow it instead of
    /// any other output.
    Follow { unit: UnitId, form: OutputRendering },
    /// Read earlier lines of the followed output.
    LoadEarlier,
    /// Read the details of a task, now and whenever they change; none stops that.
    ReadTask(Option<String>),
    /// Read the last message of an agent and the changes of its iteration.
    ReadIteration(UnitId),
    /// Read the diff of an iteration.
    ReadDiff(UnitId),
    /// Rewind the work tree of a run to a snapshot.
    Rewind { run: RunId, to: SnapshotAddress },
    /// Resume a run in the background.
    Resume(RunId),
    /// Copy a text to the clipboard of the terminal.
    Copy(String),
    /// Capture the mouse, or release it so that the terminal can select text.
    CaptureMouse(bool),
    /// Send a request to a run.
    SendRequest { run: RunId, request: ControlRequest },
    /// Suspend to the shell.
    Suspend,
    /// Redraw the whole screen.
    Redraw,
    /// Quit. The run continues.
    Quit,
}
