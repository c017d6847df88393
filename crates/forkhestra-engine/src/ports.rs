//! The engine's interface to its caller: injected dependencies, event sink and errors.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use forkhestra_core::control::{ControlReply, ControlRequest};
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{AuxJob, Event, TaskChanges};
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::Replay;
use forkhestra_core::policy::{TaskQuery, TaskWork};

use crate::agent::command::HostFacts;
use crate::hook_process::HookProcess;
use crate::launch::tools_directory::UnusedToolsDirectory;
use crate::output::null_output::NullOutput;
use crate::output::{OutputLogSink, OutputSink};
use crate::process::{GuardLink, KeeperProgram};
use crate::recording::unit_recorder::UnitRecorder;
use crate::run_loop::lane_service::{LaneService, NoLanes};
use crate::run_loop::request_queue::PendingRequest;
use crate::sandbox::SandboxHost;
use crate::secret_finder::SecretFinder;
use crate::signal::SignalReceiver;

/// The injected dependencies of a run.
pub struct EnginePorts {
    pub signals: SignalReceiver,
    /// Connection to the guard process, if there is one.
    pub guard: Option<GuardLink>,
    /// The environment that agents inherit.
    pub environment: Vec<(OsString, OsString)>,
    /// Receives agents' output for display.
    pub output_sink: Arc<dyn OutputSink>,
    /// Stores agents' output.
    pub logs: Box<dyn OutputLogs>,
    /// Records agents for later replay.
    pub recorder: Option<Arc<dyn UnitRecorder>>,
    /// A pipe or socket whose reader must stay: the run ends when the reader is gone. Usually our
    /// standard output.
    pub watched_reader: Option<OwnedFd>,
    /// A directory for temporary files, created on demand and removed when the run is over.
    pub scratch: PathBuf,
    /// A directory for files that must outlive this process, such as the baseline of protected
    /// files at the start of a step. It is removed with the run.
    pub persistent_directory: PathBuf,
    /// Config files of the run. A change during the run is reported.
    pub config_files: Vec<PathBuf>,
    /// The program that is found first on the `PATH` of agents, checks and hooks.
    pub own_program: Option<OwnProgram>,
    /// The program that keeps the processes of a lane together. Without it they are started directly,
    /// and several lanes cannot be told apart.
    pub keeper: Option<KeeperProgram>,
    /// Makes lanes and merges their work.
    pub lanes: Arc<dyn LaneService>,
    pub tasks: Arc<dyn TaskDatabases>,
    /// Finds the recordings that replace agents in a replay.
    pub recordings: Arc<dyn Recordings>,
    /// Control requests from operators, if the run can be controlled. A sender must
    /// [wake](crate::signal::LoopWaker) the loop after sending.
    pub requests: Option<Receiver<PendingRequest>>,
    /// The hook that is running, for the sender of the requests.
    pub hook_process: HookProcess,
    /// Facts about the host that decide how agents are started.
    pub host: HostFacts,
    /// Finds the secrets of the run, which must not be stored in the repository.
    pub secrets: SecretFinder,
    /// What the sandboxes of the plan need.
    pub sandbox: SandboxHost,
    /// The directory in which the run is stored. Changes below it are not work of agents, even
    /// inside the work tree.
    pub state: PathBuf,
}

impl EnginePorts {
    /// Ports with defaults: no guard, and [`NullOutput`] for agents' output. Callers override
    /// single fields.
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
            watched_reader: None,
            state: scratch.clone(),
            persistent_directory: scratch.join("kept"),
            config_files: Vec::new(),
            own_program: None,
            keeper: None,
            lanes: Arc::new(NoLanes),
            tasks: Arc::new(NoTaskDatabases),
            recordings: Arc::new(NoRecordings),
            requests: None,
            hook_process: HookProcess::default(),
            host: HostFacts::default(),
            secrets: SecretFinder::default(),
            sandbox: SandboxHost::default(),
            scratch,
        }
    }
}

/// A program of forkhestra's own for the processes of a run.
#[derive(Debug, Clone)]
pub struct OwnProgram {
    /// Its name on `PATH`.
    pub name: &'static str,
    pub path: PathBuf,
    pub(crate) spare: UnusedToolsDirectory,
}

