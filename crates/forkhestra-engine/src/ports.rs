//! What the engine needs of its caller, and what it gives back.

use std::error::Error;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{AuxJob, Event, TaskChanges};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::Replay;
use forkhestra_core::policy::{TaskQuery, TaskWork};

use crate::agent::command::HostFacts;
use crate::output::null_output::NullOutput;
use crate::output::{OutputLogSink, OutputSink};
use crate::process::GuardLink;
use crate::recording::unit_recorder::UnitRecorder;
use crate::run_loop::request_queue::PendingRequest;
use crate::signal::SignalReceiver;

/// The surroundings of a run.
pub struct EnginePorts {
    /// The signals that are sent to us.
    pub signals: SignalReceiver,
    /// The process that watches over us, if there is one.
    pub guard: Option<GuardLink>,
    /// The environment that agents inherit.
    pub environment: Vec<(OsString, OsString)>,
    /// Where agents' output goes.
    pub output_sink: Arc<dyn OutputSink>,
    /// What keeps agents' output.
    pub logs: Box<dyn OutputLogs>,
    /// Records what agents do, if somebody wants that.
    pub recorder: Option<Arc<dyn UnitRecorder>>,
    /// A pipe or socket that ends the run when its reader is gone: usually our standard output.
    pub watched: Option<OwnedFd>,
    /// A directory for files of ours, made when it is needed and removed when the run is over.
    pub scratch: PathBuf,
    /// A directory for files of ours that must outlive this process, such as what protected files were
    /// when a step began. It goes when the run is removed.
    pub kept: PathBuf,
    /// A directory with programs that agents, checks and hooks find before any others.
    pub tools: Option<PathBuf>,
    /// Reads the task database.
    pub tasks: Arc<dyn TaskDatabases>,
    /// Knows what is played back in place of agents.
    pub recordings: Arc<dyn Recordings>,
    /// What people want of the run while it goes on, if anybody can reach it. Whoever sends
    /// something [wakes](crate::signal::LoopWaker) the loop.
    pub requests: Option<Receiver<PendingRequest>>,
    /// What the machine says that decides how agents are started.
    pub host: HostFacts,
    /// Where the run is kept. What changes there is no work of agents, even inside the work tree.
    pub state: PathBuf,
}

impl EnginePorts {
    /// A run that nobody watches, with the environment that its agents shall inherit: without a
    /// guard, and with [`NullOutput`] for what agents print. Change what should be otherwise.
    pub fn new(
        signals: SignalReceiver,
        environment: Vec<(OsString, OsString)>,
        scratch: impl Into<PathBuf>,
    ) -> Self {
        let scratch = scratch.into();
        Self {
            signals,
            guard: None,
            environment,
            output_sink: Arc::new(NullOutput),
            logs: Box::new(NullOutput),
            recorder: None,
            watched: None,
            state: scratch.clone(),
            kept: scratch.join("kept"),
            tools: None,
            tasks: Arc::new(NoTaskDatabases),
            recordings: Arc::new(NoRecordings),
            requests: None,
            host: HostFacts::default(),
            scratch,
        }
    }
}

/// Reads task databases.
pub trait TaskDatabases: Send + Sync {
    /// What a step finds in a database.
    fn task_work(&self, database: &Path, question: &TaskQuery) -> TaskWork;

    /// The ids of the tasks that are not Done; none if they cannot be read.
    fn open_tasks(&self, _database: &Path) -> Option<Vec<String>> {
        None
    }

    /// Gives back what agents of a run have taken and not finished. None of them is at work any more.
    /// It is called before a step and after each iteration, so that a task that is only taken and
    /// given back in between can be told from one that was worked on.
    /// An error says what could not be given back; nothing is, if this is not overridden.
    fn release_tasks(&self, _database: &Path, _run: &str) -> Result<(), String> {
        Ok(())
    }

    /// Remembers what the database holds before an agent is started; none if there is no database yet.
    /// An error says why it would be forgotten if the run was killed.
    fn save_baseline(&self, _database: Option<&Path>) -> Result<(), String> {
        Ok(())
    }

    /// Compares the database with what was remembered before the agent of this run was started, also by a
    /// process that was killed, after its tasks were given back. None if nothing changed and
    /// the open tasks are those that were reported last, if nothing was remembered, or if the database
    /// cannot be read.
    fn changes(&self, _database: &Path, _run: &str) -> Option<TaskChanges> {
        None
    }

    /// Finds a database that was not there yet when the run was planned, from a working directory.
    fn find(&self, _working_directory: &Path) -> Option<PathBuf> {
        None
    }
}

/// Where there are no tasks.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTaskDatabases;

