//! Interface between the screens and the runs. The binary implements it with files and sockets,
//! tests with simulated runs.

use forkhestra_core::control::{ControlReply, ControlRequest};
use forkhestra_core::cost::Spend;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{CommitSummary, Event};
use forkhestra_core::history::{ExecutionStatus, Liveness, SnapshotAddress};
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::time::Timestamp;

/// Which runs are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunScope {
    /// Runs of this work tree.
    Here,
    /// Runs of every project.
    Everywhere,
}

/// Access to all runs. It changes nothing except through requests to a run and other processes.
pub trait RunSource: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;

    /// The runs, newest first. An error states in one line why they cannot be listed.
    fn runs(&self, scope: RunScope) -> Result<Vec<RunListItem>, String>;

    /// Opens a run for reading, live or finished.
    fn open(&self, run: &RunId) -> Result<Box<dyn RunFeed>, String>;

    /// Sends a request to a run and waits for its reply with a short timeout. An error states in
    /// one line why there is none.
    fn send_request(&self, run: &RunId, request: ControlRequest) -> Result<ControlReply, String>;

    /// Resumes a run in the background and returns when it has started. An error may have several
    /// lines.
    fn resume(&self, run: &RunId) -> Result<(), String>;

    /// Rewinds the work tree of a run to a snapshot and returns what was done. An error states why
    /// nothing was, and the command to use instead. Both may have several lines.
    fn rewind(&self, run: &RunId, to: SnapshotAddress) -> Result<String, String>;
}

/// An entry of the run list.
#[derive(Debug, Clone, PartialEq)]
pub struct RunListItem {
    pub run: RunId,
    /// Name or definition of the chain.
    pub chain: String,
    pub directory: String,
    pub status: ExecutionStatus,
    /// The state that replaces the status, if any.
    pub status_override: Option<StatusOverride>,
    pub started: Timestamp,
    /// Time of the last event.
    pub updated: Timestamp,
    /// Number of iterations with an outcome.
    pub iterations: u32,
    /// The current or last step, counted from one, and the number of steps.
    pub step: (usize, usize),
    /// None if unknown.
    pub spend: Option<Spend>,
}

/// A state that is shown instead of the status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusOverride {
    /// The run is alive but paused.
    Paused,
    /// The run stops after the current iteration.
    Stopping,
    /// The run asks a person something, since this time.
    Asking(Timestamp),
    /// The run waits for the provider of its agent, or after a crash.
    Waiting,
    /// The run was stopped on request.
    Stopped,
    /// The run ended because no task could be claimed.
    Incomplete,
    /// The state cannot be determined; the reason in one word.
    Unknown(&'static str),
}

/// Reads one run and follows it. Nothing is locked or changed.
pub trait RunFeed: Send {
    /// Whether a process works on the run. To be called before `events`: a process that is gone by
    /// then has written all its events.
    fn liveness(&mut self) -> Liveness;

    /// Events since the last call, oldest first, at most `at_most`; fewer only if there are no
    /// more.
    fn events(&mut self, at_most: usize) -> Result<Vec<Event>, String>;

    /// Whether the journal was replaced by a repaired one, so that the run must be opened again.
    fn is_replaced(&mut self) -> bool;

    /// Opens the output of an agent at its beginning.
    fn output(
        &mut self,
        unit: UnitId,
        form: OutputRendering,
    ) -> Result<Box<dyn OutputFeed>, String>;

    /// The command that resumes the run, as far as it was read; none if it cannot be resumed.
    fn resume_command(&mut self) -> Option<String>;

    /// The task database of the run's project; none if there is none or the project is not known
    /// yet.
    fn tasks(&mut self) -> Option<Result<TaskBoard, String>>;

    /// The details of a task; none if it no longer exists.
    fn task(&mut self, id: &str) -> Result<Option<TaskDetails>, String>;

    /// Changes of a finished iteration in the repository; none without a repository, or before the
    /// iteration has finished.
    fn changes(&mut self, unit: UnitId) -> Option<Result<IterationChanges, String>>;

    /// What a finished iteration changed, as the text of a diff of at most `at_most` bytes.
    fn diff(&mut self, unit: UnitId, at_most: usize) -> Result<IterationDiff, String>;

    /// The last message of an agent; for a program whose stream is not parsed, its last lines. None
    /// if there is none.
    fn last_message(&mut self, unit: UnitId) -> Result<Option<String>, String>;
}

/// How output is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutputRendering {
    /// Parsed and formatted.
    Rendered,
    /// Unchanged.
    Raw,
}

/// Reads the output of one agent and follows it.
pub trait OutputFeed: Send {
    /// Output since the last call, at most about `at_most` bytes.
    fn read(&mut self, at_most: usize) -> Result<OutputPortion, String>;

    /// Remaining output after the agent has ended and everything was read.
    fn finish(&mut self) -> Vec<FeedChunk>;
}

/// The result of one read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputPortion {
    /// The chunks to show; may be empty.
    pub chunks: Vec<FeedChunk>,
    /// Whether more data is available.
    pub has_more: bool,
}

/// A chunk of an agent's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedChunk {
    pub stream: OutputStream,
    /// Arbitrary bytes, split anywhere. They are sanitized before display.
    pub bytes: Vec<u8>,
    /// Number of missing bytes before the chunk.
    pub missing: u64,
}

/// The tasks of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskBoard {
    /// In the order of the database.
    pub tasks: Vec<TaskCard>,
}

/// A task of the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskCard {
    pub id: String,
    pub title: String,
    /// The status as stored in the database: `To Do`, `In Progress`, `Done`, `Blocked`.
    pub status: String,
    pub assignee: Option<String>,
    /// Whether an agent of the displayed run has claimed it.
    pub is_of_run: bool,
    /// Dependencies that are not done.
    pub waits_for: Vec<String>,
}

/// All data of one task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskDetails {
    pub id: String,
    pub title: String,
    pub status: String,
    pub priority: Option<String>,
    pub assignee: Option<String>,
    pub labels: Vec<String>,
    pub parent: Option<String>,
    /// Dependencies: the id, and status and title if the task exists.
    pub dependencies: Vec<(String, Option<(String, String)>)>,
    pub description: Option<String>,
    pub plan: Option<String>,
    pub notes: Option<String>,
    /// Acceptance criteria, and whether each is checked.
    pub criteria: Vec<(String, bool)>,
    /// Path of the task file.
    pub file: String,
}

/// Changes of an iteration in the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IterationChanges {
    /// The commits, oldest first.
    pub commits: Vec<CommitSummary>,
    /// Number of commits before these.
    pub more_commits: u32,
    /// Files whose content changed.
    pub files: Vec<ChangedFile>,
    /// Number of further files.
    pub more_files: u32,
}

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Path relative to the root of the repository.
    pub path: String,
    /// Added and removed lines; none for a binary file.
    pub lines: Option<(u32, u32)>,
}

/// What an iteration changed, as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IterationDiff {
    /// A unified diff with the contents of files as they are. It is sanitized before display.
    pub text: Vec<u8>,
    /// Whether the end is missing.
    pub is_cut: bool,
    /// The command that shows all of it.
    pub command: String,
}