impl OwnProgram {
    /// A program at a path.
    pub fn new(name: &'static str, path: impl Into<PathBuf>) -> Self {
        Self { name, path: path.into(), spare: UnusedToolsDirectory::default() }
    }
}

/// Reads and updates task databases.
pub trait TaskDatabases: Send + Sync {
    /// Returns the state of the tasks for a step.
    fn task_work(&self, database: &Path, question: &TaskQuery) -> TaskWork;

    /// Returns the state of the tasks for a holder whose next agent is about to be started if there is a
    /// task for it. A holder is a run, or one of its lanes as in `k3v/2`. Lanes may ask at the same time:
    /// no more of them get [`TaskWork::Ready`] than tasks can be claimed.
    fn work_for(&self, database: &Path, _holder: &str, question: &TaskQuery) -> TaskWork {
        self.task_work(database, question)
    }

    /// The ids of the tasks that are not Done, or `None` if they cannot be read.
    fn open_tasks(&self, _database: &Path) -> Option<Vec<String>> {
        None
    }

    /// The number of acceptance criteria of each open task that has any.
    fn open_criteria(&self, _database: &Path) -> BTreeMap<String, u32> {
        BTreeMap::new()
    }

    /// Releases the tasks that agents of a holder have claimed and not finished: those of a run with all
    /// of its lanes, or those of one lane. None of these agents is active at that time, and nothing that
    /// the run has finished lands any more. It is called before a step and after each iteration, so that a
    /// task that was only claimed and released can be distinguished from one that was worked on. A lane
    /// keeps its tasks between its iterations, since it has the unfinished work.
    ///
    /// The error names what could not be released. The default releases nothing.
    fn release_tasks(&self, _database: &Path, _holder: &str) -> Result<(), String> {
        Ok(())
    }

    /// Saves the content of the database before an agent of a holder is started; `None` if there is no
    /// database yet. The error gives the reason why the baseline would not survive a kill of the run.
    fn save_baseline(&self, _database: Option<&Path>, _holder: &str) -> Result<(), String> {
        Ok(())
    }

    /// Compares the database with the baseline that was saved before the agent of this holder was
    /// started, even by a process that was killed since. It is called after the agent's tasks were
    /// released. What another lane did is left out. `None` if nothing changed and the open tasks equal those reported last, if there
    /// is no baseline, or if the database cannot be read.
    fn changes(&self, _database: &Path, _holder: &str) -> Option<TaskChanges> {
        None
    }

    /// Finds a database that was created after the run was planned, starting from a working
    /// directory.
    fn find(&self, _working_directory: &Path) -> Option<PathBuf> {
        None
    }
}

/// A [`TaskDatabases`] for runs without tasks.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTaskDatabases;

impl TaskDatabases for NoTaskDatabases {
    fn task_work(&self, database: &Path, _: &TaskQuery) -> TaskWork {
        TaskWork::Unknown(format!("the tasks in {} cannot be read here", database.display()))
    }
}

/// Finds recordings of agents.
pub trait Recordings: Send + Sync {
    /// Returns the recording of one attempt of an iteration if it can be replayed in this working
    /// directory: it was recorded, and the work tree equals the recorded initial state. The error
    /// is one line with the reason why it cannot be replayed.
    fn replayed_unit(
        &self,
        replay: &Replay,
        unit: UnitId,
        directory: &Path,
    ) -> Result<ReplayedUnit, String>;
}

/// The recording that replaces one attempt of an iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayedUnit {
    /// The directory of the recording.
    pub recorded: PathBuf,
    /// Paths in the work tree that are not work of agents.
    pub own_paths: Vec<PathBuf>,
}

/// A [`Recordings`] for runs without recordings.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRecordings;

impl Recordings for NoRecordings {
    fn replayed_unit(&self, replay: &Replay, _: UnitId, _: &Path) -> Result<ReplayedUnit, String> {
        Err(format!("the recording {} cannot be read here", replay.recording))
    }
}