impl TaskDatabases for NoTaskDatabases {
    fn task_work(&self, database: &Path, _: &TaskQuery) -> TaskWork {
        TaskWork::Unknown(format!("the tasks in {} cannot be read here", database.display()))
    }
}

/// Knows recordings of what agents did.
pub trait Recordings: Send + Sync {
    /// What is played in one try of an iteration, if it can be played in this working directory: it
    /// was recorded, and the work tree is what it began with. An error says in one line why it cannot.
    fn replayed_unit(
        &self,
        replay: &Replay,
        unit: UnitId,
        directory: &Path,
    ) -> Result<ReplayedUnit, String>;
}

/// What is played in one try of an iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayedUnit {
    /// The directory with what was recorded of it.
    pub recorded: PathBuf,
    /// What is in the work tree and is no work.
    pub own_paths: Vec<PathBuf>,
}

/// Where there are no recordings.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRecordings;

impl Recordings for NoRecordings {
    fn replayed_unit(&self, replay: &Replay, _: UnitId, _: &Path) -> Result<ReplayedUnit, String> {
        Err(format!("the recording {} cannot be read here", replay.recording))
    }
}

/// Keeps agents' output.
pub trait OutputLogs {
    /// A log for one stream of one agent.
    fn open(&self, unit: UnitId, stream: OutputStream) -> Box<dyn OutputLogSink>;

    /// A log for one stream of a check, a hook or a setup. Nothing is kept, if this is not overridden.
    fn open_aux_job(&self, _errand: AuxJob, _stream: OutputStream) -> Box<dyn OutputLogSink> {
        Box::new(NullOutput)
    }

    /// Reads what an agent printed, as far as it is kept; none if nothing is.
    fn read_output(
        &self,
        _unit: UnitId,
        _stream: OutputStream,
    ) -> io::Result<Option<Box<dyn io::Read + Send>>> {
        Ok(None)
    }

    /// The file in which an agent's output is kept, for whoever wants to read it.
    fn path_of(&self, _unit: UnitId, _stream: OutputStream) -> Option<PathBuf> {
        None
    }

    /// A text of an agent as it may be recorded elsewhere. Whoever keeps secrets out of the logs
    /// keeps them out of it as well.
    fn redact(&self, text: &str) -> String {
        text.to_owned()
    }
}

/// Takes the events of a run, in order.
pub trait EventSink {
    /// Records an event and shows it. Nothing that comes after the event is done before this
    /// returns. The machine emits events in batches, and `state` is the state after the whole batch:
    /// it can be ahead of the event. A reader that needs the state after each event folds the events
    /// itself, with a `RunHistory`.
    fn record_event(&mut self, event: &Event, state: &RunState) -> Result<(), SinkError>;

    /// Time has passed. Called as often as [`EventSink::interval`] asks for.
    fn tick(&mut self, _elapsed: Duration) {}

    /// Waits until everything that was taken has been shown, but not longer than this; whether it
    /// has been. No agent is started before, so that nothing it prints comes in front of what was
    /// said before. Who shows events at once need not care.
    fn wait_until_shown(&self, _limit: Duration) -> bool {
        true
    }

    /// What became of the output since somebody last asked. Whoever learns that only while showing
    /// events beside the loop says it here, and [wakes](crate::signal::LoopWaker) the loop.
    fn take_failure(&mut self) -> Option<SinkFailure> {
        None
    }

    /// How often somebody wants to see how time passes; never, if this is not overridden.
    fn interval(&self) -> Option<Duration> {
        None
    }
}

/// Keeps the events in memory, for whoever wants no more than to know what happened.
impl EventSink for Vec<Event> {
    fn record_event(&mut self, event: &Event, _: &RunState) -> Result<(), SinkError> {
        self.push(event.clone());
        Ok(())
    }
}

/// What can become of the output. Either ends the run as if it were interrupted.
#[derive(Debug)]
pub enum SinkFailure {
    /// Nobody reads it any more.
    Closed,
    /// It cannot be written.
    Failed(io::Error),
}

/// Why an event could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// It is recorded, but nobody reads our output any more. The run ends as if interrupted.
    #[error("the output is closed")]
    OutputClosed,
    /// It could not be recorded, so nothing more may be done.
    #[error(transparent)]
    NotRecorded(Box<dyn Error + Send + Sync>),
}

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// An event could not be recorded. Every agent has been ended.
    #[error("the run cannot be recorded any more")]
    NotRecorded(#[source] Box<dyn Error + Send + Sync>),
    /// The system refused something that the engine cannot do without.
    #[error("the system refused to {action}")]
    System {
        /// What.
        action: &'static str,
        /// Why.
        source: io::Error,
    },
}