/// Stores agents' output.
pub trait OutputLogs {
    /// Opens the log for one stream of an agent.
    fn open(&self, unit: UnitId, stream: OutputStream) -> Box<dyn OutputLogSink>;

    /// Opens the log for one stream of an aux job: a check, a hook or a set-up. The default stores
    /// nothing.
    fn open_aux_job(&self, _aux_job: AuxJob, _stream: OutputStream) -> Box<dyn OutputLogSink> {
        Box::new(NullOutput)
    }

    /// Reads the stored output of an agent, or `None` if nothing is stored.
    fn read_output(
        &self,
        _unit: UnitId,
        _stream: OutputStream,
    ) -> io::Result<Option<Box<dyn io::Read + Send>>> {
        Ok(None)
    }

    /// The path of the file in which an agent's output is stored.
    fn path_of(&self, _unit: UnitId, _stream: OutputStream) -> Option<PathBuf> {
        None
    }

    /// Removes secrets from a text of an agent before it is recorded elsewhere. An implementation
    /// that redacts logs redacts this text as well.
    fn redact(&self, text: &str) -> String {
        text.to_owned()
    }
}

/// Receives the events of a run, in order.
pub trait EventSink {
    /// Records an event and shows it. Nothing that comes after the event is done before this
    /// returns. A sink that needs the state of the run folds the events with a `RunHistory`: the
    /// state of the machine is ahead of the event, because the machine emits events in batches.
    fn record_event(&mut self, event: &Event) -> Result<(), SinkError>;

    /// Called at every [`EventSink::interval`], so that elapsed time can be displayed.
    fn tick(&mut self, _elapsed: Duration) {}

    /// Waits until every recorded event has been displayed, at most for `limit`, and returns
    /// whether it has. No agent is started before that, so that its output cannot precede earlier
    /// events. A sink that displays events synchronously keeps the default.
    fn wait_until_shown(&self, _limit: Duration) -> bool {
        true
    }

    /// Returns a failure of the output since the last call. A sink that displays events in another
    /// thread reports failures here and [wakes](crate::signal::LoopWaker) the loop.
    fn take_failure(&mut self) -> Option<SinkFailure> {
        None
    }

    /// The interval between calls of [`EventSink::tick`]. The default is never.
    fn interval(&self) -> Option<Duration> {
        None
    }

    /// Called before the loop waits. A sink that asks the user something at a terminal shows it
    /// here: everything that happens by itself has happened, and the question is still open.
    fn before_wait(&mut self) {}

    /// The terminal at which the user is asked something now. The loop waits for its input too.
    fn terminal(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Called when there is input at [`EventSink::terminal`]. Reads it without waiting and returns
    /// the request that it completes, if it does. The reply goes to [`EventSink::show_reply`].
    fn read_terminal(&mut self) -> Option<ControlRequest> {
        None
    }

    /// Called with the reply to a request of the terminal.
    fn show_reply(&mut self, _reply: ControlReply) {}
}

/// Collects the events in memory.
impl EventSink for Vec<Event> {
    fn record_event(&mut self, event: &Event) -> Result<(), SinkError> {
        self.push(event.clone());
        Ok(())
    }
}

/// A failure of the output. Both kinds end the run as if it were interrupted.
#[derive(Debug)]
pub enum SinkFailure {
    /// The reader is gone.
    Closed,
    /// Writing failed.
    Failed(io::Error),
}

/// Why an event could not be recorded or displayed.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The event is recorded, but the reader of our output is gone. The run ends as if interrupted.
    #[error("the output is closed")]
    OutputClosed,
    /// The event could not be recorded, so no further effect may be performed.
    #[error(transparent)]
    NotRecorded(Box<dyn Error + Send + Sync>),
}

/// Why a run failed in the engine itself.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// An event could not be recorded. Every agent has been ended.
    #[error("the run cannot be recorded any more")]
    NotRecorded(#[source] Box<dyn Error + Send + Sync>),
    /// A system call failed that the engine cannot do without.
    #[error("cannot {action}")]
    System { action: &'static str, source: io::Error },
}
